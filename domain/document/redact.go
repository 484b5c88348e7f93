package document

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// masked replaces a secret in every document that is shown. Decision 30.
const masked = `"***"`

// byteOrderMark may begin a document.
var byteOrderMark = []byte("\xef\xbb\xbf")

// secretFields are the names of secret fields of a destination, in lower case, without dashes and underscores.
var secretFields = map[string]bool{"password": true, "passphrase": true, "privatekey": true}

// words matches the names in an expression: see expr.IsName.
var words = regexp.MustCompile(`[\p{L}_][\p{L}\p{Nd}_]*`)

// Redact masks the secrets of a document's destinations, and the values of the variables that these secrets use, directly or by
// other variables. All other bytes stay unchanged. A document without secrets is returned unchanged. Decision 30.
func Redact(raw []byte) []byte {
	if rest, marked := bytes.CutPrefix(raw, byteOrderMark); marked {
		return append(bytes.Clone(byteOrderMark), Redact(rest)...)
	}
	// Most documents have no destinations, and this check is quick. Only with an escape could the word exports be written in another
	// way.
	if !bytes.Contains(raw, []byte("exports")) && !bytes.Contains(raw, []byte(`\u`)) {
		return raw
	}
	found := secretsOf(raw)
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

// secretsOf returns the scalars of a document to be masked, in order.
func secretsOf(raw []byte) []scalar {
	var secrets, addresses []scalar
	for _, s := range scalarsIn(raw, func(path []string) bool {
		return len(path) > 1 && path[0] == "exports" && (slices.ContainsFunc(path[1:], isSecret) || isEndpoint(path))
	}) {
		if isEndpoint(s.path) && !login.MatchString(s.text) {
			addresses = append(addresses, s)
		} else {
			secrets = append(secrets, s)
		}
	}
	secrets = append(secrets, variablesOf(raw, secrets)...)
	for _, s := range variablesOf(raw, addresses) {
		if login.MatchString(s.text) {
			secrets = append(secrets, s)
		}
	}
	slices.SortFunc(secrets, func(a, b scalar) int { return a.start - b.start })
	return slices.CompactFunc(secrets, func(a, b scalar) bool { return a.start == b.start })
}

// CarriesSecrets reports whether a document contains secrets of its destinations.
func CarriesSecrets(raw []byte) bool { return !bytes.Equal(Redact(raw), raw) }

var dashes = strings.NewReplacer("-", "", "_", "")

func isSecret(name string) bool {
	return secretFields[dashes.Replace(strings.ToLower(name))]
}

// login matches the beginning of an address with a user name, usually with a password.
var login = regexp.MustCompile(`^\s*[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*@`)

// isEndpoint reports whether a path leads to the address of a webhook, which is secret only with a user name or password.
func isEndpoint(path []string) bool {
	return strings.EqualFold(path[len(path)-1], "endpoint") && !slices.ContainsFunc(path[1:], isSecret)
}

// variablesOf returns the scalars of the variables that secrets use, and of those that these variables use, and so on.
func variablesOf(raw []byte, secrets []scalar) []scalar {
	var names []string
	for _, s := range secrets {
		names = append(names, s.names...)
	}
	if len(names) == 0 {
		return nil
	}
	all := map[string][]scalar{}
	for _, s := range scalarsIn(raw, func(path []string) bool { return len(path) > 1 && path[0] == "variables" }) {
		all[s.path[1]] = append(all[s.path[1]], s)
	}
	var used []scalar
	for len(names) > 0 {
		name := names[len(names)-1]
		names = names[:len(names)-1]
		for _, s := range all[name] {
			used, names = append(used, s), append(names, s.names...)
		}
		delete(all, name)
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
	w.found = append(w.found, one)
	return true
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
			member = append(slices.Clip(path), name)
		}
		if !w.value(member) {
			return false
		}
	}
	_, err := w.decoder.Token()
	return err == nil
}
