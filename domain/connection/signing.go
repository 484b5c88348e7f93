package connection

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// The names that a webhook's signing secrets have among the connection's secrets.
const (
	SigningSecret       = "signing-secret"
	FormerSigningSecret = "former-signing-secret"
)

// signingPrefix is the prefix of every signing secret in its printed form. Standard Webhooks.
const signingPrefix = "whsec_"

// NewSigningSecret returns the printed form of a signing secret; random has 24 to 64 bytes.
func NewSigningSecret(random []byte) string {
	return signingPrefix + base64.StdEncoding.EncodeToString(random)
}

// Sign returns the header webhook-signature of a message: one signature per secret, so that during a rotation receivers with the
// old secret and receivers with the new secret accept the message. Standard Webhooks: v1 is HMAC-SHA256 over id, time in seconds
// and body, joined by dots.
func Sign(secrets []string, id string, at time.Time, body []byte) string {
	var signatures []string
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, signingPrefix))
		if err != nil {
			continue // a text that is not the printed form of a secret is skipped
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
		mac.Write(body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(signatures, " ")
}

// SigningSecrets returns the valid signing secrets among a connection's secrets, the newest first.
func SigningSecrets(secrets Settings) []string {
	var valid []string
	for _, name := range []string{SigningSecret, FormerSigningSecret} {
		if secrets[name] != "" {
			valid = append(valid, secrets[name])
		}
	}
	return valid
}
