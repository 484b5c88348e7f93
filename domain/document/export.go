package document

import (
	"regexp"
	"strings"

	"moviola/domain"
)

// Destination is where a finished movie is announced or sent. Spec: Export destination entries.
type Destination struct {
	Type        string // webhook, aws-s3, ...; empty: the entry names a saved connection only
	ID          string // of a saved connection
	Endpoint    string // of a webhook
	ContentType string // of a webhook: JSONContent or FormContent
	// Given is the entry as it stands in the document, for the kinds that have more properties.
	Given map[string]any
}

// The bodies of a webhook. Short forms are not recognised and fall back to JSON. Spec: Events, rule 3.
const (
	JSONContent = "application/json"
	FormContent = "application/x-www-form-urlencoded"
)

// Destinations returns where the movie goes, in order. More than one export object is a *domain.Error: nothing is delivered then
// (decision 33). An entry that cannot be read comes back empty, so that the others keep their index.
func Destinations(m *Movie) ([]Destination, error) {
	exports, ok := m.exports.([]any)
	if !ok && m.exports != nil {
		exports = []any{m.exports}
	}
	if len(exports) > 1 {
		return nil, domain.Errorf(domain.Invalid, "exports_invalid", "Only one export object can be used, the movie has %d", len(exports))
	}
	var destinations []Destination
	for _, export := range exports {
		object, _ := export.(map[string]any)
		entries, _ := object["destinations"].([]any)
		for _, entry := range entries {
			props, _ := entry.(map[string]any)
			destinations = append(destinations, readDestination(props))
		}
	}
	return destinations, nil
}

// readDestination notes no problems: what is wrong with a destination is its result, and never the movie's.
func readDestination(props map[string]any) Destination {
	r := reader{movie: &Movie{}, props: props}
	d := Destination{Type: r.word("type"), ID: r.reference("id"), Endpoint: r.reference("endpoint"), ContentType: JSONContent, Given: props}
	if r.word("content-type") == FormContent {
		d.ContentType = FormContent
	}
	return d
}

// awsKeyFields are the names of fields that hold AWS keys, without case, dashes, underscores and an aws prefix; awsKeyID is what
// a key id looks like. Decision 29.
var (
	awsKeyFields = map[string]bool{
		"accesskey": true, "accesskeyid": true, "secretkey": true, "secretaccesskey": true, "sessiontoken": true,
	}
	awsKeyID = regexp.MustCompile(`(AKIA|ASIA)[A-Z0-9]{16}`)
)

// CheckAWSKeys returns the refusal aws_keys_in_movie, a *domain.Error, when an export carries an AWS key.
// Spec: POST /movies, Rules; decision 29.
func CheckAWSKeys(m *Movie) error {
	if carriesAWSKey(m.exports) {
		return domain.Errorf(domain.Invalid, "aws_keys_in_movie",
			"Export destinations must not carry AWS keys. Save them in a connection and refer to it by its id")
	}
	return nil
}

func carriesAWSKey(value any) bool {
	switch v := value.(type) {
	case string:
		return awsKeyID.MatchString(v)
	case []any:
		for _, item := range v {
			if carriesAWSKey(item) {
				return true
			}
		}
	case map[string]any:
		for name, item := range v {
			plain := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
			if awsKeyFields[strings.TrimPrefix(plain, "aws")] || carriesAWSKey(item) {
				return true
			}
		}
	}
	return false
}
