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
