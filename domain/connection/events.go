package connection

import (
	"strconv"
	"time"

	"moviola/domain"
)

// Saved is a connection as it was created or replaced. It carries no secret in the clear.
type Saved struct {
	Version  int      `json:"version"` // 1, 2, ...; counts on after a deletion
	Kind     Kind     `json:"kind"`
	Settings Settings `json:"settings"` // without secrets
	// Secrets names the secret settings that are set. Sealed holds them, encrypted.
	Secrets []string  `json:"secrets,omitempty"`
	Sealed  Sealed    `json:"sealed"`
	Signing int       `json:"signing,omitempty"` // signing secrets that are valid: 0, 1, or 2 while they are rotated
	At      time.Time `json:"at"`
}

// Sealed is encrypted content. The key's id says which key opens it.
type Sealed struct {
	Key  string `json:"key"`
	Data []byte `json:"data"` // nonce and ciphertext
}

// Tested is the result of a test call, or what a use has shown that a test would have: the host key of an SFTP server.
type Tested struct {
	Number  int       `json:"number"` // 1, 2, ...
	Success bool      `json:"success"`
	Message string    `json:"message"`            // shows scheme and host of addresses only
	HostKey string    `json:"host_key,omitempty"` // of an SFTP server: SHA256:...
	At      time.Time `json:"at"`
}

// Deleted ends a connection. Its name can be used again.
type Deleted struct {
	Version int       `json:"version"` // that is deleted
	At      time.Time `json:"at"`
}

// EventType is the persisted name.
func (Saved) EventType() string   { return "ConnectionSaved" }
func (Tested) EventType() string  { return "ConnectionTested" }
func (Deleted) EventType() string { return "ConnectionDeleted" }

// EventKey tells the event from others of its type in the same stream. Two that save at once must not be taken for one: every
// sealing has a nonce of its own.
func (e Saved) EventKey() string {
	return strconv.Itoa(e.Version) + "/" + e.Sealed.Key + "/" + string(e.Sealed.Data)
}

// EventKey tells the event from others of its type in the same stream.
func (e Tested) EventKey() string {
	return strconv.Itoa(e.Number) + "/" + strconv.FormatInt(e.At.UnixMilli(), 10) + "/" + e.HostKey
}

// EventKey tells the event from others of its type in the same stream.
func (e Deleted) EventKey() string { return strconv.Itoa(e.Version) }

// StreamCategory is what the names of connection streams begin with, up to the first dash.
const StreamCategory = "connection"

// Stream names the stream of an account's connection.
func Stream(account domain.AccountID, id string) string {
	return StreamCategory + "-" + Name(account, id)
}

// Name is a connection's name among those of all accounts.
func Name(account domain.AccountID, id string) string { return string(account) + "." + id }
