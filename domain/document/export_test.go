package document_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"moviola/domain/document"
)

func TestDestinations(t *testing.T) {
	t.Parallel()
	m := mustParse(t, `{"scenes":[],"exports":[{"destinations":[
		{"type":"webhook","endpoint":"https://a/x?y","content-type":"application/x-www-form-urlencoded"},
		{"type":"webhook","endpoint":"https://b","content-type":"urlencoded"},
		{"id":"mine"},
		{"type":"aws-s3","id":"bucket"},
		"what"]}]}`)
	want := []document.Destination{
		{Type: "webhook", Endpoint: "https://a/x?y", ContentType: document.FormContent},
		{Type: "webhook", Endpoint: "https://b", ContentType: document.JSONContent},
		{ID: "mine", ContentType: document.JSONContent},
		{Type: "aws-s3", ID: "bucket", ContentType: document.JSONContent},
		{ContentType: document.JSONContent, Problem: "Destination 4 must be an object"},
	}
	got, err := document.Destinations(m)
	if len(got) == 5 && (got[2].Given["id"] != "mine" || got[4].Given != nil) {
		t.Errorf("the entries as they stand: %v, %v", got[2].Given, got[4].Given)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(document.Destination{}, "Given")); diff != "" || err != nil {
		t.Errorf("err %v, destinations (-want +got):\n%s", err, diff)
	}
}

// What events hold of a destination is short, whatever the document says: an event has a largest size.
func TestDestinations_TypeAndIDAreBounded(t *testing.T) {
	t.Parallel()
	long, most := strings.Repeat("ü", 256), strings.Repeat("ü", 255)
	got, err := document.Destinations(mustParse(t, `{"scenes":[],"exports":[{"destinations":[{"id":"`+long+`"},
		{"type":"`+long+`"},{"type":"webhook","endpoint":"https://a","id":"`+most+`"}]}]}`))
	if err != nil || len(got) != 3 {
		t.Fatalf("%d destinations, %v", len(got), err)
	}
	if d := got[0]; d.ID != strings.Repeat("ü", 60)+"…" || d.Problem != "The property 'id' of a destination must have at most 255 characters" {
		t.Errorf("a long id: %+v", d)
	}
	if d := got[1]; d.Type != strings.Repeat("ü", 60)+"…" || d.Problem != "The property 'type' of a destination must have at most 255 characters" {
		t.Errorf("a long type: %+v", d)
	}
	if d := got[2]; d.ID != most || d.Problem != "" {
		t.Errorf("an id of 255 characters: %+v", d)
	}
}

// A value that is not known when a movie is delivered is a mistake that is told; the property was left out without a word.
func TestDestinations_UnknownValues(t *testing.T) {
	t.Parallel()
	destinations := `{"destinations":[{"type":"webhook","endpoint":"https://a/{{x}}"},{"type":"ftp","host":"a","file":"{{my-clip_url}}"},
		{"type":"ftp","host":"a","file":"{{v_end}}"}]}`
	for _, exports := range []string{destinations, "[" + destinations + "]"} {
		got, err := document.Destinations(mustParse(t, `{"variables":{"x":1},"preload":[{"id":"my-clip","type":"image","src":"https://a/b"}],
			"elements":[{"id":"v","type":"video","src":"https://a/v"}],"exports":`+exports+`}`))
		if err != nil || len(got) != 3 {
			t.Fatalf("%d destinations, %v", len(got), err)
		}
		const why = "The property 'file' of a destination must not use results of preload items, or times that depend on sources: they are not known there"
		if got[0].Problem != "" || got[1].Problem != why || got[2].Problem != why {
			t.Errorf("problems %q, %q, %q", got[0].Problem, got[1].Problem, got[2].Problem)
		}
	}
}

func TestDestinations_None(t *testing.T) {
	t.Parallel()
	for _, exports := range []string{`null`, `[]`, `[null]`, `{}`, `[{}]`, `[{"destinations":null}]`, `[{"destinations":[]}]`} {
		got, err := document.Destinations(mustParse(t, `{"scenes":[],"exports":`+exports+`}`))
		if len(got) != 0 || err != nil {
			t.Errorf("exports %s: got %v, %v, want none", exports, got, err)
		}
	}
}

// TestDestinations_malformed: exports of another shape are a mistake that is told, and not nothing.
func TestDestinations_malformed(t *testing.T) {
	t.Parallel()
	for exports, message := range map[string]string{
		`[7]`: "exports must be a list with one object, with the property destinations", `"x"`: "exports must be a list with one object, with the property destinations",
		`[[]]`: "exports must be a list with one object, with the property destinations", `[{"destinations":{}}]`: "destinations must be a list of objects",
		`[{"destinations":"x"}]`: "destinations must be a list of objects",
		`[{"destinations":[` + strings.Repeat(`{"id":"a"},`, 20) + `{}]}]`: "A movie can have at most 20 destinations, this one has 21",
	} {
		_, err := document.Destinations(mustParse(t, `{"scenes":[],"exports":`+exports+`}`))
		requireError(t, err, "exports_invalid", message)
	}
}

func TestDestinations_TwoExports(t *testing.T) {
	t.Parallel()
	_, err := document.Destinations(mustParse(t, `{"scenes":[],"exports":[{"destinations":[]},{"destinations":[]}]}`))
	requireError(t, err, "exports_invalid", "Only one export object can be used, the movie has 2")
}

func TestCheckCloudKeys(t *testing.T) {
	t.Parallel()
	tests := []struct {
		destination string
		refused     bool
	}{
		{`{"type":"aws-s3","id":"x","remote-path":"a/b"}`, false},
		{`{"access-key":"x"}`, true},
		{`{"AWS_Secret_Access_Key":"x"}`, true},
		{`{"deep":{"list":[{"SessionToken":""}]}}`, true},
		{`{"id":"AKIAABCDEFGHIJKLMNOP"}`, true},
		{`{"note":"key ASIA0123456789ABCDEF here"}`, true},
		{`{"id":"AKIA-too-short"}`, false},
		{`{"accesskeys":"x"}`, false},
	}
	refused := func(destination, code, cloud string) {
		t.Helper()
		err := document.CheckCloudKeys(mustParse(t, `{"scenes":[],"exports":[{"destinations":[`+destination+`]}]}`))
		requireError(t, err, code, "Export destinations must not carry "+cloud+
			" keys. Save them in a connection and refer to it by its id")
	}
	for _, destination := range []string{
		`{"type":"gcs","id":"x","credentials":"x"}`, `{"gcs-credentials":{}}`, `{"google_service_account":"x"}`,
		`{"more":[{"private_key_id":"x"}]}`, `{"note":"{ \"type\" : \"service_account\" }"}`,
	} {
		refused(destination, "google_keys_in_movie", "Google")
	}
	for _, destination := range []string{
		`{"type":"azure-blob","id":"x","account-key":"x"}`, `{"AzureAccountKey":1}`, `{"storage_account_key":"x"}`,
		`{"sas-token":""}`, `{"note":"AccountName=a;AccountKey=abc=="}`,
	} {
		refused(destination, "azure_keys_in_movie", "Azure")
	}
	for _, destination := range []string{
		`{"type":"gcs","id":"x","remote-path":"a","file":"b"}`, `{"type":"sftp","private-key":"-----BEGIN PRIVATE KEY-----"}`,
		`{"endpoint":"https://logic.example/run?sp=run&sig=abc"}`, `{"account":"x","container":"y"}`,
	} {
		if err := document.CheckCloudKeys(mustParse(t, `{"scenes":[],"exports":[{"destinations":[`+destination+`]}]}`)); err != nil {
			t.Errorf("%s: %v", destination, err)
		}
	}
	for _, tt := range tests {
		err := document.CheckCloudKeys(mustParse(t, `{"scenes":[],"exports":[{"destinations":[`+tt.destination+`]}]}`))
		if tt.refused {
			requireError(t, err, "aws_keys_in_movie", "Export destinations must not carry AWS keys. Save them in a connection and refer to it by its id")
		} else if err != nil {
			t.Errorf("%s: %v", tt.destination, err)
		}
	}
}
