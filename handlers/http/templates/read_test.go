package templates_test

import (
	"context"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"

	"moviola/domain"
	"moviola/domain/key"
	"moviola/domain/template"
	"moviola/handlers/http/access"
	"moviola/handlers/http/templates"
	"moviola/handlers/http/web"
	"moviola/projections"
	"moviola/projections/keyring"
)

// secretive has one template of alice, whose destination takes its password from a variable.
type secretive struct {
	broken
	stored, filled string
}

func (secretive) Get(_ context.Context, id template.ID) (projections.Template, bool, error) {
	return projections.Template{ID: string(id), Name: "Card", Account: "alice"}, true, nil
}

func (s secretive) Movie(context.Context, domain.AccountID, template.ID, string) (stored, filled []byte, err error) {
	return []byte(s.stored), []byte(s.filled), nil
}

// roleKey opens everything for alice in one role.
type roleKey key.Role

func (k roleKey) Holder(context.Context, string) (keyring.Holder, bool, error) {
	return keyring.Holder{Account: "alice", Role: key.Role(k)}, true, nil
}

// TestGetTemplate_secrets: who may not edit templates sees no password of a destination in any form of the answer, also when the
// destination is that of another template, which may be unknown by now. Decision 100.
func TestGetTemplate_secrets(t *testing.T) {
	t.Parallel()
	const (
		variables    = `"variables":{"title":"Hello","pass":"hush"}`
		destinations = `"scenes":[],"exports":[{"destinations":[{"type":"ftp","host":"a.example","username":"u","password":"{{pass}}"}]}]`
		reference    = `{"template":"T",` + variables + `}`
	)
	whole := `{` + variables + `,` + destinations + `}`
	// Of another template, which may be another account's, an editor sees no password either.
	code, body := getAs(t, apiOf(t, secretive{stored: `{"template":"T"}`, filled: whole}), key.Editor, "&format=jsonschema")
	if code != 200 || strings.Contains(body, "hush") || !strings.Contains(body, `"pass":{"title":"Pass"}`) || !strings.Contains(body, "Hello") {
		t.Errorf("an editor: %d %s", code, body)
	}
	for _, s := range []secretive{{stored: whole, filled: whole}, {stored: reference, filled: whole}, {stored: reference, filled: reference}} {
		api := apiOf(t, s)
		for role, shown := range map[key.Role]bool{key.Viewer: false, key.Render: false, key.Editor: true} {
			for _, format := range []string{"", "&format=make", "&format=jsonschema"} {
				code, body := getAs(t, api, role, format)
				// While the destinations are not known, every variable may be secret. The fields are shown as far as they are its own.
				title := s.filled == whole || shown
				pass := shown && (format != "&format=jsonschema" || s.stored == s.filled)
				if code != 200 || strings.Contains(body, "hush") != pass || strings.Contains(body, "Hello") != title {
					t.Errorf("%s as %s %q: %d %s", s.stored, role, format, code, body)
				}
				if _, variables, _ := strings.Cut(body, `"variables":`); format == "&format=jsonschema" && strings.Contains(variables, "***") {
					t.Errorf("%s is told to give %s", role, variables)
				}
			}
		}
	}
}

func apiOf(t *testing.T, s secretive) *templates.API {
	t.Helper()
	api, err := templates.New(templates.Config{
		Templates: s, Movies: s, Save: brokenSaver{}, Duplicate: brokenDuplicator{}, Delete: brokenDeleter{}, Publish: broken{},
		Gate: broken{}, Files: broken{}, Projected: broken{}, Acts: silent{}, PublicURL: "https://video.example", Log: quiet(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return api
}

func quiet() *logrus.Logger {
	log := logrus.New()
	log.SetOutput(io.Discard)
	return log
}

// getAs requests alice's template in a role.
func getAs(t *testing.T, api *templates.API, role key.Role, format string) (int, string) {
	t.Helper()
	value, err := key.Generate(strings.NewReader(strings.Repeat("abcdefgh", 64)))
	if err != nil {
		t.Fatal(err)
	}
	router := web.NewRouter()
	access.New(access.Config{Keys: roleKey(role), Log: quiet()}).Routes(router, api.Operations()...)
	r := httptest.NewRequest("GET", "/v2/templates?id=Abcd1234Efgh5678Ijkl"+format, nil)
	r.Header.Set("X-Api-Key", value)
	w := httptest.NewRecorder()
	router.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}
