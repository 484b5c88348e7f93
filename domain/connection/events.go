package connection

import (
	"strconv"
	"time"

	"moviola/domain"
)

// Saved is a connection as it was created or replaced. Its secrets are encrypted.
type Saved struct {
	Version  int      `json:"version"` // number of this version of the connection: 1, 2, ...; a deletion does not reset it
	Kind     Kind     `json:"kind"`
	Settings Settings `json:"settings" personal:"yes"` // settings that are no secrets
	// Secrets has the names of the secret settings that have a value. Sealed has their values, encrypted.
	Secrets []string  `json:"secrets,omitempty" personal:"no"`
	Sealed  Sealed    `json:"sealed" personal:"yes"`
	Signing int       `json:"signing,omitempty"` // number of valid signing secrets of a webhook: 0, 1, or 2 during a rotation
	At      time.Time `json:"at"`
}

// Sealed is encrypted content, and the id of the key that decrypts it.
type Sealed struct {
	Key  string `json:"key" personal:"no"`
	Data []byte `json:"data" personal:"no"` // nonce and ciphertext
}

// Tested is the result of a test of a connection, or the host key of an SFTP server that another use of the connection has seen.
type Tested struct {
	Number  int       `json:"number"` // number of the test: 1, 2, ...
	Success bool      `json:"success"`
	Message string    `json:"message" personal:"yes"`            // result in words; of addresses it names only scheme and host
	HostKey string    `json:"host_key,omitempty" personal:"yes"` // fingerprint of an SFTP server's host key, as SHA256:...
	At      time.Time `json:"at"`
}

// Deleted ends a connection. Its name can be used again.
type Deleted struct {
	Version int       `json:"version"` // number of the version that is deleted
	At      time.Time `json:"at"`
}

// EventType is the name of the type under which the event is stored.
func (Saved) EventType() string   { return "ConnectionSaved" }
func (Tested) EventType() string  { return "ConnectionTested" }
func (Deleted) EventType() string { return "ConnectionDeleted" }

// EventKey distinguishes the event from others of its type in the same stream. Two saves at the same time are two
// events, because every encryption has a nonce of its own.
func (e Saved) EventKey() string {
	return strconv.Itoa(e.Version) + "/" + e.Sealed.Key + "/" + string(e.Sealed.Data)
}

// EventKey distinguishes the event from others of its type in the same stream.
func (e Tested) EventKey() string {
	return strconv.Itoa(e.Number) + "/" + strconv.FormatInt(e.At.UnixMilli(), 10) + "/" + e.HostKey
}

// EventKey distinguishes the event from others of its type in the same stream.
func (e Deleted) EventKey() string { return strconv.Itoa(e.Version) }

// StreamCategory is the category of the streams of connections: the part of their names before the first dash.
const StreamCategory = "connection"

// Stream names the stream of an account's connection.
func Stream(account domain.AccountID, id string) string {
	return StreamCategory + "-" + Name(account, id)
}

// Name returns the name of a connection, unique among all accounts.
func Name(account domain.AccountID, id string) string { return string(account) + "." + id }
