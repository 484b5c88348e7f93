package operator

import (
	"time"

	"moviola/domain"
)

// ProvenPrefix is the prefix of the names of operators whom an identity provider has proven. Names of operators with a token
// cannot contain the colon.
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

// Attempt is one sign-in through an identity provider, from sending the browser there until its return.
type Attempt struct {
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"` // secret to which the provider's code is bound
	Redirect string    `json:"redirect"` // address to which the provider sends the browser back
	Began    time.Time `json:"began"`
}

// Proven is a person whose identity a provider has proven.
type Proven struct {
	Name    string `json:"name"` // name of the person as an operator; begins with ProvenPrefix
	Role    Role   `json:"role"`
	Issuer  string `json:"issuer"`
	Subject string `json:"subject"`
}
