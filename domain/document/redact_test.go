package document_test

import (
	"strings"
	"testing"

	"moviola/domain/document"
)

// Decision 30.
func TestRedact(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, want string }{
		{"no exports", `{ "scenes" : [], "password":"kept" }`, `{ "scenes" : [], "password":"kept" }`},
		{"inline ftp", `{"exports":[{"destinations":[{"type":"ftp","password" : "hush","file":"a"}]}],"x":1.50}`,
			`{"exports":[{"destinations":[{"type":"ftp","password" : "***","file":"a"}]}],"x":1.50}`},
		{"sftp with a key", `{"exports":{"destinations":[{"private_key":"a\nb","Passphrase":"c"},{"password":7},{"password":null},{"password":""}]}}`,
			`{"exports":{"destinations":[{"private_key":"***","Passphrase":"***"},{"password":"***"},{"password":null},{"password":"***"}]}}`},
		{"deeper", `{"exports":[{"password":{"value":["hush",2]}}]}`, `{"exports":[{"password":{"value":["***","***"]}}]}`},
		{"by a variable", `{"variables":{"pw":"hush","name":"Anna"},"exports":[{"destinations":[{"password":"{{ pw }}","file":"{{name}}"}]}]}`,
			`{"variables":{"pw":"***","name":"Anna"},"exports":[{"destinations":[{"password":"***","file":"{{name}}"}]}]}`},
		{"by a variable of a variable", `{"variables":{"pw":"{{ a }}-{{b}}","a":"hush {{pw}}","b":{"c":"{{d}}"},"d":7,"name":"Anna"},"exports":[{"password":"{{pw}}"}]}`,
			`{"variables":{"pw":"***","a":"***","b":{"c":"***"},"d":"***","name":"Anna"},"exports":[{"password":"***"}]}`},
		{"a variable after its use", `{"exports":[{"password":"x{{a.b}}"}],"variables":{"a":{"b":"hush"},"c":"kept"}}`,
			`{"exports":[{"password":"***"}],"variables":{"a":{"b":"***"},"c":"kept"}}`},
		{"by a variable with a name in another script", `{"variables":{"contraseña":"hush","a":"kept"},"exports":[{"password":"{{contraseña}}"}]}`,
			`{"variables":{"contraseña":"***","a":"kept"},"exports":[{"password":"***"}]}`},
		{"by a difference", `{"variables":{"a":9,"b":2},"exports":[{"password":"{{a-b}}"}]}`,
			`{"variables":{"a":"***","b":"***"},"exports":[{"password":"***"}]}`},
		{"by a name with a dash", `{"variables":{"my-pw":"{{ of-ftp }}","of-ftp":"hush"},"exports":[{"password":"x{{ my-pw }}"}]}`,
			`{"variables":{"my-pw":"***","of-ftp":"***"},"exports":[{"password":"***"}]}`},
		{"by an expression of several lines", `{"variables":{"pw":"hush"},"exports":[{"password":"{{\n  pw\n}}"}]}`,
			`{"variables":{"pw":"***"},"exports":[{"password":"***"}]}`},
		{"by an expression with braces in quotes", `{"variables":{"pw":"hush"},"exports":[{"password":"{{ concat('}}', pw) }}"}]}`,
			`{"variables":{"pw":"***"},"exports":[{"password":"***"}]}`},
		{"twice", `{"exports":[{"password":"one","password":"two"}]}`, `{"exports":[{"password":"***","password":"***"}]}`},
		{"escaped names", `{"exports":[{"p\u0061ssword":"hush"}]}`, `{"exports":[{"p\u0061ssword":"***"}]}`},
		{"an escaped exports", `{"\u0065xports":[{"password":"hush"}]}`, `{"\u0065xports":[{"password":"***"}]}`},
		{"a byte order mark", "\xef\xbb\xbf{\"exports\":[{\"password\":\"hush\"}]}", "\xef\xbb\xbf{\"exports\":[{\"password\":\"***\"}]}"},
		{"a login in an address", `{"exports":[{"destinations":[{"endpoint":"https://u:hush@a/x"},{"Endpoint":" HTTPS://u@a"},{"endpoint":"https://a/x?y=@b"}]}]}`,
			`{"exports":[{"destinations":[{"endpoint":"***"},{"Endpoint":"***"},{"endpoint":"https://a/x?y=@b"}]}]}`},
		{"a login by variables", `{"variables":{"pw":"hush"},"exports":[{"destinations":[{"endpoint":"https://u:{{pw}}@a/"}]}]}`,
			`{"variables":{"pw":"***"},"exports":[{"destinations":[{"endpoint":"***"}]}]}`},
		{"a login in a variable", `{"variables":{"hook":"{{to}}","to":"https://u:hush@a/","name":"Anna"},"exports":[{"destinations":[{"endpoint":"{{hook}}"},{"endpoint":"https://a/{{name}}"}]}]}`,
			`{"variables":{"hook":"{{to}}","to":"***","name":"Anna"},"exports":[{"destinations":[{"endpoint":"{{hook}}"},{"endpoint":"https://a/{{name}}"}]}]}`},
		{"a variable of a secret and of an address", `{"variables":{"a":"https://u:hush@a/"},"exports":[{"password":"{{a}}","endpoint":"{{a}}"}]}`,
			`{"variables":{"a":"***"},"exports":[{"password":"***","endpoint":"{{a}}"}]}`},
		{"a list of values", `{"variables":{"pw":"hush","@pw":"hush=Studio|hush2=Home","?pw":"Whose"},"exports":[{"password":"{{pw}}"}]}`,
			`{"variables":{"pw":"***","@pw":"***","?pw":"Whose"},"exports":[{"password":"***"}]}`},
		{"keys of clouds", `{"exports":[{"destinations":[{"secret_access_key":"hush","credentials":{"type":"x"},"AzureAccountKey":"hush","file":"AKIA1234567890123456","region":"r"}]}]}`,
			`{"exports":[{"destinations":[{"secret_access_key":"***","credentials":{"type":"***"},"AzureAccountKey":"***","file":"***","region":"r"}]}]}`},
		{"a key of a cloud by a variable", `{"variables":{"key":"hush"},"exports":[{"secret-access-key":"{{key}}"}]}`,
			`{"variables":{"key":"***"},"exports":[{"secret-access-key":"***"}]}`},
		{"a destination in a variable", `{"variables":{"d":{"host":"a","password":"{{pw}}"},"pw":"hush","e":{"endpoint":"https://u:hush@a/"}},"exports":[{"destinations":["{{d}}","{{e}}",{"file":"{{name}}"}]}]}`,
			`{"variables":{"d":{"host":"a","password":"***"},"pw":"***","e":{"endpoint":"***"}},"exports":[{"destinations":["{{d}}","{{e}}",{"file":"{{name}}"}]}]}`},
		{"a part of a variable that is no destination", `{"variables":{"who":{"name":"Anna","credentials":"kept"}},"exports":[{"destinations":[{"file":"{{who.name}}"}]}]}`,
			`{"variables":{"who":{"name":"Anna","credentials":"kept"}},"exports":[{"destinations":[{"file":"{{who.name}}"}]}]}`},
		{"exports in a variable", `{"variables":{"all":[{"destinations":"{{list}}"}],"list":[{"password":"hush","file":"a"}],"password":"kept"},"exports":"{{all}}"}`,
			`{"variables":{"all":[{"destinations":"{{list}}"}],"list":[{"password":"***","file":"a"}],"password":"kept"},"exports":"{{all}}"}`},
		{"elsewhere", `{"client-data":{"exports":[{"password":"kept"}]},"exports":[]}`, `{"client-data":{"exports":[{"password":"kept"}]},"exports":[]}`},
		{"in other cases", `{"Exports":[{"password":"kept"}]}`, `{"Exports":[{"password":"kept"}]}`},
	}
	for _, tt := range tests {
		got := string(document.Redact([]byte(tt.raw)))
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		if document.CarriesSecrets([]byte(tt.raw)) != (tt.raw != tt.want) {
			t.Errorf("%s: whether it carries secrets", tt.name)
		}
	}
}

// TestRedact_template: what a template's destinations use as secrets is masked in a document that only refers to the template.
// Decision 100.
func TestRedact_template(t *testing.T) {
	t.Parallel()
	const body = `"scenes":[{"duration":1}],"variables":{"login":"{{pass}}","title":"Hello"},`
	ftp := `{` + body + `"exports":[{"destinations":[{"type":"ftp","password":"{{login}}","file":"{{title}}"}]}]}`
	tests := []struct{ name, template, raw, want string }{
		{"a password", ftp, `{"template":"T","variables":{ "pass" : "hush","title":"Hi"}}`, `{"template":"T","variables":{ "pass" : "***","title":"Hi"}}`},
		{"by a variable that the movie adds", ftp, `{"template":"T","variables":{"login":"{{ mine }}","mine":"hush"}}`,
			`{"template":"T","variables":{"login":"***","mine":"***"}}`},
		{"of a template of a template", ftp, `{"template":"U","variables":{"inner":"hush","pass":"{{inner}}"}}`,
			`{"template":"U","variables":{"inner":"***","pass":"***"}}`},
		{"other variables", ftp, `{"template":"T","variables":{"title":"Hi"}}`, `{"template":"T","variables":{"title":"Hi"}}`},
		{"destinations of its own", ftp, `{"template":"T","variables":{"pass":"kept"},"exports":[]}`, `{"template":"T","variables":{"pass":"kept"},"exports":[]}`},
		{"a webhook", `{` + body + `"exports":[{"destinations":[{"type":"webhook","endpoint":"{{hook}}"}]}]}`,
			`{"template":"T","variables":{"hook":"https://u:hush@a/","title":"Hi"}}`, `{"template":"T","variables":{"hook":"***","title":"Hi"}}`},
		{"a webhook without a login", `{` + body + `"exports":[{"destinations":[{"type":"webhook","endpoint":"{{hook}}"}]}]}`,
			`{"template":"T","variables":{"hook":"https://a/"}}`, `{"template":"T","variables":{"hook":"https://a/"}}`},
		{"a whole destination", `{` + body + `"exports":[{"destinations":["{{to}}"]}]}`,
			`{"template":"T","variables":{"to":{"type":"ftp","password":"hush"},"title":"Hi"}}`,
			`{"template":"T","variables":{"to":{"type":"***","password":"***"},"title":"Hi"}}`},
	}
	for _, tt := range tests {
		full, err := document.Fill([]byte(tt.raw), func(id, _ string) ([]byte, error) {
			if id == "U" {
				return []byte(`{"template":"T","variables":{"pass":"{{other}}"}}`), nil
			}
			return []byte(tt.template), nil
		})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := string(document.Redact([]byte(tt.raw), document.SecretVariables(full)...)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	unknown := []byte("\xef\xbb\xbf" + `{"template":"T","variables":{"a":1,"b":{"c":2,"d":null}}}`)
	if got := strings.Join(document.SecretVariables(unknown), " "); got != "a b" {
		t.Errorf("while the template is not known, %q may be secret", got)
	}
}

// TestTakesSecrets: by a template's destinations it is known whether rows of a batch may have secrets.
func TestTakesSecrets(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]bool{
		`{"variables":{"a":1}}`:                                            false,
		`{"exports":[{"destinations":[{"password":"hush"}]}]}`:             false,
		`{"exports":[{"destinations":[{"file":"{{name}}"}]}]}`:             false,
		`{"exports":[{"destinations":[{"password":"x{{pass}}"}]}]}`:        true,
		`{"exports":[{"destinations":[{"endpoint":"https://{{host}}"}]}]}`: true,
		`{"exports":[{"destinations":[" {{to}}"]}]}`:                       true,
		`{"exports":"{{all}}"}`:                                            true,
	} {
		if got := document.TakesSecrets([]byte(raw)); got != want {
			t.Errorf("%s: %v", raw, got)
		}
	}
}

func FuzzRedact(f *testing.F) {
	f.Add(`"hush"`, `{"a":[1,"x"]}`)
	f.Fuzz(func(t *testing.T, secret, other string) {
		if strings.Contains(`{"exports":[{"password":"***"}]}`+other, "CANARY") {
			return
		}
		raw := []byte(`{"x":` + other + `,"exports":[{"password":"CANARY` + strings.NewReplacer(`"`, ``, `\`, ``).Replace(secret) + `"}]}`)
		if _, err := document.Parse(raw); err != nil {
			return
		}
		if got := document.Redact(raw); strings.Contains(string(got), "CANARY") {
			t.Fatalf("%s shows a secret: %s", raw, got)
		}
	})
}
