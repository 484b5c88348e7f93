package connection_test

import (
	"strings"
	"testing"

	"moviola/domain/connection"
)

// What limits deliveries and what the delivery log shows come from the descriptor of a kind.
func TestKind_Origin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind         connection.Kind
		settings     connection.Settings
		origin, host string
	}{
		{connection.Webhook, connection.Settings{"endpoint": "https://Example.com:8443/secret?x=1"}, "https://Example.com:8443", "example.com"},
		{connection.FTP, connection.Settings{"host": "FTP.example.com"}, "ftp://ftp.example.com", "ftp.example.com"},
		{connection.S3, connection.Settings{"region": "eu-west-1"}, "https://s3.eu-west-1", "s3.eu-west-1"},
		{connection.GCS, connection.Settings{"bucket": "b"}, "https://storage.googleapis.com", "storage.googleapis.com"},
		{connection.AzureBlob, connection.Settings{"account": "acme"}, "https://acme.blob.core.windows.net", "acme.blob.core.windows.net"},
		{connection.AzureBlob, connection.Settings{"account": "acme", "endpoint": "http://localhost:10000/acme"}, "http://localhost:10000", "localhost"},
		{connection.Folder, connection.Settings{"folder": "Exports_1"}, "folder://Exports_1", "Exports_1"},
		{connection.Email, connection.Settings{"to": "ana@example.com"}, "email:", ""},
	} {
		if origin, host := tt.kind.Origin(tt.settings), tt.kind.Host(tt.settings); origin != tt.origin || host != tt.host {
			t.Errorf("%s: %q and %q, want %q and %q", tt.kind, origin, host, tt.origin, tt.host)
		}
	}
}

// Every setting is described once, for all kinds that have it.
func TestAllSettings(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for _, s := range connection.AllSettings() {
		if _, twice := texts[s.Name]; twice || s.Text == "" {
			t.Errorf("%s: %q", s.Name, s.Text)
		}
		texts[s.Name] = s.Text
	}
	for name, want := range map[string]string{
		"username": "ftp, sftp, email.",
		"port":     "ftp: default 21. sftp: default 22. email: default 587, or 465 with security tls.",
		"bucket":   "aws-s3, gcs.",
	} {
		if texts[name] != want {
			t.Errorf("%s: %q, want %q", name, texts[name], want)
		}
	}
	for _, kind := range connection.Kinds() {
		for _, f := range connection.Kind(kind).Fields() {
			if texts[f.Name] == "" {
				t.Errorf("%s of %s is not described", f.Name, kind)
			}
		}
	}
}

// TestNames_short: a message about an unknown property stays short, because it becomes a part of an event.
func TestNames_short(t *testing.T) {
	t.Parallel()
	given := map[string]any{strings.Repeat("n", 5000): "x"}
	_, errOverride := connection.FTP.Override(connection.Settings{}, given)
	_, errRead := connection.Read(connection.FTP, given, nil)
	for _, err := range []error{errOverride, errRead} {
		if err == nil || len(err.Error()) > 200 {
			t.Errorf("error %.100v", err)
		}
	}
}
