package lint_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"moviola/domain/document"
	"moviola/domain/expr"
	"moviola/domain/jsontext"
	"moviola/domain/lint"
	"moviola/domain/template/library"
)

// site is a property that the table knows, outside of what is free.
type site struct {
	pointer  string
	kind     string
	property document.Property
	value    any
}

// movies are those that are broken: the library's and the gallery's, or those in the folder that MOVIOLA_EXAMPLES names.
func movies(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	folder := os.Getenv("MOVIOLA_EXAMPLES")
	if folder == "" {
		templates, err := library.All()
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range templates {
			all[one.Slug] = one.Movie
		}
		folder = "../../docs/gallery"
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no movies in %s: %v", folder, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = raw
	}
	return all
}

// One mistake at a time in movies that have none: all but a few are found, and where they are. A mistake that does not change what the movie
// means is none, by the rules of meaningless.
func TestMutations(t *testing.T) {
	t.Parallel()
	seed := uint64(1711)
	if given, err := strconv.ParseUint(os.Getenv("MOVIOLA_SEED"), 10, 64); err == nil {
		seed = given
	}
	each := 200
	if os.Getenv("MOVIOLA_EXAMPLES") == "" {
		each = 40
	}
	t.Logf("MOVIOLA_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	tries, found := map[string]int{}, map[string]int{}
	texts := movies(t)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		raw := indented(t, texts[name])
		whole := lint.Check(lint.Read(raw))
		for _, p := range whole.Errors() {
			if p.Message != "The movie only refers to a template or another movie, which was not filled in" {
				t.Errorf("%s is not broken, and has the error %+v", name, p)
			}
		}
		tree, err := document.Tree(raw)
		if err != nil {
			t.Fatal(err)
		}
		sites := sitesOf(document.MovieKind, "", tree)
		for range each {
			kind := []string{"key", "type", "range", "bracket"}[random.IntN(4)]
			ok, mutant, where := mutate(random, kind, raw, sites)
			if !ok {
				continue
			}
			tries[kind]++
			if missed := judge(kind, mutant, where); missed == "" {
				found[kind]++
			} else if testing.Verbose() || kind == "bracket" {
				t.Logf("%s: %s at %v: %s", name, kind, where, missed)
			}
		}
	}
	total, right := 0, 0
	for _, kind := range []string{"key", "type", "range"} {
		t.Logf("%s: %d of %d", kind, found[kind], tries[kind])
		total, right = total+tries[kind], right+found[kind]
	}
	t.Logf("bracket: %d of %d", found["bracket"], tries["bracket"])
	if total < 100 || right*100 < total*95 || found["bracket"] < tries["bracket"] || tries["bracket"] < 30 {
		t.Errorf("MOVIOLA_SEED=%d: %d of %d mistakes were found where they are, %d of %d missing brackets", seed, right, total, found["bracket"], tries["bracket"])
	}
}

func indented(t *testing.T, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, lint.Plain(raw), "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sitesOf are the properties that the table knows in an object, and in what is inside of it.
func sitesOf(kind, pointer string, object map[string]any) []site {
	var all []site
	for _, name := range slices.Sorted(maps.Keys(object)) { // in the same order for the same seed
		value := object[name]
		p, ok := document.Find(kind, name)
		if !ok || p.Type == document.DataType || p.Idle || value == nil {
			continue
		}
		at := jsontext.Pointer(pointer, name)
		all = append(all, site{at, kind, p, value})
		switch v := value.(type) {
		case map[string]any:
			if p.Kind == document.SettingsKind(document.TypeComponent) {
				id, _ := object["component"].(string)
				for group, inner := range v {
					if settings, ok := inner.(map[string]any); ok {
						all = append(all, sitesOf(document.ComponentKind(id, group), jsontext.Pointer(at, group), settings)...)
					}
				}
			} else {
				all = append(all, sitesOf(p.Kind, at, v)...)
			}
		case []any:
			for i, item := range v {
				if inner, ok := item.(map[string]any); ok {
					of := p.Kind
					if of == "element" {
						word, _ := inner["type"].(string)
						of = document.ElementKind(word)
					}
					all = append(all, sitesOf(of, jsontext.Pointer(at, strconv.Itoa(i)), inner)...)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b site) int { return strings.Compare(a.pointer, b.pointer) })
	return all
}

// target is where a mutation must be found.
type target struct {
	pointer string
	line    int // of a bracket
	exact   bool
}

// mutate makes one mistake of a kind. False: there is none to make here, or it would mean nothing.
func mutate(random *rand.Rand, kind string, raw []byte, sites []site) (bool, []byte, target) {
	if kind == "bracket" {
		return withoutBracket(random, raw)
	}
	s := sites[random.IntN(len(sites))]
	text, isText := s.value.(string)
	if isText && expr.Has(text) {
		return false, nil, target{} // what it is depends on what is computed
	}
	place := jsontext.Locate(raw, []string{s.pointer})[s.pointer]
	switch kind {
	case "key":
		tokens := jsontext.Tokens(s.pointer)
		name := tokens[len(tokens)-1]
		typo := misspelled(random, name)
		if _, known := document.Find(s.kind, typo); known || document.OpenKind(s.kind) || strings.HasPrefix(typo, "_") {
			return false, nil, target{} // another property, or any name is taken
		}
		pointer := strings.TrimSuffix(s.pointer, jsontext.Pointer("", name)) + jsontext.Pointer("", typo)
		quoted, _ := json.Marshal(typo)
		end := place.Key + len(strconv.Quote(name))
		return true, slices.Concat(raw[:place.Key], quoted, raw[end:]), target{pointer: pointer}
	case "type":
		wrong := wrongType(random, s)
		if wrong == "" {
			return false, nil, target{}
		}
		return true, replaced(raw, place.Value, wrong), target{pointer: s.pointer}
	}
	p := s.property
	if p.Min == nil && p.Max == nil || p.Type == document.LengthType && !numeric(s.value) {
		return false, nil, target{}
	}
	n := 0.0
	if p.Max != nil && (p.Min == nil || random.IntN(2) == 0) {
		n = *p.Max*2 + 1
	} else {
		n = *p.Min - 1.5 - float64(random.IntN(100))
	}
	return true, replaced(raw, place.Value, strconv.FormatFloat(n, 'f', -1, 64)), target{pointer: s.pointer}
}

func numeric(value any) bool { _, ok := value.(json.Number); return ok }

// replaced puts another value in the place of the one at an offset.
func replaced(raw []byte, at int, value string) []byte {
	dec := json.NewDecoder(bytes.NewReader(raw[at:]))
	var old json.RawMessage
	if err := dec.Decode(&old); err != nil {
		panic(err)
	}
	return slices.Concat(raw[:at], []byte(value), raw[at+len(old):])
}

// misspelled changes one letter, leaves one out, doubles or swaps.
func misspelled(random *rand.Rand, name string) string {
	i := random.IntN(len(name))
	switch random.IntN(4) {
	case 0:
		return name[:i] + string(rune('a'+random.IntN(26))) + name[i+1:]
	case 1:
		return name[:i] + name[i+1:]
	case 2:
		return name[:i] + name[i:i+1] + name[i:]
	}
	if i+1 < len(name) {
		return name[:i] + name[i+1:i+2] + name[i:i+1] + name[i+2:]
	}
	return name + "x"
}

// wrongType is a value that decision 23 cannot take for one of a property's; empty: it takes any.
func wrongType(random *rand.Rand, s site) string {
	pick := func(values ...string) string { return values[random.IntN(len(values))] }
	switch s.property.Type {
	case document.NumberType, document.IntegerType, document.DurationType, document.LengthType:
		return pick(`"much"`, `{"a": 1}`, `[1]`)
	case document.BooleanType:
		return pick(`"perhaps"`, `{"a": 1}`, `[true]`)
	case document.ColorType:
		return pick(`"#12"`, `"no such colour"`, `{"a": 1}`)
	case document.ObjectType:
		if s.property.Or != "" {
			return `[1]`
		}
		return pick(`"text"`, `[1]`, `12`)
	case document.ListType:
		if s.property.Or != "" {
			return `{"a": 1}`
		}
		return pick(`"text"`, `12`)
	case document.TextType, document.AddressType, document.ChoiceType, document.CSSType:
		return pick(`{"a": 1}`, `["x", {}]`)
	}
	return ""
}

// withoutBracket leaves one bracket out.
func withoutBracket(random *rand.Rand, raw []byte) (bool, []byte, target) {
	var brackets []int
	quoted := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && strings.IndexByte("{}[]", c) >= 0:
			brackets = append(brackets, i)
		}
	}
	at := brackets[random.IntN(len(brackets))]
	mutant := slices.Concat(raw[:at], raw[at+1:])
	if json.Valid(mutant) {
		return false, nil, target{}
	}
	// The grammar allows to tell where it was when the next thing in the text is not possible any more. Another reader decides that.
	var syntax *json.SyntaxError
	if err := json.Unmarshal(mutant, new(any)); !errors.As(err, &syntax) {
		return false, nil, target{}
	}
	next := at
	for next < len(mutant) && strings.IndexByte(" \n\t", mutant[next]) >= 0 {
		next++
	}
	line := bytes.Count(raw[:at], []byte("\n")) + 1
	return true, mutant, target{line: line, exact: int(syntax.Offset) <= next+1}
}

// judge says why a mutation was not found; empty: it was.
func judge(kind string, mutant []byte, where target) string {
	report := lint.Check(lint.Read(mutant))
	if kind == "bracket" {
		if len(report.Problems) != 1 || report.Problems[0].Code != lint.SyntaxError {
			return fmt.Sprintf("%+v", report.Problems)
		}
		if off := report.Problems[0].Line - where.line; where.exact && (off > 1 || off < -1) {
			return fmt.Sprintf("%d lines off: %+v", off, report.Problems[0])
		}
		return ""
	}
	for _, p := range report.Problems {
		if p.Pointer == where.pointer {
			return ""
		}
	}
	var pointers []string
	for _, p := range report.Problems {
		pointers = append(pointers, p.Pointer+" "+p.Code)
	}
	return fmt.Sprintf("%q", pointers)
}
