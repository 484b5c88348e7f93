package document

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"moviola/domain/expr"
)

// masked replaces a secret in every document that is shown. Decision 30.
const masked = `"***"`

// byteOrderMark may begin a document.
var byteOrderMark = []byte("\xef\xbb\xbf")

// secretFields are the names of secret fields of a destination, in lower case, without dashes and underscores.
var secretFields = map[string]bool{"password": true, "passphrase": true, "privatekey": true}

// words matches the names in an expression: see expr.IsName.
var words = regexp.MustCompile(`[\p{L}_][\p{L}\p{Nd}_]*`)

// wholes matches what stands between braces, which may be a name as a whole. Decision 105.
var wholes = regexp.MustCompile(`(?s)\{\{\s*(.*?)\s*\}\}`)

// Redact masks the secrets of a document's destinations, and the values of the variables that these secrets use, directly or by
// other variables. variables names further variables to be masked: those that SecretVariables returns for the document with
// its templates filled in. All other bytes stay unchanged. A document without secrets is returned unchanged. Decisions 30
// and 100.
func Redact(raw []byte, variables ...string) []byte {
	if rest, marked := bytes.CutPrefix(raw, byteOrderMark); marked {
		return append(bytes.Clone(byteOrderMark), Redact(rest, variables...)...)
	}
	if len(variables) == 0 && !mayExport(raw) {
		return raw
	}
	found := secretsOf(raw, variables)
	if len(found) == 0 {
		return raw
	}
	var out bytes.Buffer
	last := 0
	for _, s := range found {
		out.Write(raw[last:s.start])
		out.WriteString(masked)
		last = s.end
	}
	out.Write(raw[last:])
	return out.Bytes()
}

// mayExport reports whether a document may have destinations. Most documents have none, and this check is quick.
func mayExport(raw []byte) bool {
	// Only with an escape could the word exports be written in another way.
	return bytes.Contains(raw, []byte("exports")) || bytes.Contains(raw, []byte(`\u`))
}

// SecretVariables returns the names of the variables with secrets of a document's destinations in them. While the document
// refers to a template, these are all its variables, because the destinations are not known. Decision 100.
func SecretVariables(raw []byte) []string {
	raw = bytes.TrimPrefix(raw, byteOrderMark)
	var found []scalar
	switch {
	case Reference(raw) != "":
		found = scalarsIn(raw, isVariable)
	case mayExport(raw):
		found = secretsOf(withoutScenes(raw), nil)
	}
	var names []string
	for _, s := range found {
		if isVariable(s.path) && !slices.Contains(names, s.path[1]) {
			names = append(names, s.path[1])
		}
	}
	return names
}

// withoutScenes returns a document with its destinations and variables alone, which is searched much faster than all of it.
// A text that is no JSON object is returned unchanged.
func withoutScenes(raw []byte) []byte {
	var top map[string]json.RawMessage
	if json.Unmarshal(raw, &top) != nil {
		return raw
	}
	short, err := json.Marshal(map[string]json.RawMessage{"exports": top["exports"], "variables": top["variables"]})
	if err != nil {
		return raw
	}
	return short
}

// TakesSecrets reports whether a variable of a document may be a secret, by its destinations: a secret or the address of a
// webhook has an expression in it, or an expression stands in place of a destination.
func TakesSecrets(raw []byte) bool {
	if !mayExport(raw) {
		return false
	}
	all := scalarsIn(withoutScenes(raw), func(path []string) bool { return len(path) > 0 && path[0] == "exports" })
	return slices.ContainsFunc(all, func(s scalar) bool {
		return len(s.names) > 0 && (isWhole(s.path) || kindOf(s.path, s.text) != otherKind)
	})
}

func isVariable(path []string) bool { return len(path) > 1 && path[0] == "variables" }

// secretsOf returns the scalars of a document to be masked, in order: the secrets of its destinations, and the named
// variables with those that they use.
func secretsOf(raw []byte, variables []string) []scalar {
	all := scalarsIn(raw, func(path []string) bool { return len(path) > 0 && path[0] == "exports" })
	secrets := all[:0] // in the memory of all, because there may be very many
	var addresses, wholes []scalar
	for _, s := range all {
		switch kind := kindOf(s.path, s.text); {
		case kind == secretKind:
			secrets = append(secrets, s)
		case kind == addressKind:
			addresses = append(addresses, s)
		case isWhole(s.path):
			wholes = append(wholes, s)
		}
	}
	for _, s := range variablesOf(raw, namesIn(wholes)) {
		switch kindOf(s.path[1:], s.text) {
		case secretKind:
			secrets = append(secrets, s)
		case addressKind:
			addresses = append(addresses, s)
		case otherKind:
		}
	}
	secrets = append(secrets, variablesOf(raw, append(namesIn(secrets), variables...))...)
	for _, s := range variablesOf(raw, namesIn(addresses)) {
		if login.MatchString(s.text) {
			secrets = append(secrets, s)
		}
	}
	slices.SortFunc(secrets, func(a, b scalar) int { return a.start - b.start })
	return slices.CompactFunc(secrets, func(a, b scalar) bool { return a.start == b.start })
}

// isWhole reports whether a path in exports leads to a destination, to the list of them, or to an object or list above. An
// expression there can have a whole destination as its value.
func isWhole(path []string) bool {
	return len(path) == 1 || len(path) == 2 && path[1] == "destinations"
}

// kind is what a scalar of a destination is.
type kind int

const (
	otherKind   kind = iota
	secretKind       // a password or key, or the address of a webhook with a user name in it
	addressKind      // any other address of a webhook: secret is what its variables add as a user name and password
)

// kindOf returns the kind of a scalar by its path and its text. The path begins with exports, or with the name of a variable
// that is a destination or a list of them.
func kindOf(path []string, text string) kind {
	switch {
	case slices.ContainsFunc(path[1:], isSecret), slices.ContainsFunc(clouds, func(c cloudKeys) bool { return c.in(text) }):
		return secretKind
	case len(path) < 2 || !strings.EqualFold(path[len(path)-1], "endpoint"):
		return otherKind
	case login.MatchString(text):
		return secretKind
	}
	return addressKind
}

// CarriesSecrets reports whether a document contains secrets of its destinations, or one of the named variables.
func CarriesSecrets(raw []byte, variables ...string) bool {
	return !bytes.Equal(Redact(raw, variables...), raw)
}

var dashes = strings.NewReplacer("-", "", "_", "")

// isSecret reports whether a property of a destination is secret. Access keys to clouds are among them: movies with such
// keys are refused, but templates are not.
func isSecret(name string) bool {
	return secretFields[dashes.Replace(strings.ToLower(name))] ||
		slices.ContainsFunc(clouds, func(c cloudKeys) bool { return c.names(name) })
}

// login matches the beginning of an address with a user name, usually with a password.
var login = regexp.MustCompile(`^\s*[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*@`)

// namesIn returns the names of the variables that the expressions of scalars use.
func namesIn(scalars []scalar) []string {
	var names []string
	for _, s := range scalars {
		names = append(names, s.names...)
	}
	return names
}

// variablesOf returns the scalars of the variables with the given names, and of those that these variables use, and so on.
// The list of values that a variable can have, whose name begins with @, belongs to it.
func variablesOf(raw []byte, names []string) []scalar {
	if len(names) == 0 {
		return nil
	}
	all := map[string][]scalar{}
	for _, s := range scalarsIn(raw, isVariable) {
		all[s.path[1]] = append(all[s.path[1]], s)
	}
	var used []scalar
	for len(names) > 0 {
		name := names[len(names)-1]
		names = names[:len(names)-1]
		for _, s := range slices.Concat(all[name], all["@"+name]) {
			used, names = append(used, s), append(names, s.names...)
		}
		delete(all, name)
		delete(all, "@"+name)
	}
	return used
}

// scalar is a text, number, boolean or null of a document.
type scalar struct {
	start, end int      // its range of bytes
	path       []string // names of the objects' members that lead to it
	text       string   // the value, if it is a text
	names      []string // names of the variables in its expressions, and other words of the text
}

// scalarsIn returns the scalars in a document for whose paths the function wanted returns true. It stops at a syntax error,
// because a document with an error is refused everywhere.
func scalarsIn(raw []byte, wanted func(path []string) bool) []scalar {
	w := walk{decoder: json.NewDecoder(bytes.NewReader(raw)), raw: raw, wanted: wanted}
	w.decoder.UseNumber()
	w.value(nil)
	return w.found
}

// walk passes through a document once.
type walk struct {
	decoder *json.Decoder
	raw     []byte
	wanted  func(path []string) bool
	found   []scalar
	last    []string // the path of the member that was read last
}

// value reads one value at a path, and reports whether there was one.
func (w *walk) value(path []string) bool {
	begin := int(w.decoder.InputOffset())
	token, err := w.decoder.Token()
	if err != nil {
		return false
	}
	if delim, ok := token.(json.Delim); ok {
		return w.inside(path, delim)
	}
	if token == nil || !w.wanted(path) {
		return true
	}
	end := int(w.decoder.InputOffset())
	start := begin + len(w.raw[begin:end]) - len(bytes.TrimLeft(w.raw[begin:end], ":, \t\r\n"))
	one := scalar{start: start, end: end, path: path}
	// All that follows the first braces is searched, because braces and line breaks may stand inside an expression.
	one.text, _ = token.(string)
	_, expressions, _ := strings.Cut(one.text, "{{")
	one.names = words.FindAllString(expressions, -1)
	for _, between := range wholes.FindAllStringSubmatch(one.text, -1) {
		if !expr.IsName(between[1]) {
			one.names = append(one.names, between[1])
		}
	}
	w.found = append(w.found, one)
	return true
}

// member returns the path of a member of the object at path. Equal members of objects that follow each other in a list share
// it, because a document may have very many.
func (w *walk) member(path []string, name string) []string {
	if n := len(w.last) - 1; n != len(path) || w.last[n] != name || !slices.Equal(w.last[:n], path) {
		w.last = append(slices.Clip(path), name)
	}
	return w.last
}

// inside reads the members of an object, or the items of a list. Items have the path of the list.
func (w *walk) inside(path []string, delim json.Delim) bool {
	for w.decoder.More() {
		member := path
		if delim == '{' {
			token, err := w.decoder.Token()
			name, ok := token.(string)
			if err != nil || !ok {
				return false
			}
			member = w.member(path, name)
		}
		if !w.value(member) {
			return false
		}
	}
	_, err := w.decoder.Token()
	return err == nil
}
