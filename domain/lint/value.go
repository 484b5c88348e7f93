package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"moviola/domain/css"
	"moviola/domain/document"
)

// value checks the value of a property. Expressions are skipped: their results are not known yet.
func (r ruler) value(at path, p document.Property, value any) {
	if value == nil || computed(value) {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		if nests(p) {
			r.object(p.Kind, at, v)
			return
		}
	case []any:
		if p.Type == document.ListType {
			r.items(at, p, v)
			return
		}
	default:
		if _, read := document.Scalar(v); !read {
			return // the value is the client's own data and is not checked
		}
		if blank(v) && (p.Type == document.ObjectType || p.Type == document.ListType) {
			return
		}
	}
	problem := r.judge(p, p.Type, value)
	if problem != nil && p.Or != "" {
		problem = r.judge(p, p.Or, value)
	}
	if problem != nil {
		r.add(at, *problem)
	}
}

// nests reports whether a value of the property may be an object whose properties are checked. This includes exports, where an
// object may stand in place of a list with one object.
func nests(p document.Property) bool {
	return p.Type == document.ObjectType || p.Or == document.ObjectType || p.Kind == document.ExportKind
}

// blank reports whether a value is an empty text, 0, false or none: it then says that the property is not used.
func blank(value any) bool {
	text, _ := document.Scalar(value)
	return slices.Contains([]string{"", "0", "false", "none"}, strings.TrimSpace(text))
}

func (r ruler) items(at path, p document.Property, items []any) {
	if p.Kind != "" {
		r.list(at, p, items, func(pointer path, item map[string]any) { r.object(p.Kind, pointer, item) })
		return
	}
	for i, item := range items {
		if _, ok := document.Scalar(item); !ok && item != nil {
			r.add(append(at, strconv.Itoa(i)), Problem{Code: document.ValueType,
				Message: "It must be a text, not " + shown(item), Remedy: "Write a text"})
		}
	}
}

// judge checks a value against a type, and returns the problem; nil: the value is valid.
func (r ruler) judge(p document.Property, as document.PropertyType, value any) *Problem {
	switch as {
	case document.ObjectType:
		return wrong(p, value, "an object", "Write {…}")
	case document.ListType:
		return wrong(p, value, "a list", "Write […]")
	}
	text, isScalar := document.Scalar(value)
	text = strings.TrimSpace(text)
	switch {
	case !isScalar:
		return wrong(p, value, nameOf[as], example(p))
	case text == "" || slices.Contains(p.Values, strings.ToLower(text)):
		return nil
	}
	switch as {
	case document.NumberType, document.IntegerType:
		return number(p, as, text, value)
	case document.BooleanType:
		return boolean(p, text, value)
	case document.ColorType:
		return color(p, text, value)
	case document.ChoiceType:
		return choice(p, text)
	case document.DurationType:
		return duration(p, text, value)
	case document.LengthType:
		return length(p, text, value)
	case document.AddressType:
		return r.reachable(p.Name, document.BareAddress(text))
	}
	return nil
}

func number(p document.Property, as document.PropertyType, text string, value any) *Problem {
	n, ok := document.ParseNumber(strings.TrimSuffix(text, percent(p)))
	if !ok {
		return wrong(p, value, words(p, nameOf[as]), example(p))
	}
	if percent(p) != "" && strings.HasSuffix(text, "%") {
		n /= 100
	}
	return within(p, n)
}

func boolean(p document.Property, text string, value any) *Problem {
	if slices.Contains([]string{"true", "false", "1", "0"}, strings.ToLower(text)) {
		return nil
	}
	return wrong(p, value, "true or false", "Write true or false")
}

func color(p document.Property, text string, value any) *Problem {
	if _, ok := css.ParseColor(text); ok || p.Settings && strings.EqualFold(text, "none") {
		return nil
	}
	return wrong(p, value, "a colour", "Write #rrggbb, rgba(…) or the name of a colour of CSS")
}

func length(p document.Property, text string, value any) *Problem {
	if !isLength(text) {
		return wrong(p, value, words(p, "a length"), "Write pixels, or a number with a unit such as px, vw, em or %")
	}
	if n, ok := document.ParseNumber(text); ok {
		return within(p, n)
	}
	return nil
}

// wrong returns the problem of a value. must describes valid values.
func wrong(p document.Property, value any, must, remedy string) *Problem {
	return &Problem{Code: document.ValueType, Remedy: remedy,
		Message: fmt.Sprintf("The property '%s' must be %s, not %s", p.Name, must, shown(value))}
}

// example returns a remedy that quotes the property's example.
func example(p document.Property) string { return "Write " + p.Example + ", for example" }

// nameOf maps types to the words for their values.
var nameOf = map[document.PropertyType]string{
	document.TextType: "a text", document.NumberType: "a number", document.IntegerType: "a whole number",
	document.BooleanType: "true or false",
	document.ColorType:   "a colour", document.AddressType: "an address", document.ChoiceType: "a text",
	document.DurationType: "a number of seconds",
	document.LengthType:   "a length", document.CSSType: "a text",
}

// words adds, to a description of valid values, the words that the property accepts too.
func words(p document.Property, what string) string {
	for _, word := range p.Values {
		what += ", \"" + word + "\""
	}
	return what
}

// percent returns "%" for a number that may be a percentage: the setting opacity, which is written as in CSS.
func percent(p document.Property) string {
	if p.Name == "opacity" && p.Settings {
		return "%"
	}
	return ""
}

func within(p document.Property, n float64) *Problem {
	small, large := p.Min != nil && n < *p.Min, p.Max != nil && n > *p.Max
	if !small && !large {
		return nil
	}
	bounds := ""
	switch {
	case p.Min != nil && p.Max != nil:
		bounds = fmt.Sprintf("between %v and %v", *p.Min, *p.Max)
	case p.Min != nil:
		bounds = fmt.Sprintf("%v or more", *p.Min)
	default:
		bounds = fmt.Sprintf("%v or less", *p.Max)
	}
	return &Problem{Code: document.ValueRange, Message: fmt.Sprintf("The property '%s' must be %s, not %v", p.Name, bounds, n),
		Remedy: "Write a number " + bounds}
}

// choice checks a word. A number stands for the word with the same numeric value: 1 is 001.
func choice(p document.Property, text string) *Problem {
	n, isNumber := document.ParseNumber(text)
	for _, word := range p.Values {
		if strings.EqualFold(word, text) {
			return nil
		}
		if m, ok := document.ParseNumber(word); ok && isNumber && m == n {
			return nil
		}
	}
	if blank(text) {
		return nil
	}
	problem := &Problem{Code: document.ValueUnknown,
		Message: fmt.Sprintf("The property '%s' does not know %s", p.Name, strconv.Quote(document.Shorten(text)))}
	if near, ok := document.NearestWord(p.Values, text); ok {
		problem.Message += ": did you mean \"" + near + "\"?"
		problem.Remedy = "Write \"" + near + "\""
		return problem
	}
	problem.Remedy = "Use one of: " + strings.Join(p.Values[:min(len(p.Values), 15)], ", ")
	if len(p.Values) > 15 {
		problem.Remedy += ", …"
	}
	return problem
}

// duration checks that a value is a number of seconds, at least 0, or -1. It also accepts -2 if "container" is one of the
// property's allowed words, p.Values.
func duration(p document.Property, text string, value any) *Problem {
	n, ok := document.ParseNumber(text)
	contained := slices.Contains(p.Values, "container")
	if ok && (n >= 0 || n == -1 || n == -2 && contained) {
		return nil
	}
	must := "a number of seconds, or -1"
	if contained {
		must += ", or -2"
	}
	if !ok {
		return wrong(p, value, words(p, must), example(p))
	}
	problem := wrong(p, value, must, example(p))
	problem.Code = document.ValueRange
	return problem
}

// isLength reports whether a text is a length: a number with or without a unit, or auto.
func isLength(text string) bool {
	_, ok := css.Units{Em: 1, VW: 1, VH: 1}.Length(text)
	return ok
}

// reachable returns the problem of an address that cannot be fetched; nil: no reason is known why it could not be fetched.
func (r ruler) reachable(name, address string) *Problem {
	why := Unfetchable(address)
	if why == "" && r.address != nil {
		if why = r.address(address); why != "" {
			why = "it cannot be fetched: " + why
		}
	}
	if why == "" {
		return nil
	}
	return &Problem{Code: SourceUnreachable, Message: "The address in '" + name + "' leads to nothing: " + why,
		Remedy: addressRemedy}
}

const addressRemedy = "Upload the file to the media library, or give a public address that begins with https://"

// Unfetchable returns why an address cannot be fetched with any configuration; empty: no reason is known.
func Unfetchable(address string) string {
	lower := strings.ToLower(address)
	switch {
	case strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://"):
		if strings.TrimLeft(lower[strings.Index(lower, ":")+1:], "/") == "" {
			return "it names no host"
		}
		return ""
	case strings.HasPrefix(lower, "data:"), strings.HasPrefix(lower, "blob:"):
		return "it begins with " + lower[:5] + ", and only http:// and https:// can be fetched"
	case len(address) > 2 && address[1] == ':' && (address[2] == '\\' || address[2] == '/'), strings.HasPrefix(address, `\\`):
		return "it is a path of a Windows machine"
	case strings.HasPrefix(lower, "file:"), strings.HasPrefix(address, "/"), strings.HasPrefix(address, "~"),
		strings.HasPrefix(address, "."):
		return "it is a path of a file, and only http:// and https:// can be fetched"
	case strings.Contains(lower, "://"):
		return "only http:// and https:// can be fetched"
	}
	return "it does not begin with http:// or https://"
}
