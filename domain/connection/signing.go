package connection

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// The names under which a webhook's signing secrets are kept among its secrets.
const (
	SigningSecret       = "signing-secret"
	FormerSigningSecret = "former-signing-secret"
)

// signingPrefix begins every signing secret as it is shown. Standard Webhooks.
const signingPrefix = "whsec_"

// NewSigningSecret writes random bytes as a signing secret: 24 to 64 of them.
func NewSigningSecret(random []byte) string {
	return signingPrefix + base64.StdEncoding.EncodeToString(random)
}

// Sign returns the header webhook-signature of a message: one signature for each of the secrets, so that a receiver may know
// either while they are rotated. Standard Webhooks: v1 is HMAC-SHA256 over id, time in seconds and body, joined by dots.
func Sign(secrets []string, id string, at time.Time, body []byte) string {
	var signatures []string
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, signingPrefix))
		if err != nil {
			continue // none of ours: NewSigningSecret writes what can be read
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
		mac.Write(body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(signatures, " ")
}

// SigningSecrets are the valid signing secrets among a connection's secrets, the newest first.
func SigningSecrets(secrets Settings) []string {
	var valid []string
	for _, name := range []string{SigningSecret, FormerSigningSecret} {
		if secrets[name] != "" {
			valid = append(valid, secrets[name])
		}
	}
	return valid
}
