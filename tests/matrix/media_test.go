package matrix_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

const uploaded = "a file of a few bytes"

// fileBody registers a file.
func fileBody(file string) string {
	return fmt.Sprintf(`{"name":%q,"contentType":"text/plain","size":%d}`, file, len(uploaded))
}

// uploadedFile is a file in the root of a library.
func uploadedFile(t *testing.T, of *tenant, deleted bool) string {
	t.Helper()
	file := name("file")
	address := of.field(t, http.MethodPost, "/media/file", fileBody(file), "uploadUrl")
	at := strings.Index(address, "/v2/")
	if at < 0 {
		t.Fatalf("upload address %s", address)
	}
	if answer := of.http.Send(http.MethodPut, address[at:], []byte(uploaded), http.Header{"Content-Type": {"text/plain"}}); answer.Status != http.StatusOK {
		t.Fatalf("upload: %d %s", answer.Status, answer.Body)
	}
	if deleted {
		of.call(t, http.MethodDelete, "/media/file", fmt.Sprintf(`{"name":%q}`, file))
	}
	return file
}

// folder is an empty folder.
func folder(t *testing.T, of *tenant, deleted bool) string {
	t.Helper()
	named := name("folder")
	of.call(t, http.MethodPost, "/media/folder", fmt.Sprintf(`{"folder":%q}`, named))
	if deleted {
		of.call(t, http.MethodDelete, "/media/folder", fmt.Sprintf(`{"folder":%q}`, named))
	}
	return named
}

// inBody names the subject in a field of the body, with more fields behind it.
func inBody(field, more string) func(string) (string, string) {
	return func(id string) (string, string) { return "", fmt.Sprintf(`{%q:%q%s}`, field, id, more) }
}

func byPath(id string) (query, body string) { return "path=" + id, "" }

const (
	noSuchFile   = "fileUnknow"
	noSuchFolder = "folderUnknow"
)

var (
	noFile   = want{404, "file_not_found", "File not found"}
	noFolder = want{404, "folder_not_found", "Folder not found"}
)

// mediaRows are the routes of the media library. Decisions 43 to 45. A path names a file of the caller's own only: another's is unknown.
var mediaRows = []row{
	{route: "GET /v2/media", name: "root", own: want{status: 200, text: `"storage":`}},
	{
		route: "GET /v2/media", name: "folder", subject: folder, request: byPath, unknown: noSuchFolder,
		own: fine, foreign: noFolder, deleted: &noFolder,
	},
	{route: "GET /v2/media/folder", name: "root", own: fine},
	{
		route: "GET /v2/media/folder", name: "folder", subject: folder, request: byPath, unknown: noSuchFolder,
		own: fine, foreign: noFolder, deleted: &noFolder,
	},
	{
		route: "GET /v2/media/file", subject: uploadedFile, request: byPath, unknown: noSuchFile,
		own: want{status: 200, text: `%s`}, foreign: noFile, deleted: &noFile,
	},
	{
		route: "POST /v2/media/file", request: func(string) (string, string) { return "", fileBody(name("file")) },
		own: want{status: 200, text: `"uploadUrl":"`}, changes: true,
	},
	{
		route: "PUT /v2/media/file", subject: uploadedFile, request: inBody("name", `,"destination":"moved"`), unknown: noSuchFile, changes: true,
		own: fine, foreign: noFile, deleted: &noFile,
	},
	{
		route: "DELETE /v2/media/file", subject: uploadedFile, request: inBody("name", ""), unknown: noSuchFile, changes: true,
		own: fine, foreign: noFile, deleted: &noFile,
	},
	{
		route: "DELETE /v2/media", subject: uploadedFile, request: inBody("path", ""), unknown: noSuchFile, changes: true,
		own: fine, foreign: noFile, deleted: &noFile,
	},
	{
		route: "POST /v2/media/folder", request: func(string) (string, string) { return inBody("folder", "")(name("folder")) },
		own: fine, changes: true,
	},
	{
		route: "DELETE /v2/media/folder", subject: folder, request: inBody("folder", ""), unknown: noSuchFolder, changes: true,
		own: fine, foreign: noFolder, deleted: &noFolder,
	},
}
