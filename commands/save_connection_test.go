package commands_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"moviola/commands"
	"moviola/commands/connections"
	"moviola/domain"
	"moviola/domain/connection"
)

// damaged is a vault whose Seal returns a ciphertext that cannot be decrypted.
type damaged struct {
	commands.Vault
	harm func(v commands.Vault, place string, content []byte) (connection.Sealed, error)
}

func (d damaged) Seal(place string, content []byte) (connection.Sealed, error) {
	return d.harm(d.Vault, place, content)
}

// harms returns vaults whose ciphertexts cannot be decrypted, by the reason.
func harms(t *testing.T) map[string]damaged {
	t.Helper()
	type seal = func(commands.Vault, string, []byte) (connection.Sealed, error)
	v := mustVault(t, keyOf('a'))
	found := map[string]damaged{"a key that is not given any more": {mustVault(t, keyOf('b')), commands.Vault.Seal}}
	for name, harm := range map[string]seal{
		"a byte is another": func(v commands.Vault, place string, content []byte) (connection.Sealed, error) {
			sealed, err := v.Seal(place, content)
			sealed.Data[len(sealed.Data)-1] ^= 1
			return sealed, err
		},
		"it is cut short": func(v commands.Vault, place string, content []byte) (connection.Sealed, error) {
			sealed, err := v.Seal(place, content)
			sealed.Data = sealed.Data[:3]
			return sealed, err
		},
		"it belongs elsewhere": func(v commands.Vault, place string, content []byte) (connection.Sealed, error) {
			return v.Seal(place+"x", content)
		},
		"it holds something else": func(v commands.Vault, place string, content []byte) (connection.Sealed, error) {
			return v.Seal(place, content[1:])
		},
	} {
		found[name] = damaged{v, harm}
	}
	return found
}

// connect saves a connection of alice.
func (w *world) connect(v commands.Vault, id string, kind connection.Kind, settings map[string]any) (connections.SavedConnection, error) {
	h := connections.NewSaveConnectionHandler(w.log, v, rand.Reader, w.clock)
	return h.Handle(w.t.Context(), connections.SaveConnection{Account: alice, ID: id, Kind: kind, Settings: settings})
}

// opened returns the settings of a connection of alice, with its secrets.
func (w *world) opened(v commands.Vault, id string) connection.Settings {
	w.t.Helper()
	c, err := connections.NewConnections(w.log, v).Open(w.t.Context(), alice, id)
	w.must(err)
	return c.Settings
}

// requireUnreadable requires a Conflict with the code connection_unreadable whose message contains the text in says.
func requireUnreadable(t *testing.T, err error, says string) {
	t.Helper()
	var refusal *domain.Error
	if !errors.As(err, &refusal) || refusal.Kind != domain.Conflict || refusal.Code != "connection_unreadable" || !strings.Contains(refusal.Message, says) {
		t.Errorf("error %v, want connection_unreadable that says %q", err, says)
	}
}

// When secrets cannot be decrypted any more, a client that sends new ones can save the connection. A client that keeps one
// is told to send it again.
func TestSaveConnection_unreadable(t *testing.T) {
	t.Parallel()
	server := map[string]any{"host": "a.example", "username": "me", "password": "hush", "private-key": "pem"}
	tests := []struct {
		name string
		sent map[string]any // beside host and user
		says string         // a part of the refusal; empty: the connection is saved
	}{
		{"both again", map[string]any{"password": "new", "private-key": "pem"}, ""},
		{"one again, the other emptied", map[string]any{"password": "new", "private-key": ""}, ""},
		{"both emptied", map[string]any{"password": "", "private-key": nil}, ""},
		{"elsewhere, where nothing is kept", map[string]any{"host": "b.example", "password": "new"}, ""},
		{"one left out", map[string]any{"password": "new"}, "send private-key again"},
		{"one masked", map[string]any{"password": connection.Masked, "private-key": "pem"}, "send password again"},
		{"both left out", nil, "send password, private-key again"},
		{"one that it never had", map[string]any{"password": "new", "private-key": "pem", "passphrase": connection.Masked}, ""},
	}
	for harm, v := range harms(t) {
		for _, tt := range tests {
			t.Run(harm+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				good := mustVault(t, keyOf('a'))
				_, err := w.connect(v, "mine", connection.SFTP, server)
				w.must(err)
				sent := map[string]any{"host": "a.example", "username": "you"}
				for name, value := range tt.sent {
					sent[name] = value
				}
				_, err = w.connect(good, "mine", connection.SFTP, sent)
				if tt.says != "" {
					requireUnreadable(t, err, tt.says)
					return
				}
				w.must(err)
				got, password := w.opened(good, "mine"), tt.sent["password"]
				if got["username"] != "you" || got["password"] != password || got["private-key"] == connection.Masked {
					t.Errorf("saved %v", got)
				}
			})
		}
	}
}

// A signed webhook whose secrets cannot be decrypted any more gets a new signing secret when it is saved with a new address.
// A masked address is not taken for an address.
func TestSaveConnection_unreadableWebhook(t *testing.T) {
	t.Parallel()
	for harm, v := range harms(t) {
		t.Run(harm, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			good := mustVault(t, keyOf('a'))
			hook := map[string]any{"endpoint": "https://a.example/hush", "signed": true}
			first, err := w.connect(v, "hook", connection.Webhook, hook)
			w.must(err)
			_, err = w.connect(good, "hook", connection.Webhook, map[string]any{"signed": true})
			requireUnreadable(t, err, "send endpoint again")
			rotate := connections.NewSaveConnectionHandler(w.log, good, rand.Reader, w.clock)
			_, err = rotate.Rotate(t.Context(), connections.RotateSigningSecret{Account: alice, ID: "hook"})
			requireUnreadable(t, err, "save it again")
			_, err = connections.NewConnections(w.log, good).Open(t.Context(), alice, "hook")
			requireUnreadable(t, err, "save it again")

			again, err := w.connect(good, "hook", connection.Webhook, hook)
			w.must(err)
			if again.SigningSecret == "" || again.SigningSecret == first.SigningSecret || w.opened(good, "hook")["endpoint"] != hook["endpoint"] {
				t.Errorf("saved again: %+v after %+v, %v", again, first, w.opened(good, "hook"))
			}
			if kept, err := w.connect(good, "hook", connection.Webhook, map[string]any{"signed": true}); err != nil || kept.SigningSecret != "" {
				t.Errorf("and once more, with what is stored: %+v, %v", kept, err)
			}
		})
	}
}
