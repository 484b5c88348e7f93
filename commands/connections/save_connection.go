package connections

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/connection"
	"moviola/eventstore"
)

// SaveConnection creates a connection of an account, or replaces it.
type SaveConnection struct {
	Account domain.AccountID
	ID      string
	Kind    connection.Kind
	// Settings are the settings from the client. Secret settings that are missing or masked keep their present values.
	Settings map[string]any
}

// SavedConnection is the result of saving a connection.
type SavedConnection struct {
	// SigningSecret is the new secret that signs a webhook. It is shown once; empty: no new secret was made.
	SigningSecret string
	Position      eventstore.Position
}

// SaveConnectionHandler handles SaveConnection and the renewal of signing secrets.
type SaveConnectionHandler struct {
	connections
	random io.Reader
}

// NewSaveConnectionHandler returns a handler. random is the source of random bytes for signing secrets: crypto/rand.Reader,
// except in tests.
func NewSaveConnectionHandler(
	log *eventstore.Log, vault commands.Vault, random io.Reader, now func() time.Time,
) SaveConnectionHandler {
	return SaveConnectionHandler{connections: connections{log, vault, now}, random: random}
}

// Handle saves the connection. A setting that is unknown, missing or not valid is Invalid. A secret that is to be kept but
// cannot be decrypted any more is a Conflict. Decision 50.
func (h SaveConnectionHandler) Handle(ctx context.Context, cmd SaveConnection) (SavedConnection, error) {
	var done SavedConnection
	var err error
	done.Position, err = h.decide(ctx, cmd.Account, cmd.ID, func(found *connection.Connection) ([]domain.Event, error) {
		before := h.before(cmd, found.Saved())
		settings, err := connection.Read(cmd.Kind, cmd.Settings, before)
		if err != nil {
			return nil, err
		}
		shown, secrets := cmd.Kind.Split(settings)
		if err := readable(cmd.ID, secrets); err != nil {
			return nil, err
		}
		if done.SigningSecret, err = h.signing(settings, before, secrets); err != nil {
			return nil, err
		}
		return h.save(cmd.Account, cmd.ID, found, cmd.Kind, shown, secrets)
	})
	return done, err
}

// before returns the present settings with secrets, or no settings when the connection is new or of another kind. Secrets that
// cannot be decrypted any more are masked; a signing secret among them counts as not set.
func (h SaveConnectionHandler) before(cmd SaveConnection, saved connection.Saved) connection.Settings {
	if saved.Kind != cmd.Kind {
		return nil
	}
	before := maps.Clone(saved.Settings)
	secrets, err := h.secrets(cmd.Account, cmd.ID, saved)
	if err != nil {
		for _, name := range saved.Secrets {
			before[name] = connection.Masked
		}
	}
	maps.Copy(before, secrets)
	return before
}

// readable returns an error of kind Conflict if a value in secrets is connection.Masked. Such a value stands for a secret
// that was saved earlier and shall be kept, but can no longer be decrypted. The client has to send that secret again. id
// is the id of the connection.
func readable(id string, secrets connection.Settings) error {
	var lost []string
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		if secrets[name] == connection.Masked {
			lost = append(lost, name)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return domain.Errorf(domain.Conflict, "connection_unreadable",
		"The secrets of connection %s cannot be read any more: send %s again", id, strings.Join(lost, ", "))
}

// signing copies the signing secrets of a signed webhook from before to secrets. If there is none, it makes the first one, and
// returns it.
func (h SaveConnectionHandler) signing(settings, before, secrets connection.Settings) (string, error) {
	if settings["signed"] != "true" {
		return "", nil
	}
	for _, name := range []string{connection.SigningSecret, connection.FormerSigningSecret} {
		if before[name] != "" {
			secrets[name] = before[name]
		}
	}
	if secrets[connection.SigningSecret] != "" {
		return "", nil
	}
	secret, err := h.draw()
	secrets[connection.SigningSecret] = secret
	return secret, err
}

func (h SaveConnectionHandler) draw() (string, error) {
	random := make([]byte, 32)
	if _, err := io.ReadFull(h.random, random); err != nil {
		return "", fmt.Errorf("draw a signing secret: %w", err)
	}
	return connection.NewSigningSecret(random), nil
}

func (c connections) save(
	account domain.AccountID, id string, found *connection.Connection, kind connection.Kind, shown, secrets connection.Settings,
) ([]domain.Event, error) {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(secrets)), func(name string) bool {
		return name == connection.SigningSecret || name == connection.FormerSigningSecret
	})
	saved, err := c.seal(account, id, connection.Saved{Kind: kind, Settings: shown, Secrets: names, At: c.now.Stamp()}, secrets)
	if err != nil {
		return nil, err
	}
	return found.Save(saved), nil
}

// RotateSigningSecret gives a signed webhook connection a new signing secret or, with Retire, removes the previous one. The
// previous secret stays valid until then, but not longer than until the next rotation. An older secret becomes invalid.
type RotateSigningSecret struct {
	Account domain.AccountID
	ID      string
	Retire  bool // true: the previous secret is removed, and no new one is made
}

// Rotate handles RotateSigningSecret. A connection that does not exist is NotFound. One that is not signed is Invalid; one
// whose secrets cannot be decrypted any more is a Conflict.
func (h SaveConnectionHandler) Rotate(ctx context.Context, cmd RotateSigningSecret) (SavedConnection, error) {
	var done SavedConnection
	var err error
	done.Position, err = h.decide(ctx, cmd.Account, cmd.ID, func(found *connection.Connection) ([]domain.Event, error) {
		saved := found.Saved()
		switch {
		case !found.Exists():
			return nil, connection.NotFound(cmd.ID)
		case saved.Settings["signed"] != "true":
			return nil, domain.Errorf(domain.Invalid, "connection_not_signed",
				"Connection %s is not signed: save it with signed true first", cmd.ID)
		}
		secrets, err := h.secrets(cmd.Account, cmd.ID, saved)
		if err != nil {
			return nil, err
		}
		if cmd.Retire {
			if secrets[connection.FormerSigningSecret] == "" {
				return nil, nil
			}
			delete(secrets, connection.FormerSigningSecret)
			return h.save(cmd.Account, cmd.ID, found, saved.Kind, saved.Settings, secrets)
		}
		secrets[connection.FormerSigningSecret] = secrets[connection.SigningSecret]
		if done.SigningSecret, err = h.draw(); err != nil {
			return nil, err
		}
		secrets[connection.SigningSecret] = done.SigningSecret
		return h.save(cmd.Account, cmd.ID, found, saved.Kind, saved.Settings, secrets)
	})
	return done, err
}
