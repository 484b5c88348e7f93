package movie

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"moviola/domain"
)

// MaxDataTerms is the maximum number of client-data members by which a movie can be found; further members are ignored.
// Decision 73.
const MaxDataTerms = 20

// IDTerm, TemplateTerm and DataTerm return the terms by which a search finds a movie: its own id, a template that it uses, a
// member of its client-data. Terms are hashes, so that the log does not show what clients wrote. But everybody who can read
// the log can check a guess against the hashes.
func IDTerm(account domain.AccountID, id string) string { return term(account, "id", id) }

// TemplateTerm returns the term by which a search finds the movies that are made of a template. Terms are hashes: see IDTerm.
func TemplateTerm(account domain.AccountID, id string) string { return term(account, "template", id) }

// DataTerm returns the term by which a search finds the movies that have a member of client-data with a value. Terms are hashes:
// see IDTerm.
func DataTerm(account domain.AccountID, name, value string) string {
	return term(account, "client-data", name, value)
}

// term returns the hash of an account and a list of texts.
func term(account domain.AccountID, texts ...string) string {
	hash := sha256.New()
	hash.Write([]byte(account))
	for _, text := range texts {
		hash.Write([]byte("\x00"))
		inner := sha256.Sum256([]byte(text)) // all inner hashes have the same length, so different lists of texts give different terms
		hash.Write(inner[:])
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// Terms returns the hashes by which a search finds a movie, without those of its templates. One is of the movie's own id,
// if it has one. The others are of the first MaxDataTerms members of its client-data that are texts, numbers or booleans.
// Numbers keep their spelling. When a name is repeated in client-data, its last value is used.
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

// scalars returns the first MaxDataTerms members of an object that are texts, numbers or booleans, in order. Of a repeated name
// the last value is used. A value that is not an object has no members.
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

// scalar returns a value as the query string of a filter writes it.
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
