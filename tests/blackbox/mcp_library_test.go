package blackbox_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// TestAgentLibrary: a template of the library is found and rendered as it is; agents are told what they can do with it, and
// nothing else.
func TestAgentLibrary(t *testing.T) {
	t.Parallel()
	s := startForAgents(t)
	owner := s.NewAccount("owner", 60)
	id := owner.SaveTemplate(`{"name":"Spring sale","movie":{"resolution":"custom","width":64,"height":64,"variables":{"s":1},
		"scenes":[{"duration":"{{s}}"}]}}`)
	operator := http.Header{"X-Admin-Token": {harness.AdminToken}}
	answer := s.client.Send(http.MethodPost, "/admin/templates/"+id+"/publish", nil, operator)
	if answer.Status != http.StatusOK {
		t.Fatalf("%d %s", answer.Status, answer.Body)
	}
	session := connect(t, s.client.Base+"/mcp", s.client.Key)
	var facts map[string]any
	harness.Eventually(t, "the template is in the library", func() bool {
		facts, _ = callTool(t, session, "find_templates", map[string]any{"search": "spring"})
		return facts["total"] == 1.0
	})
	next := facts["next_call"].(map[string]any)
	says := facts["next"].(string)
	if !strings.Contains(says, "as it is") || !strings.Contains(says, "duplicate") || strings.Contains(says, "escribe it to") ||
		facts["templates"].([]any)[0].(map[string]any)["own"] != false {
		t.Errorf("found: %v", facts)
	}
	refused, result := callTool(t, session, "describe_template", map[string]any{"template": id})
	if !result.IsError || refused["code"] != "template_not_found" || !strings.Contains(refused["next"].(string), "duplicate") {
		t.Errorf("described: %v", refused)
	}
	// The call that the answer names is made as it stands, with nothing but the budget added.
	arguments := next["arguments"].(map[string]any)
	arguments["max_credits"] = 2
	made, result := callTool(t, session, next["tool"].(string), arguments)
	if result.IsError {
		t.Fatalf("rendered: %v", made)
	}
	s.client.WaitFor(made["project"].(string), "done")

	// Beside one of the account's own the answer says which of them can be described.
	own := s.client.SaveTemplate(`{"name":"Spring card","movie":{"scenes":[]}}`)
	harness.Eventually(t, "both are found", func() bool {
		facts, _ = callTool(t, session, "find_templates", map[string]any{"search": "spring"})
		return facts["total"] == 2.0
	})
	said, err := json.Marshal(facts)
	if err != nil || !strings.Contains(facts["next"].(string), "own") || !strings.Contains(string(said), own) {
		t.Errorf("%v %s", err, said)
	}
}
