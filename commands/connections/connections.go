package connections

import (
	"context"
	"encoding/json"
	"fmt"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/connection"
	"moviola/eventstore"
)

// connections has the functions that commands on connections share.
type connections struct {
	log   *eventstore.Log
	vault commands.Vault
	now   eventstore.Clock
}

// OpenedConnection is a saved connection with its secrets.
type OpenedConnection struct {
	ID       string
	Version  int // number of times that the connection had been saved when it was opened
	Kind     connection.Kind
	Settings connection.Settings // all settings, with the secrets in clear text
	// Signing are the signing secrets of a signed webhook, newest first.
	Signing []string
	HostKey string // fingerprint of the host key that the SFTP server showed at the first use
}

// Connections opens saved connections.
type Connections struct{ connections }

// NewConnections returns Connections over a log.
func NewConnections(log *eventstore.Log, vault commands.Vault) Connections {
	return Connections{connections{log: log, vault: vault}}
}

// Open returns a connection of an account with its secrets. A connection that does not exist, or belongs to another account
// (decision 6), is a *domain.Error of kind NotFound; a connection whose secrets cannot be decrypted any more is one of kind
// Conflict.
func (c Connections) Open(ctx context.Context, account domain.AccountID, id string) (OpenedConnection, error) {
	if connection.CheckID(id) != nil {
		return OpenedConnection{}, connection.NotFound(id)
	}
	found, _, err := c.load(ctx, account, id)
	if err != nil {
		return OpenedConnection{}, err
	}
	if !found.Exists() {
		return OpenedConnection{}, connection.NotFound(id)
	}
	secrets, err := c.secrets(account, id, found.Saved())
	if err != nil {
		return OpenedConnection{}, err
	}
	opened := OpenedConnection{
		ID: id, Version: found.Saved().Version, Kind: found.Saved().Kind, Settings: connection.Settings{}, HostKey: found.HostKey(),
	}
	for name, value := range found.Saved().Settings {
		opened.Settings[name] = value
	}
	for name, value := range secrets {
		opened.Settings[name] = value
	}
	delete(opened.Settings, connection.SigningSecret)
	delete(opened.Settings, connection.FormerSigningSecret)
	if opened.Settings["signed"] == "true" {
		opened.Signing = connection.SigningSecrets(secrets)
	}
	return opened, nil
}

func (c connections) load(
	ctx context.Context, account domain.AccountID, id string,
) (*connection.Connection, eventstore.Appended, error) {
	found := connection.New()
	at, err := c.log.CatchUp(ctx, connection.Stream(account, id), eventstore.Appended{Revision: eventstore.NoStream}, found.Apply)
	if err != nil {
		return nil, at, fmt.Errorf("load connection %s of account %s: %w", id, account, err)
	}
	return found, at, nil
}

// secrets decrypts the secrets of a connection. When they are damaged, or the key no longer exists, the error is a *domain.Error
// of kind Conflict joined with the error of the Vault.
func (c connections) secrets(account domain.AccountID, id string, saved connection.Saved) (connection.Settings, error) {
	if saved.Version == 0 {
		return nil, nil
	}
	var secrets connection.Settings
	content, err := c.vault.Open(connection.Name(account, id), saved.Sealed)
	if err == nil {
		err = json.Unmarshal(content, &secrets)
	}
	if err != nil {
		refusal := domain.Errorf(domain.Conflict, "connection_unreadable",
			"The secrets of connection %s cannot be read any more: save it again", id)
		return nil, fmt.Errorf("%w: connection %s of account %s: %w", refusal, id, account, err)
	}
	return secrets, nil
}

// seal encrypts the secrets of a connection and returns the event that saves the connection.
func (c connections) seal(
	account domain.AccountID, id string, saved connection.Saved, secrets connection.Settings,
) (connection.Saved, error) {
	content, err := json.Marshal(secrets)
	if err != nil {
		return saved, fmt.Errorf("write the secrets of connection %s: %w", id, err)
	}
	if saved.Sealed, err = c.vault.Seal(connection.Name(account, id), content); err != nil {
		return saved, err
	}
	saved.Signing = len(connection.SigningSecrets(secrets))
	return saved, nil
}

// decide loads a connection, calls the function in the parameter decide, and appends the events that it returns.
func (c connections) decide(ctx context.Context, account domain.AccountID, id string,
	decide func(found *connection.Connection) ([]domain.Event, error),
) (eventstore.Position, error) {
	if err := connection.CheckID(id); err != nil {
		return eventstore.Position{}, err
	}
	found := connection.New()
	appended, err := c.log.Decide(ctx, connection.Stream(account, id), found, func() (eventstore.Decision, error) {
		events, err := decide(found)
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, account, c.now.Stamp()), Events: events}, err
	})
	if err != nil {
		return eventstore.Position{}, fmt.Errorf("connection %s of account %s: %w", id, account, err)
	}
	return appended.Position, nil
}
