package connection_test

import (
	"strings"
	"testing"

	"moviola/domain/connection"
)

// Only webhooks are told live events, and only those that they list. Decision 79.
func TestLiveEvents(t *testing.T) {
	t.Parallel()
	read := func(kind connection.Kind, events any) (connection.Settings, error) {
		return connection.Read(kind, map[string]any{"endpoint": "https://a.example/x", "events": events}, nil)
	}
	for _, good := range []any{[]any{"render.started", "batch.finished"}, "render.started, batch.finished", "batch.finished,render.started"} {
		settings, err := read(connection.Webhook, good)
		if err != nil {
			t.Fatalf("%v: %v", good, err)
		}
		for _, event := range connection.LiveEvents {
			want := event != "render.progress"
			if connection.Webhook.Hears(settings, connection.LiveEvent(event)) != want {
				t.Errorf("%v: hears %s, want %v", good, event, want)
			}
		}
		if connection.FTP.Hears(settings, connection.RenderStarted) {
			t.Error("a server for files hears")
		}
		if shown, secret := connection.Webhook.Split(settings); shown["events"] == "" || secret["events"] != "" {
			t.Errorf("shown %v", shown)
		}
	}
	if settings, err := read(connection.Webhook, []any{}); err != nil || connection.Webhook.Hears(settings, connection.RenderStarted) {
		t.Errorf("an empty list: %v, %v", settings, err)
	}
	for _, bad := range []any{"render.ended", []any{"render.started", "render.started"}, []any{"render.started", ""}, []any{1.0}, true} {
		if _, err := read(connection.Webhook, bad); err == nil || !strings.Contains(err.Error(), "events must be a list of render.started, ") {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if _, err := read(connection.S3, "render.started"); err == nil {
		t.Error("a storage lists events")
	}
	_, err := connection.Webhook.Override(connection.Settings{}, map[string]any{"events": "render.started"})
	requireCode(t, "a movie sets events", err, "setting_bound")
	inline, err := connection.Webhook.Inline(map[string]any{"endpoint": "https://a.example", "events": "render.started"})
	if err != nil || inline["events"] != "" {
		t.Errorf("inline: %v, %v", inline, err)
	}
}
