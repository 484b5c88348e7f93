package operator

import (
	"time"

	"moviola/domain"
)

// ProvenPrefix begins the names of operators whom an identity provider has proven. No operator with a token can have such a name,
// because of the colon.
const ProvenPrefix = "oidc:"

// Refusals of a sign-in through an identity provider.
var (
	ErrUnreachable = domain.Errorf(domain.Unavailable, "oidc_unreachable",
		"The identity provider does not answer: sign in with an operator's token, or try again later")
	ErrUnproven = domain.Errorf(domain.Forbidden, "oidc_refused",
		"What the identity provider answered was refused: begin again. The log of the service says why")
	ErrNoRole = domain.Errorf(domain.Forbidden, "oidc_no_role",
		"The identity provider knows you, but you have no role as an operator here: whoever runs this service gives roles")
)

// Attempt is one sign-in through an identity provider, between sending somebody there and their return.
type Attempt struct {
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"` // the secret that the code is bound to
	Redirect string    `json:"redirect"` // where the provider sends the browser back to
	Began    time.Time `json:"began"`
}

// Proven is somebody whom an identity provider has told of.
type Proven struct {
	Name    string `json:"name"` // begins with ProvenPrefix
	Role    Role   `json:"role"`
	Issuer  string `json:"issuer"`
	Subject string `json:"subject"`
}
