package media

import (
	"encoding/json"
	"math"
	"net/http"

	"moviola/domain"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
)

// maxBody is the maximum size of the JSON body of a request, in bytes.
const maxBody = 64 << 10

var errFolderName = domain.Errorf(domain.Invalid, "folder_invalid", "Invalid folder name")

// payload is the JSON object in the body of a request, by property. Its methods treat a property of the wrong JSON type
// as missing; only its method named folder refuses such a property.
type payload map[string]json.RawMessage

// readPayload reads a body. Spec: Errors, media endpoints.
func readPayload(w http.ResponseWriter, r *http.Request) (payload, error) {
	var p payload
	return p, web.ReadObject(w, r, maxBody, &p)
}

var errDiffers = domain.Errorf(domain.Invalid, "parameter_differs", "A parameter is given twice, with different values")

// readDeletion reads the parameters of a deletion from the query, the body, or both: some clients send no body with DELETE.
// Decision 65.
func readDeletion(w http.ResponseWriter, r *http.Request, c access.Call, names ...string) (payload, error) {
	given := payload{}
	for _, name := range names {
		if !c.Query.Has(name) {
			continue
		}
		text, same := c.One(name)
		if !same {
			return nil, errDiffers
		}
		raw, err := json.Marshal(text)
		if err != nil {
			return nil, err
		}
		given[name] = raw
	}
	if len(given) > 0 && r.ContentLength == 0 {
		return given, nil
	}
	body, err := readPayload(w, r)
	if err != nil {
		return nil, err
	}
	for name := range given {
		asked, _ := given.text(name)
		if asked == "" { // an empty parameter counts as not set. Decision 7
			continue
		}
		if text, ok := body.text(name); ok && text != asked {
			return nil, errDiffers
		}
		body[name] = given[name]
	}
	return body, nil
}

// text returns a property that is a string; false: it is missing or no string.
func (p payload) text(name string) (string, bool) {
	var s *string
	err := json.Unmarshal(p[name], &s)
	if err != nil || s == nil {
		return "", false
	}
	return *s, true
}

// folder returns the optional name of a folder: missing or null means the root.
func (p payload) folder(name string) (string, error) {
	raw := p[name]
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	text, ok := p.text(name)
	if !ok {
		return "", errFolderName
	}
	return text, nil
}

// whole returns a property that is a whole number; 0: the property is missing, not a whole number, or too large.
func (p payload) whole(name string) int64 {
	var number float64
	if err := json.Unmarshal(p[name], &number); err != nil || number != math.Trunc(number) || math.Abs(number) > 1<<53 {
		return 0
	}
	return int64(number)
}
