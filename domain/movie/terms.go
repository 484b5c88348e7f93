package movie

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"moviola/domain"
)

// MaxDataTerms is how many members of a movie's client-data it can be found by: the first ones. Decision 73.
const MaxDataTerms = 20

// IDTerm, TemplateTerm and DataTerm are what a movie is found by: its own id, a template that it is made of, a member of its client-data. They
// are hashes, so that the log keeps nothing of what clients put there.
func IDTerm(account domain.AccountID, id string) string { return term(account, "id", id) }

// TemplateTerm is described at IDTerm.
func TemplateTerm(account domain.AccountID, id string) string { return term(account, "template", id) }

// DataTerm is described at IDTerm.
func DataTerm(account domain.AccountID, name, value string) string {
	return term(account, "client-data", name, value)
}

// term is the hash of texts, each with its end.
func term(account domain.AccountID, texts ...string) string {
	hash := sha256.New()
	hash.Write([]byte(account))
	for _, text := range texts {
		hash.Write([]byte("\x00"))
		inner := sha256.Sum256([]byte(text)) // of one length: no two lists of texts are one
		hash.Write(inner[:])
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// Terms are what a movie is found by beside its templates: its own id, where it has one, and texts, numbers and booleans directly in its
// client-data, a number as it is written. A name that stands there twice counts with its last value.
func Terms(account domain.AccountID, id string, data json.RawMessage) []string {
	var found []string
	if id != "" {
		found = append(found, IDTerm(account, id))
	}
	for _, m := range scalars(data) {
		found = append(found, DataTerm(account, m.name, m.value))
	}
	return found
}

// member is a text, number or boolean of an object.
type member struct{ name, value string }

// scalars are the first members of an object that are texts, numbers or booleans, in their order. Of what is no object there are none.
func scalars(object json.RawMessage) []member {
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	var found []member
	place := map[string]int{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return found
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return found
		}
		text, ok := scalar(raw)
		if !ok {
			continue
		}
		key, _ := name.(string)
		if at, twice := place[key]; twice {
			found[at].value = text
			continue
		}
		if len(found) < MaxDataTerms {
			place[key] = len(found)
			found = append(found, member{key, text})
		}
	}
	return found
}

// scalar is a value as a filter writes it.
func scalar(raw json.RawMessage) (string, bool) {
	switch raw = bytes.TrimSpace(raw); raw[0] {
	case '{', '[', 'n':
		return "", false
	case '"':
		var text string
		err := json.Unmarshal(raw, &text)
		return text, err == nil
	default:
		return string(raw), true
	}
}
