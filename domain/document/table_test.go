package document_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"moviola/domain/css"
	"moviola/domain/document"
)

// TestTable: every row says what it does in a sentence, shows an example of its own type, and refers to what there is.
func TestTable(t *testing.T) {
	t.Parallel()
	kinds := document.Kinds()
	for _, kind := range kinds {
		names := map[string]bool{}
		for _, p := range document.Lookup(kind) {
			where := kind + " " + p.Name
			for _, name := range append([]string{p.Name}, p.Aliases...) {
				if names[name] {
					t.Errorf("%s: two rows are called %s", where, name)
				}
				names[name] = true
			}
			if !strings.HasSuffix(p.Doc, ".") || strings.ContainsAny(p.Doc+p.Example+p.Default, "\n\t") {
				t.Errorf("%s: %q is no sentence, or %q no line", where, p.Doc, p.Example)
			}
			if problem := unlike(p, p.Example); problem != "" {
				t.Errorf("%s: the example %s", where, problem)
			}
			if problem := unlike(p, p.Default); p.Default != "" && problem != "" {
				t.Errorf("%s: the default %s", where, problem)
			}
			if p.Min != nil && p.Max != nil && *p.Min >= *p.Max || p.Type == document.ChoiceType && len(p.Values) == 0 {
				t.Errorf("%s: there is nothing to choose from", where)
			}
			if p.Kind != "" && !slices.Contains(kinds, p.Kind) {
				t.Errorf("%s: there is no kind %s", where, p.Kind)
			}
			if p.Picture == "" {
				continue
			}
			if _, err := os.Stat("../../docs/gallery/" + p.Picture + ".jpg"); err != nil {
				t.Errorf("%s: %v", where, err)
			}
		}
	}
}

// unlike says why a value, as JSON, is none of a property; empty: it is one.
func unlike(p document.Property, raw string) string {
	var value any
	if err := json.Unmarshal([]byte(raw), &value); err != nil {
		return strconv.Quote(raw) + " is no JSON"
	}
	for _, form := range []document.PropertyType{p.Type, p.Or} {
		if is(p, form, value) {
			return ""
		}
	}
	return raw + " is no " + string(p.Type)
}

func is(p document.Property, form document.PropertyType, value any) bool {
	text, isText := value.(string)
	number, isNumber := value.(float64)
	switch form {
	case document.TextType, document.CSSType, document.AddressType:
		return isText || form == document.CSSType && isNumber
	case document.ColorType:
		_, ok := css.ParseColor(text)
		return ok
	case document.ChoiceType:
		return slices.Contains(p.Values, text)
	case document.BooleanType:
		_, ok := value.(bool)
		return ok
	case document.NumberType, document.IntegerType, document.DurationType:
		if isText {
			n, err := strconv.ParseFloat(text, 64)
			return slices.Contains(p.Values, text) || err == nil && within(p, n)
		}
		return isNumber && within(p, number) && (form != document.IntegerType || number == float64(int64(number)))
	case document.LengthType:
		return isNumber || isText && text != ""
	case document.ListType:
		_, ok := value.([]any)
		return ok
	case document.ObjectType:
		_, ok := value.(map[string]any)
		return ok
	case document.DataType:
		return true
	}
	return false
}

func within(p document.Property, n float64) bool {
	return (p.Min == nil || n >= *p.Min) && (p.Max == nil || n <= *p.Max)
}

// TestTable_Read: every name that a reader asks for by a literal is in the table; what is not is never read.
func TestTable_Read(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, kind := range document.Kinds() {
		for _, p := range document.Lookup(kind) {
			known[p.Name] = true
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	asks := strings.Fields("get text word flag number within seconds integer reference color object data warnIdle row")
	found := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !slices.Contains(asks, method.Sel.Name) {
				return true
			}
			for _, argument := range call.Args {
				literal, ok := argument.(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING {
					continue
				}
				property, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				if found++; !known[property] {
					t.Errorf("%s: %s is not in the table of properties", set.Position(node.Pos()), property)
				}
			}
			return true
		})
	}
	if found < 80 {
		t.Errorf("%d names were found", found)
	}
}

// TestNearest: what was most likely meant.
func TestNearest(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		kind, written, want string
		settings            bool
	}{
		{"element:image", "positon", "position", false},
		{"element:image", "Z_Index", "z-index", false},
		{"element:image", "zindex", "z-index", false},
		{"element:image", "fadeIn", "fade-in", false},
		{"element:image", "scr", "src", false},
		{"element:text", "font_size", "font-size", true},
		{"element:text", "fontsize", "font-size", true},
		{"element:video", "voulme", "volume", false},
		{"movie", "resolutoin", "resolution", false},
		{"scene", "backgroundColor", "background-color", false},
		{"settings:subtitles", "max-word-per-line", "max-words-per-line", true},
		{"component:basic/060/headline", "text", "", false},
		{"component:basic/050/headline", "colour", "color", true},
		{"movie", "x", "", false},
		{"movie", "something-else-entirely", "", false},
	} {
		got, ok := document.Nearest(row.kind, row.written)
		if got.Name != row.want || ok != (row.want != "") || got.Settings != row.settings {
			t.Errorf("%s %s: %q, %v, settings %v", row.kind, row.written, got.Name, ok, got.Settings)
		}
	}
	if word, ok := document.NearestWord([]string{"boxed-line", "boxed-word"}, "boxed_wrod"); !ok || word != "boxed-word" {
		t.Errorf("%q, %v", word, ok)
	}
}

// TestFind: Find accepts the same spellings of a name as reader.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		kind, written, want string
	}{
		{"movie", "client_data", "client-data"},
		{"movie", "templateId", "template"},
		{"movie", "Cache", ""},
		{document.ElementKind("HTML"), "tailwind", "tailwindcss"},
		{document.ElementKind("hologram"), "start", "start"},
		{document.SettingsKind("text"), "Font_Color", "color"},
		{document.ComponentKind("shape/rectangle", "rectangle12"), "borderRadius", "border-radius"},
		{document.ComponentKind("advanced/060", "counter"), "decimals", "decimals"},
		{document.ComponentKind("advanced/060", "headline"), "text", ""},
	} {
		got, ok := document.Find(row.kind, row.written)
		if got.Name != row.want || ok != (row.want != "") {
			t.Errorf("%s %s: %q, %v", row.kind, row.written, got.Name, ok)
		}
	}
	if len(document.Components()) < 24 || !slices.Contains(document.ComponentGroups("basic/050"),
		"lead") || document.ComponentGroups("basic/999") != nil {
		t.Errorf("components %v", document.Components())
	}
}
