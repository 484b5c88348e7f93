package text

import (
	"slices"
	"strings"

	"github.com/go-text/typesetting/font"
)

// class is a class of typefaces. A family that is not available is replaced by a similar one of its class. Decision 66.
type class string

const (
	sans      class = "sans"
	serif     class = "serif"
	mono      class = "mono"
	script    class = "script" // typefaces like handwriting
	slab      class = "slab"   // typefaces with thick serifs
	condensed class = "condensed"
	title     class = "title" // typefaces with narrow, heavy letters
	heavy     class = "heavy" // typefaces with wide, heavy letters
)

// standIns are the families that replace others of their class, the best first. Each class has one that is shipped with the
// program.
var standIns = map[class][]string{
	sans:      {"inter", "roboto", "opensans", "notosans", "dejavusans"},
	serif:     {"notoserif", "lora", "merriweather", "dejavuserif"},
	mono:      {"robotomono", "notosansmono", "dejavusansmono"},
	script:    {"dancingscript", "pacifico"},
	slab:      {"robotoslab"},
	condensed: {"robotocondensed", "barlowcondensed", "opensanscondensed"},
	title:     {"robotocondensed", "opensanscondensed", "oswald"},
	heavy:     {"archivoblack"},
}

// classWords are the words in names of font families that tell a family's class, such as serif or mono. The first entry
// with a word in the name decides.
var classWords = []struct {
	class class
	words []string
}{
	{mono, []string{"mono", "code", "courier", "consol", "typewriter", "terminal"}},
	{slab, []string{"slab"}},
	{script, []string{"script", "brush", "handwrit", "calligra"}},
	{condensed, []string{"condensed", "narrow", "compressed"}},
	{sans, []string{"sans", "grotesk", "grotesque"}},
	{serif, []string{"serif", "roman", "antiqua", "caslon", "garamond", "baskerv", "bodoni", "didot"}},
}

// classNames are well-known families whose names do not tell their class. Each is given by the beginning of its name.
var classNames = map[class]string{
	serif: `abril alegreya amiri bellefair caudex cambria cardo charis cinzel cormorant crimson domine eczar forum fraunces gelasio
		georgia gilda gentium instrumentserif italiana judson junicode libertin literata lora lustria marcellus merriweather neuton
		newsreader oldstandard palatino playfair prata quattrocento rozha sortsmill spectral times tinos trirong unna vollkorn volkhov
		yeseva sourceserif ptserif ibmplexserif`,
	mono: `anonymouspro cousine inconsolata menlo monaco nanumgothiccoding pressstart vt323 hack cutive`,
	script: `alexbrush allura amatic architectsdaughter badscript caveat comfortcursive comicneue comicsans cookie courgette
		coveredbyyourgrace damion dancing gloriahallelujah gochihand greatvibes handlee homemadeapple indieflower italianno kalam
		kaushan leckerli lobster mali marck mrdafoe niconne norican nothingyoucoulddo pacifico parisienne patrickhand permanentmarker
		pinyon playwrite reeniebeanie rocksalt sacramento satisfy shadowsintolight sriracha tangerine yellowtail zeyada`,
	slab: `aleo alfaslab arvo bevan bitter coustard creteround glegoo holtwood kreon museoslab patuaone podkova rockwell rokkitt
		sanchez trocchi zilla`,
	condensed: `antonio bigshoulders economica fjalla khand pathwayextreme rajdhani saira sixcaps staatliches voltaire yanone`,
	heavy: `archivoblack blackops bowlby bungee chango fredokaone lilita luckiest paytone ` +
		`rubikmonoone rubikone russo sigmar titanone`,
}

var namedClasses = func() map[string]class {
	named := map[string]class{}
	for c, names := range classNames {
		for _, name := range strings.Fields(names) {
			named[name] = c
		}
	}
	for _, d := range displayNames {
		named[d.prefix] = title
	}
	return named
}()

// classOf returns the class of a family by its normalised name. classNames are tried before classWords, the longest name first.
func classOf(family string) class {
	best, is := "", sans
	for name, c := range namedClasses {
		if strings.HasPrefix(family, name) && len(name) > len(best) {
			best, is = name, c
		}
	}
	if best != "" {
		return is
	}
	for _, c := range classWords {
		if slices.ContainsFunc(c.words, func(word string) bool { return strings.Contains(family, word) }) {
			return c.class
		}
	}
	return sans
}

// closest returns the families that resemble a missing one, the best first: one of the same class whose name begins the missing
// one ("Roboto Flex"), then the stand-ins of its class.
func (l *fontCollection) closest(family string) []string {
	family = font.NormalizeFamily(family)
	kind, best := classOf(family), ""
	for name := range l.families {
		if len(name) >= 4 && strings.HasPrefix(family, name) && len(name) > len(best) && classOf(name) == kind {
			best = name
		}
	}
	if best != "" {
		return []string{best}
	}
	if found := l.present(standIns[kind]); len(found) > 0 {
		return found
	}
	if found := l.present(standIns[sans]); len(found) > 0 {
		return found
	}
	return l.ranked[:1]
}

// present returns those of the given families that are available.
func (l *fontCollection) present(families []string) (found []string) {
	for _, family := range families {
		if l.families[family] != nil {
			found = append(found, family)
		}
	}
	return found
}
