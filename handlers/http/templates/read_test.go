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
type secretive struct{ broken }

func (secretive) Get(_ context.Context, id template.ID) (projections.Template, bool, error) {
	return projections.Template{ID: string(id), Name: "Card", Account: "alice"}, true, nil
}

func (secretive) Movie(context.Context, domain.AccountID, template.ID, string) (stored, filled []byte, err error) {
	movie := []byte(`{"variables":{"title":"Hello","pass":"hush"},"scenes":[],
		"exports":[{"destinations":[{"type":"ftp","host":"a.example","username":"u","password":"{{pass}}"}]}]}`)
	return movie, movie, nil
}

// roleKey opens everything for alice in one role.
type roleKey key.Role

func (k roleKey) Holder(context.Context, string) (keyring.Holder, bool, error) {
	return keyring.Holder{Account: "alice", Role: key.Role(k)}, true, nil
}

// TestGetTemplate_secrets: who may not edit templates sees no password of a destination in any form of the answer.
func TestGetTemplate_secrets(t *testing.T) {
	t.Parallel()
	log := logrus.New()
	log.SetOutput(io.Discard)
	api, err := templates.New(templates.Config{
		Templates: secretive{}, Movies: secretive{}, Save: brokenSaver{}, Duplicate: brokenDuplicator{}, Delete: brokenDeleter{}, Publish: broken{},
		Gate: broken{}, Files: broken{}, Projected: broken{}, Acts: silent{}, PublicURL: "https://video.example", Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	value, err := key.Generate(strings.NewReader(strings.Repeat("abcdefgh", 64)))
	if err != nil {
		t.Fatal(err)
	}
	for role, shown := range map[key.Role]bool{key.Viewer: false, key.Render: false, key.Editor: true} {
		router := web.NewRouter()
		access.New(access.Config{Keys: roleKey(role), Log: log}).Routes(router, api.Operations()...)
		for _, format := range []string{"", "&format=make", "&format=jsonschema"} {
			r := httptest.NewRequest("GET", "/v2/templates?id=Abcd1234Efgh5678Ijkl"+format, nil)
			r.Header.Set("X-Api-Key", value)
			w := httptest.NewRecorder()
			router.ServeHTTP(w, r)
			if body := w.Body.String(); w.Code != 200 || strings.Contains(body, "hush") != shown || !strings.Contains(body, "Hello") {
				t.Errorf("%s %q: %d %s", role, format, w.Code, body)
			}
		}
	}
}
