package config

import (
	"net/url"
	"slices"

	"github.com/spf13/pflag"

	"moviola/domain/operator"
)

// OperatorsOIDC are the flags on the identity provider by which operators sign in. Decision 88.
type OperatorsOIDC struct {
	Issuer     string // address of the provider; empty: operators sign in with tokens only
	ClientID   string
	Secret     string
	Scopes     []string
	RolesGiven string              // the value of --operators-oidc-roles
	RolesOf    operator.ClaimRoles // the parsed value of RolesGiven; Validate sets it
}

// BindOIDC declares the flags on the identity provider by which operators sign in.
func (o *OperatorsOIDC) BindOIDC(f *pflag.FlagSet) {
	f.StringVar(&o.Issuer, "operators-oidc-issuer", "",
		"OpenID provider by which operators sign in to their console, https://id.example.com/realms/video (default: with tokens only)")
	f.StringVar(&o.ClientID, "operators-oidc-client", "", "id under which the provider knows this service")
	f.StringVar(&o.Secret, "operators-oidc-secret", "", "secret of that client (default: none, for a client that has no secret)")
	f.StringSliceVar(&o.Scopes, "operators-oidc-scopes", []string{"openid", "profile", "email"},
		"what the provider is asked for; some tell of groups only if it is asked for groups, too")
	f.StringVar(&o.RolesGiven, "operators-oidc-roles", "", "which values of a claim give which role, CLAIM=VALUE:ROLE,…: "+
		"groups=video-ops:operator,video-admins:owner; of several roles the highest counts")
}

// check adds complaints about the flags on the identity provider, and derives the roles from RolesGiven.
func (o *OperatorsOIDC) check(complain complaint) {
	if o.Issuer == "" {
		if o.ClientID != "" || o.Secret != "" || o.RolesGiven != "" {
			complain("--operators-oidc-client, --operators-oidc-secret and --operators-oidc-roles: give --operators-oidc-issuer, too")
		}
		return
	}
	if address, err := url.Parse(o.Issuer); !webAddress(o.Issuer) || err != nil ||
		address.Scheme != "https" && !Loopback(withPort(address.Host)) {
		complain("--operators-oidc-issuer: give an address such as https://id.example.com, without user and query; plain http is for " +
			"a provider on this host only")
	}
	if o.ClientID == "" || o.RolesGiven == "" {
		complain("--operators-oidc-issuer: give --operators-oidc-client and --operators-oidc-roles, too")
	}
	if !slices.Contains(o.Scopes, "openid") {
		complain("--operators-oidc-scopes: openid must be among them")
	}
	if o.RolesGiven == "" {
		return
	}
	roles, err := operator.ParseClaimRoles(o.RolesGiven)
	if err != nil {
		complain("--operators-oidc-roles: %v", err)
	}
	o.RolesOf = roles
}
