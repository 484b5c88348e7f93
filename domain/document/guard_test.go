package document_test

import (
	"errors"
	"strings"
	"testing"

	"moviola/domain"
	"moviola/domain/document"
)

// Decision 104.
func TestFillGuarded(t *testing.T) {
	t.Parallel()
	const (
		sender = "Abcd1234Efgh5678Ijkl"
		upper  = "Bbcd1234Efgh5678Ijkl" // of the same account as sender
		other  = "Cbcd1234Efgh5678Ijkl" // of another one
		shows  = "Dbcd1234Efgh5678Ijkl" // shows sender, and is of the same account
	)
	bodies := map[string]string{
		sender: `{"variables":{"pass":"{{my-salt}}!","my-salt":"hush","title":"Hello","login":{"key":"hush","user":"anna"}},"scenes":[{"elements":[{"type":"text","text":"{{title}}"}]}],
			"exports":[{"destinations":[{"type":"ftp","password":"{{pass}}","file":"{{title}}"},{"type":"sftp","passphrase":"{{login.key}}"}]}]}`,
		upper: `{"template":"` + sender + `","variables":{"title":"{{pass}}"}}`,
		other: `{"template":"` + sender + `","variables":{"title":"{{pass}}"}}`,
		shows: `{"elements":[{"type":"template","template":"` + sender + `","settings":{"title":"{{pass}}"}}]}`,
	}
	load := func(id, _ string) ([]byte, error) { return []byte(bodies[id]), nil }
	mayRead := func(by, _ string) bool { return by == upper || by == shows }
	named := `"template":"` + sender + `"`
	element := func(properties string) string {
		return `{"elements":[{"type":"template",` + named + `,` + properties + `}]}`
	}
	tests := []struct{ name, raw, property, variable string }{
		{"in a property", `{` + named + `,"width":"{{pass}}"}`, "width", "pass"},
		{"in a variable", `{` + named + `,"variables":{"title":"a {{ upper(pass) }}"}}`, "variables", "pass"},
		{"in a part of a variable", `{` + named + `,"variables":{"title":"x","list":[{"a":"{{pass}}"}]}}`, "variables", "pass"},
		{"with a dash", `{` + named + `,"variables":{"title":"{{ my-salt }}"}}`, "variables", "my-salt"},
		{"a part of an object", `{` + named + `,"variables":{"login":{"user":"b"},"title":"{{login['key']}}"}}`, "variables", "login"},
		{"in exports", `{` + named + `,"exports":[{"destinations":[{"type":"webhook","endpoint":"https://a/{{pass}}"}]}]}`, "exports", "pass"},
		{"by templateId", `{"templateId":"` + sender + `","quality":"{{pass}}"}`, "quality", "pass"},
		{"through a template of the account", `{"template":"` + upper + `","quality":"{{pass}}"}`, "quality", "pass"},
		{"by a template of another account", `{"template":"` + other + `"}`, "variables", "pass"},
		{"in the settings of an element", element(`"settings":{"title":"{{pass}}"}`), "settings", "pass"},
		{"in the variables of an element", element(`"variables":{"title":"{{pass}}"}`), "variables", "pass"},
		{"in the condition of an element", element(`"condition":"pass == 'hush'"`), "condition", "pass"},
		{"in a condition that becomes a part of another one", element(`"condition":"1) and (pass == 'hush'"`), "condition", "pass"},
		{"in a start with braces that do not end", element(`"start":"pass + '{{'"`), "start", "pass"},
		{"in a start with braces in quotes", element(`"start":"pass + '{{a}}'"`), "start", "pass"},
		{"in a condition with braces that do not end", element(`"condition":"pass == 'hush' + '{{'"`), "condition", "pass"},

		{"a value of its own", `{` + named + `,"variables":{"pass":"mine","title":"{{pass}}"},"exports":[{"destinations":[{"password":"{{pass}}"}]}]}`, "", ""},
		{"other variables", `{` + named + `,"width":"{{title}}","variables":{"a":"{{title}} pass"},"comment":"{{pass}}","client-data":{"a":"{{pass}}"}}`, "", ""},
		{"scenes are not used", `{` + named + `,"scenes":[{"elements":[{"type":"text","text":"{{pass}}"}]}]}`, "", ""},
		{"a value only", `{` + named + `,"variables":{"pass":"mine"}}`, "", ""},
		{"a template of the same account", `{"template":"` + upper + `"}`, "", ""},
		{"an element of a template of the same account", `{"template":"` + shows + `"}`, "", ""},
		{"a value of an element's own", element(`"settings":{"pass":"mine","title":"{{pass}}"}`), "", ""},
		{"no template", `{"variables":{"pass":"mine"},"elements":[{"type":"text","text":"{{pass}}"}]}`, "", ""},
	}
	for _, tt := range tests {
		_, err := document.FillGuarded([]byte(tt.raw), load, mayRead)
		var refused *domain.Error
		switch {
		case tt.variable == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.variable == "":
		case !errors.As(err, &refused) || refused.Code != "template_secret_used" ||
			!strings.HasPrefix(refused.Message, "The property '"+tt.property+"'") ||
			!strings.Contains(refused.Message, " uses the variable '"+tt.variable+"', which is a secret of the destinations of template "):
			t.Errorf("%s: %v", tt.name, err)
		}
		if _, err := document.Fill([]byte(tt.raw), load); err != nil {
			t.Errorf("%s, submitted before: %v", tt.name, err)
		}
	}
}
