package templates

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
)

// field describes one variable for a tool that asks for its value. Movie-schema §10.3.
type field struct {
	Name     string   `json:"name"`
	Label    string   `json:"label"`
	Type     string   `json:"type"` // text, number, boolean, url, select, array or collection
	Default  string   `json:"default"`
	Help     string   `json:"help,omitempty"`
	Required bool     `json:"required,omitempty"`
	Options  []option `json:"options,omitempty"` // the options of a select
	Spec     []field  `json:"spec,omitempty"`    // the fields of the items of an array or a collection
	Advanced bool     `json:"advanced,omitempty"`
}

type option struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// fieldsOf describes the variables of a movie, in their order, and the two variables that every movie has. Of the variables
// with the names in hidden it tells no value.
func fieldsOf(movie []byte, hidden []string) []field {
	fields := []field{}
	for _, v := range variablesOf(movie) {
		if slices.Contains(hidden, v.name) {
			fields = append(fields, field{Name: v.name, Label: humanised(v.name), Type: "text", Help: v.help})
			continue
		}
		fields = append(fields, v.field())
	}
	return append(fields,
		field{Name: "make_webhook_url", Label: "Webhook URL", Type: "text", Help: "Where the finished movie is announced",
			Advanced: true},
		field{Name: "client_data", Label: "Client data", Type: "array", Help: "Comes back with the finished movie",
			Advanced: true, Spec: []field{
				{Name: "key", Label: "Key", Type: "text"}, {Name: "value", Label: "Value", Type: "text"},
			}})
}

// variable is a variable of a movie with its options and its help text.
type variable struct {
	name    string
	raw     json.RawMessage
	help    string
	options []option
}

// variablesOf reads the variables of a movie in their written order. An entry whose name begins with @ lists the values of the
// variable with the rest of the name; an entry whose name begins with ? is that variable's help text. Movie-schema §9.5.
func variablesOf(movie []byte) []variable {
	var top struct {
		Variables json.RawMessage `json:"variables"`
	}
	_ = json.Unmarshal(movie, &top) // after an error top stays empty, as for a movie without variables
	members := membersOf(top.Variables)
	told := map[string]json.RawMessage{}
	for _, m := range members {
		told[m.name] = m.raw
	}
	var variables []variable
	for _, m := range members {
		if strings.HasPrefix(m.name, "@") || strings.HasPrefix(m.name, "?") {
			continue
		}
		m.help, m.options = textIn(told["?"+m.name]), optionsIn(textIn(told["@"+m.name]))
		variables = append(variables, m)
	}
	return variables
}

// membersOf returns the members of an object in their written order. Of members with the same name, the last one applies.
func membersOf(raw json.RawMessage) []variable {
	read := json.NewDecoder(bytes.NewReader(raw))
	if opening, err := read.Token(); err != nil || opening != json.Delim('{') {
		return nil
	}
	var members []variable
	place := map[string]int{}
	for read.More() {
		name, err := read.Token()
		if err != nil {
			return members
		}
		m := variable{}
		m.name, _ = name.(string)
		if read.Decode(&m.raw) != nil {
			return members
		}
		if i, again := place[m.name]; again {
			members[i] = m
			continue
		}
		place[m.name] = len(members)
		members = append(members, m)
	}
	return members
}

func textIn(raw json.RawMessage) string {
	var text string
	_ = json.Unmarshal(raw, &text)
	return text
}

// optionsIn reads "v1=Label|v2=Label"; a value without a label is its own label.
func optionsIn(text string) []option {
	var options []option
	for _, one := range strings.Split(text, "|") {
		value, label, named := strings.Cut(one, "=")
		value, label = strings.TrimSpace(value), strings.TrimSpace(label)
		if !named {
			label = value
		}
		if value != "" {
			options = append(options, option{Label: label, Value: value})
		}
	}
	return options
}

func (v variable) field() field {
	f := field{Name: v.name, Label: humanised(v.name), Help: v.help, Options: v.options, Default: textOfValue(v.raw)}
	f.Type, f.Spec = kindOf(v.name, v.raw)
	if len(v.options) > 0 {
		f.Type, f.Spec = "select", nil
	}
	// A value is required for a text without a default value, and for a variable whose default value is null.
	f.Required = f.Type == "text" && f.Default == "" || string(v.raw) == "null"
	return f
}

// kindOf returns the type of a variable from its value, and the fields of its items.
func kindOf(name string, raw json.RawMessage) (string, []field) {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return "text", nil
	}
	switch value := value.(type) {
	case bool:
		return "boolean", nil
	case float64:
		return "number", nil
	case []any:
		return "array", itemFields(raw)
	case map[string]any:
		return "collection", memberFields(raw)
	case string:
		if isURL(name, value) {
			return "url", nil
		}
	}
	return "text", nil
}

// isURL reports whether a value is an address or, when the value is empty, whether the variable's name suggests an address.
func isURL(name, value string) bool {
	if strings.HasPrefix(value, "https://") || strings.HasPrefix(value, "http://") {
		return true
	}
	lower := strings.ToLower(name)
	return value == "" && (strings.HasSuffix(lower, "url") || strings.HasSuffix(lower, "_src"))
}

// itemFields describes the items of a list by its first item.
func itemFields(raw json.RawMessage) []field {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || len(items) == 0 {
		return []field{{Name: "value", Label: "Value", Type: "text"}}
	}
	if fields := memberFields(items[0]); len(fields) > 0 {
		return fields
	}
	kind, spec := kindOf("value", items[0])
	return []field{{Name: "value", Label: "Value", Type: kind, Default: textOfValue(items[0]), Spec: spec}}
}

func memberFields(raw json.RawMessage) []field {
	var fields []field
	for _, m := range membersOf(raw) {
		fields = append(fields, m.field())
	}
	return fields
}

// textOfValue returns a value as a text. Lists and objects are returned as JSON.
func textOfValue(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	if string(raw) == "null" {
		return ""
	}
	var packed bytes.Buffer
	if json.Compact(&packed, raw) != nil {
		return ""
	}
	return packed.String()
}

// humanised converts a name to a label: renderMode becomes Render Mode, video_URL becomes Video URL.
func humanised(name string) string {
	var words []string
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || unicode.IsSpace(r) }) {
		words = append(words, camelWords(part)...)
	}
	for i, word := range words {
		letters := []rune(word)
		letters[0] = unicode.ToUpper(letters[0])
		words[i] = string(letters)
	}
	return strings.Join(words, " ")
}

// camelWords splits a name before each capital that follows a character other than a capital. Consecutive capitals stay
// together.
func camelWords(text string) []string {
	var words []string
	var word []rune
	for _, r := range text {
		if n := len(word); n > 0 && unicode.IsUpper(r) && !unicode.IsUpper(word[n-1]) {
			words, word = append(words, string(word)), nil
		}
		word = append(word, r)
	}
	if len(word) > 0 {
		words = append(words, string(word))
	}
	return words
}
