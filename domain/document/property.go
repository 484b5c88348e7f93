package document

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Property is a property of an object of the movie JSON: the row of the table that describes it.
type Property struct {
	Name    string
	Aliases []string // other accepted names; - and _ are interchangeable in all names
	Type    PropertyType
	Or      PropertyType // a second accepted type, such as an angle alone for rotate; empty: none
	Unit    string       // unit of a number: "s", "px", "%"; empty: no unit
	Min     *float64     // minimum of a number; nil: no minimum
	Max     *float64
	Values  []string // of a Choice: all its words; of any other type: words that are accepted too
	Default string   // default value, as JSON; empty: no default
	Doc     string   // effect of the property, in one sentence
	Example string   // example value, as JSON
	Kind    string   // kind of an Object, or of the items of a List; empty for items that are scalars
	// Settings reports whether the property belongs into the settings of an element. Decision 53.
	Settings bool
	Required bool
	// Idle reports whether the property is accepted but has no effect.
	Idle bool
	// Picture is the name of a movie in docs/gallery that shows the effect; empty: none. The fields Picture,
	// Measured and Ours are used in the reference only.
	Picture string
	// Measured names the test that measures the property's effect, as the folder of the test's package and the name of the
	// test. Empty: no test does.
	Measured string
	// Ours tells which value is our own choice because no public documentation gives it; empty: every value is documented.
	Ours string
}

// PropertyType is the form of a property's values. Most properties also accept an expression, "{{ … }}".
type PropertyType string

// The types of properties. Numbers and booleans may be written as texts (decision 23).
const (
	TextType     PropertyType = "text"
	NumberType   PropertyType = "number"
	IntegerType  PropertyType = "integer"
	BooleanType  PropertyType = "boolean"
	ColorType    PropertyType = "color"    // colour in the notation of CSS: #rgb, #rrggbbaa, rgb(), a name
	AddressType  PropertyType = "address"  // address of a file: http or https
	ChoiceType   PropertyType = "choice"   // one of Property.Values, in upper or lower case
	DurationType PropertyType = "duration" // seconds, -1 ("auto") or -2 ("container")
	LengthType   PropertyType = "length"   // pixels, or a number with a unit of CSS
	CSSType      PropertyType = "css"      // text in the notation of CSS
	ObjectType   PropertyType = "object"   // a JSON object; Property.Kind tells its kind
	ListType     PropertyType = "list"     // a list of objects if Property.Kind is set, otherwise of texts
	DataType     PropertyType = "data"     // any JSON of the client, which is passed through
)

// The kinds of objects. ElementKind, SettingsKind and ComponentKind make further kinds.
const (
	MovieKind       = "movie"
	SceneKind       = "scene"
	ExportKind      = "export"
	DestinationKind = "destination"
	PreloadKind     = "preload"
)

// ElementKind returns the kind of an element of a type; for an unknown type, the kind with the common properties of all
// elements.
func ElementKind(elementType string) string {
	kind := "element:" + strings.ToLower(strings.TrimSpace(elementType))
	if _, ok := table()[kind]; ok {
		return kind
	}
	return "element"
}

// SettingsKind returns the kind of the settings of elements of a type: text, html or subtitles. The settings of a
// component are described by its groups.
func SettingsKind(elementType string) string { return "settings:" + elementType }

// ComponentKind returns the kind of one group of a component's settings. The number at the end of a repeatable
// group's name, as in rectangle1, is ignored. The kind has no properties when the component or the group does not exist.
func ComponentKind(id, group string) string {
	return "component:" + strings.ToLower(id) + "/" + strings.TrimRight(dashedName(group), "0123456789")
}

// Components returns the ids of all components in the table, sorted.
func Components() []string { return slices.Sorted(maps.Keys(componentGroups())) }

// ComponentGroups returns the names of a component's groups of settings, in the order of the documentation. Groups that may
// be repeated, such as rectangle1 and rectangle2, appear once without their number: rectangle. nil: the component does not
// exist.
func ComponentGroups(id string) []string { return componentGroups()[strings.ToLower(id)] }

// Kinds returns all kinds of objects, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(table())) }

// Lookup returns the properties of a kind, in the order of the documentation; nil when the kind does not exist. The caller
// must not change them.
func Lookup(kind string) []Property { return propertiesOf(kind).all }

// Find returns the property named written, or with an alias of that spelling, of the objects of a kind. It returns false when the
// kind has no such property.
func Find(kind, written string) (Property, bool) {
	p := propertiesOf(kind).find(kind, written)
	if p == nil {
		return Property{}, false
	}
	return *p, true
}

// Nearest returns the property that an unknown name most likely means: the one whose name differs in the fewest letters, at
// most a third of them (at least one); capitals, dashes and underscores do not matter. It returns false when there is none.
// For an element, the property may be one of the element's settings; its field Settings is then true.
func Nearest(kind, written string) (Property, bool) {
	all := Lookup(kind)
	if elementType, ok := strings.CutPrefix(kind, "element:"); ok {
		all = slices.Concat(all, Lookup(SettingsKind(elementType)))
	}
	var found Property
	name := dashedName(written)
	least := max(1, len(name)/3) + 1
	for _, p := range all {
		for _, known := range append([]string{p.Name}, p.Aliases...) {
			if n := distance(name, known, least); n < least {
				found, least = p, n
			}
		}
	}
	return found, found.Name != ""
}

// NearestWord returns the one of the given words that is most similar to `written`, a word from a document. It returns false
// when none is similar.
func NearestWord(words []string, written string) (string, bool) {
	found, name := "", dashedName(written)
	least := max(1, len(name)/3) + 1
	for _, word := range words {
		if n := distance(name, word, least); n < least {
			found, least = word, n
		}
	}
	return found, found != ""
}

// propertySet holds the properties of one kind.
type propertySet struct {
	all    []Property
	byName map[string]*entry
}

// entry is a property in the form that reader uses: with all spellings and with its default as a number.
type entry struct {
	Property
	spellings []string // accepted names; the value is that of the first name that the object has
	usual     float64  // the default, if it is a number; otherwise 0
}

func newProperties(all []Property) propertySet {
	set := propertySet{all: all, byName: make(map[string]*entry, 2*len(all))}
	for _, p := range all {
		one := &entry{Property: p}
		one.usual, _ = strconv.ParseFloat(p.Default, 64) // a default that is not a number becomes 0
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			one.spellings = append(one.spellings, name)
			if underlined := strings.ReplaceAll(name, "-", "_"); underlined != name {
				one.spellings = append(one.spellings, underlined)
			}
		}
		for _, name := range one.spellings {
			set.byName[name] = one
		}
	}
	return set
}

// find finds a property by its name as reader does: settings are found in upper or lower case, and settings of components
// also in the form fontSize.
func (p propertySet) find(kind, written string) *Property {
	one := p.byName[written]
	switch {
	case one != nil:
	case strings.HasPrefix(kind, "component:"), kind == "animate":
		one = p.byName[dashedName(written)]
	case strings.HasPrefix(kind, "settings:"):
		one = p.byName[settingName(written)]
	}
	if one == nil {
		return nil
	}
	return &one.Property
}

// dashedName returns a name in lower case with dashes: fontSize and font_size become font-size.
func dashedName(name string) string {
	var b strings.Builder
	for i, r := range strings.TrimSpace(name) {
		switch {
		case r >= 'A' && r <= 'Z':
			if i > 0 {
				b.WriteByte('-')
			}
			r += 'a' - 'A'
		case r == '_':
			r = '-'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// distance returns the number of letters to insert, delete, change or swap with the next one to turn one word into the
// other. It returns most, without counting, for words whose lengths differ by most or more, and when a has more than 64
// bytes.
func distance(a, b string, most int) int {
	if n := len(a) - len(b); n >= most || -n >= most || len(a) > 64 {
		return most
	}
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[0], rows[1], rows[2]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		rows[0], rows[1], rows[2] = last, row, before
	}
	return rows[1][len(b)]
}
