package document

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"moviola/domain/css"
)

// FontWish is a font family that a movie names.
type FontWish struct {
	Family string // family as written in the movie
	Weight int    // weight of the font, 100 to 900
	Italic bool
}

// The bounds of the result of FontWishes.
const (
	maxWishes      = 200
	maxWishedBytes = 100 // maximum length of a name in bytes
)

// FontWishes returns the font families that a movie names, with the weights and slants in which they may be drawn: the
// weights and slants given beside the name, and regular. For the families of a page these are regular and bold, and italic
// if the page uses italics. Among the names left out are generic ones (serif), those beside the address of a font file, and
// those of more than maxWishedBytes. The result is sorted and has at most maxWishes entries, each a family in one weight and
// slant.
func FontWishes(m *Movie) []FontWish {
	c := wishes{}
	for e := range m.All() {
		switch e.Ref.Type {
		case TypeText:
			c.addSettings(anySettings(e.Settings))
		case TypeHTML:
			c.addSettings(anySettings(e.Settings))
			if e.Page != nil {
				c.addPage(e.Page.HTML)
			}
		case TypeComponent:
			c.addSettings(e.Component.Settings)
		}
	}
	if s := m.Subtitles; s != nil {
		c.addSettings(s.Settings)
	}
	all := slices.SortedFunc(maps.Keys(c), func(a, b FontWish) int {
		return cmpWishes(a, b)
	})
	return all[:min(len(all), maxWishes)]
}

func cmpWishes(a, b FontWish) int {
	if d := strings.Compare(a.Family, b.Family); d != 0 {
		return d
	}
	if a.Italic != b.Italic {
		if b.Italic {
			return -1
		}
		return 1
	}
	return a.Weight - b.Weight
}

func anySettings(settings map[string]string) map[string]any {
	all := make(map[string]any, len(settings))
	for name, value := range settings {
		all[name] = value
	}
	return all
}

// wishes is a set of fonts.
type wishes map[FontWish]bool

// genericFamilies are generic family names of CSS.
var genericFamilies = map[string]bool{
	"serif": true, "sans-serif": true, "monospace": true, "cursive": true, "fantasy": true, "system-ui": true, "inherit": true,
	"initial": true,
	"unset":   true, "revert": true, "math": true, "emoji": true, "ui-serif": true, "ui-sans-serif": true, "ui-monospace": true,
	"ui-rounded": true,
}

func (c wishes) add(list string, weight int, italic bool) {
	for _, family := range css.Families(list) {
		if len(family) > maxWishedBytes || strings.ContainsAny(family, "/:{}()\"'<>;=&?#") || genericFamilies[strings.ToLower(family)] {
			continue
		}
		c[FontWish{family, css.Normal, false}] = true
		c[FontWish{family, weight, italic}] = true
	}
}

// addSettings adds the families in settings, at any depth, with the weight and slant that are given beside each family.
func (c wishes) addSettings(settings any) {
	switch v := settings.(type) {
	case []any:
		for _, item := range v {
			c.addSettings(item)
		}
	case map[string]any:
		look := map[string]string{}
		for _, key := range css.Spellings(v) {
			item := v[key]
			text, isText := item.(string)
			if !isText {
				c.addSettings(item)
				continue
			}
			look[settingName(key)] = text
		}
		if parts, ok := css.ExpandFont(look["font"]); ok {
			for _, p := range parts {
				if look[p.Name] == "" {
					look[p.Name] = p.Value
				}
			}
		}
		c.addLook(look, v)
	}
}

func (c wishes) addLook(look map[string]string, settings map[string]any) {
	if AddressOf(look["font-url"]) != "" {
		return // the settings name a font file, so no family has to be fetched
	}
	weight, ok := css.Weight(look["font-weight"])
	if !ok {
		weight = css.Normal
	}
	// The map look holds only texts. A weight that the settings give as a number is therefore read from settings here.
	for _, key := range css.Spellings(settings) {
		if number, isNumber := css.Weight(fmt.Sprint(settings[key])); isNumber && settingName(key) == "font-weight" {
			weight = number
		}
	}
	italic, _ := css.Italic(look["font-style"])
	c.add(look["font-family"], weight/100*100, italic)
}

// inPage matches the font declarations in a page's styles, up to the end of the declaration.
var inPage = regexp.MustCompile(`(?i)font(-family)?\s*:\s*([^;{}<>]+)`)

// longestList is the number of bytes after which a list of families in a page is cut off.
const longestList = 300

// addPage adds the families of a page in regular and bold, and in italic if the page uses italics.
func (c wishes) addPage(html string) {
	italic := strings.Contains(strings.ToLower(html), "italic") || strings.Contains(html, "<em>") || strings.Contains(html, "<i>")
	for _, found := range inPage.FindAllStringSubmatch(html, maxWishes) {
		list := strings.ToValidUTF8(found[2][:min(len(found[2]), longestList)], "")
		if found[1] == "" {
			parts, ok := css.ExpandFont(list)
			if !ok {
				continue
			}
			list = parts[len(parts)-1].Value
		}
		// In a style attribute the quotation mark of the attribute may end the declaration.
		if strings.Count(list, `"`)%2 == 1 {
			list = list[:strings.LastIndex(list, `"`)]
		}
		if strings.Count(list, `'`)%2 == 1 {
			list = list[:strings.LastIndex(list, `'`)]
		}
		c.add(list, 700, false)
		if italic {
			c.add(list, css.Normal, true)
		}
	}
}
