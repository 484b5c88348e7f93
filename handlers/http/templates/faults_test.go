package templates_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/commands/accounts"
	templatecommands "moviola/commands/templates"
	"moviola/domain"
	"moviola/domain/key"
	"moviola/domain/operator"
	"moviola/domain/template"
	"moviola/eventstore"
	"moviola/handlers/http/access"
	"moviola/handlers/http/templates"
	"moviola/handlers/http/web"
	"moviola/projections"
	"moviola/projections/keyring"
)

// errAway is a store that cannot be reached.
var errAway = errors.New("the store is away")

// broken stands for everything behind the interface. Every call fails with errAway.
type broken struct{}

func (broken) Get(context.Context, template.ID) (projections.Template, bool, error) {
	return projections.Template{}, false, errAway
}

func (broken) Owned(context.Context, projections.TemplateList) ([]projections.Template, error) {
	return nil, errAway
}

func (broken) Library(context.Context, domain.AccountID, []string) ([]projections.Template, error) {
	return nil, errAway
}

func (broken) Movie(context.Context, domain.AccountID, template.ID, string) (stored, filled []byte, err error) {
	return nil, nil, errAway
}
func (broken) Open(context.Context, string) (commands.File, error) { return nil, errAway }
func (broken) Publish(context.Context, template.ID) (templatecommands.Publication, error) {
	return templatecommands.Publication{}, errAway
}

func (broken) Unpublish(context.Context, template.ID) (templatecommands.Publication, error) {
	return templatecommands.Publication{}, errAway
}
func (broken) WaitFor(context.Context, eventstore.Position) error         { return errAway }
func (broken) ActFor(_ *http.Request, c access.Call) (access.Call, error) { return c, nil }

type brokenSaver struct{}

func (brokenSaver) Handle(context.Context, templatecommands.SaveTemplate) (templatecommands.SavedTemplate, error) {
	return templatecommands.SavedTemplate{}, errAway
}

type brokenDuplicator struct{}

func (brokenDuplicator) Handle(context.Context, templatecommands.DuplicateTemplate) (templatecommands.SavedTemplate, error) {
	return templatecommands.SavedTemplate{}, errAway
}

// silent records acts nowhere.
type silent struct{}

func (silent) Handle(context.Context, accounts.RecordAct) (operator.Acted, error) {
	return operator.Acted{}, nil
}
func (silent) Refuse(context.Context, operator.Acted, string) error { return nil }

type brokenDeleter struct{}

func (brokenDeleter) Handle(context.Context, templatecommands.DeleteTemplate) (eventstore.Position, error) {
	return eventstore.Position{}, errAway
}

// anyKey opens everything for one account.
type anyKey struct{}

func (anyKey) Holder(context.Context, string) (keyring.Holder, bool, error) {
	return keyring.Holder{Account: "alice", Role: key.Admin}, true, nil
}

// TestFaults: what is away is answered without a word about it; the library with the specification's 404.
func TestFaults(t *testing.T) {
	t.Parallel()
	log := logrus.New()
	log.SetOutput(io.Discard)
	api, err := templates.New(templates.Config{
		Templates: broken{}, Movies: broken{}, Save: brokenSaver{}, Duplicate: brokenDuplicator{}, Delete: brokenDeleter{}, Publish: broken{},
		Gate: broken{}, Files: broken{}, Operator: web.NewOperatorToken("token", 0, nil), Projected: broken{}, Acts: silent{}, PublicURL: "https://video.example", Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	router := web.NewRouter()
	access.New(access.Config{Keys: anyKey{}, Log: log}).Routes(router, api.Operations()...)
	api.Routes(router)
	value, err := key.Generate(strings.NewReader(strings.Repeat("abcdefgh", 64)))
	if err != nil {
		t.Fatal(err)
	}
	const id = "Abcd1234Efgh5678Ijkl"
	for call, want := range map[string]string{
		"GET /v2/templates":                            `500 {"success":false,"message":"Internal error","code":"internal_error"}`,
		"GET /v2/templates?id=" + id:                   `500 {"success":false,"message":"Internal error","code":"internal_error"}`,
		"GET /v2/templates/library":                    `404 {"success":false,"message":"The library could not be read. Please try again.","code":"library_unavailable"}`,
		"POST /v2/templates":                           `500 {"success":false,"message":"Internal error","code":"internal_error"}`,
		"POST /v2/templates?action=duplicate&id=" + id: `500 {"success":false,"message":"Internal error","code":"internal_error"}`,
		"DELETE /v2/templates?id=" + id:                `500 {"success":false,"message":"Internal error","code":"internal_error"}`,
		"GET /v2/library/" + id + "/a.mp4":             `500 {"success":false,"message":"Internal error","code":"internal_error"}`,
		"POST /admin/templates/" + id + "/publish":     `500 {"success":false,"message":"Internal error","code":"internal_error"}`,
	} {
		if got := ask(router, call, value); got != want {
			t.Errorf("%s: %s, want %s", call, got, want)
		}
	}
	if _, err := templates.New(templates.Config{}); err == nil {
		t.Error("an API of nothing")
	}
}

func ask(router *mux.Router, call, value string) string {
	method, path, _ := strings.Cut(call, " ")
	r := httptest.NewRequest(method, path, strings.NewReader(`{"name":"x"}`))
	r.Header.Set("X-Api-Key", value)
	r.Header.Set("X-Admin-Token", "token")
	w := httptest.NewRecorder()
	router.ServeHTTP(w, r)
	return fmt.Sprintf("%d %s", w.Code, w.Body)
}
