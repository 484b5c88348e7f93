package media

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"moviola/handlers/http/access"
)

// TestReadDeletion: an empty parameter of the query counts as not set beside a body (decision 7), another one must have the
// body's value (decision 65).
func TestReadDeletion(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ query, body, folder, refusal string }{
		{"folder=a", "", "a", ""},
		{"folder=", "", "", ""},
		{"", `{"folder":"a"}`, "a", ""},
		{"folder=", `{"folder":"a"}`, "a", ""},
		{"folder=a", `{}`, "a", ""},
		{"folder=a", `{"folder":"a"}`, "a", ""},
		{"folder=b", `{"folder":"a"}`, "", errDiffers.Message},
	} {
		query, err := url.ParseQuery(tt.query)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("DELETE", "/v2/media/folder", strings.NewReader(tt.body))
		got, err := readDeletion(httptest.NewRecorder(), r, access.Call{Query: query}, "folder")
		refusal := ""
		if err != nil {
			refusal = err.Error()
		}
		if folder, _ := got.text("folder"); folder != tt.folder || refusal != tt.refusal {
			t.Errorf("%q with %q: folder %q, %q", tt.query, tt.body, folder, refusal)
		}
	}
}
