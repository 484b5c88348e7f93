package api_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"moviola/adapters/blobs"
	"moviola/domain/blobkey"
	"moviola/domain/template"

	"moviola/tests/harness"
)

// template saves a template of the client and returns its id.
func (c *client) template(t *testing.T, body string) string {
	t.Helper()
	id, _ := c.into(t, "POST", "/templates", body)["templateId"].(string)
	if len(id) != 20 || strings.Trim(id, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") != "" {
		t.Fatalf("template id %q", id)
	}
	harness.NextMillisecond()
	return id
}

// saved is one template of the client.
func (c *client) saved(t *testing.T, id string) object {
	t.Helper()
	return c.into(t, "GET", "/templates?id="+id, "")["template"].(object)
}

// update changes a template and returns the id of the answer.
func (c *client) update(t *testing.T, id, body string) any {
	t.Helper()
	return c.into(t, "POST", "/templates?id="+id, body)["templateId"]
}

// operate publishes or unpublishes a template as an operator.
func (c *client) operate(t *testing.T, id, act string, status int, came string) {
	t.Helper()
	answer := c.send(t, "POST", "/admin/templates/"+id+"/"+act, "", "X-Admin-Token", harness.AdminToken)
	var got struct{ Status string }
	answer.Into(t, &got)
	if answer.Status != status || got.Status != came {
		t.Errorf("%s: %d %.300s, want %d %s", act, answer.Status, answer.Body, status, came)
	}
}

// bodies is how many bodies of a template are stored.
func (i *installation) bodies(t *testing.T, id string) int {
	t.Helper()
	files, err := blobs.Open(t.Context(), filepath.Join(i.data, "files"), blobkey.DocumentPrefixes()...)
	if err != nil {
		t.Fatal(err)
	}
	found, err := files.List(t.Context(), blobkey.BodiesOf(template.ID(id)))
	if err = errors.Join(err, files.Close()); err != nil {
		t.Fatal(err)
	}
	return len(found)
}
