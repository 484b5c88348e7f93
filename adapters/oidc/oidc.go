// Package oidc asks an OpenID provider who somebody is: the authorization code flow with PKCE. ADR 053. Decision 88.
package oidc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"moviola/domain"
	"moviola/domain/operator"
)

// The bounds of requests to a provider and of its answers.
const (
	patience  = 5 * time.Second // time limit of one request to the provider
	wholeTime = 10 * time.Second
	mostTurns = 4
	maxAnswer = 1 << 20
)

// clockSkew is how far the provider's clock may be behind this one's.
const clockSkew = time.Minute

// signed are the algorithms by which an identity token may be signed, whatever the provider offers: all use a key pair of the
// provider.
var signed = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

// Config names a provider, and says what its answers mean here. Every field is required, unless its comment says what an empty
// one means.
type Config struct {
	Issuer   string
	ClientID string
	Secret   string // empty: a client without a secret, which PKCE alone protects
	Scopes   []string
	Roles    operator.ClaimRoles
	Now      func() time.Time // returns the current time; nil: time.Now
}

// Provider is an OpenID provider. It is safe for concurrent use. New does not ask the provider for its configuration, so
// that the service starts while the provider is unavailable. Begin asks whenever somebody begins to sign in, so that no
// browser is sent to a provider that did not answer.
type Provider struct {
	cfg    Config
	client *http.Client
	turns  chan struct{} // bounds the concurrent requests for the provider's configuration, because anybody can cause such a request

	mutex sync.Mutex
	found *oidc.Provider // the provider's configuration; nil: the provider has not answered yet
}

// New returns a provider. Its address is the operator's own configuration and may be an internal one.
func New(cfg Config) *Provider {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	turns := make(chan struct{}, mostTurns)
	return &Provider{cfg: cfg, turns: turns, client: &http.Client{Timeout: patience, Transport: bounded{&http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConns: 2, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
		MaxResponseHeaderBytes: 64 << 10,
	}}}}
}

// bounded cuts off answers that are longer than any valid one.
type bounded struct{ base http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.base.RoundTrip(r)
	if err == nil {
		answer.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(answer.Body, maxAnswer), answer.Body}
	}
	return answer, err
}

// Name returns the name of the provider: the host of its address.
func (p *Provider) Name() string {
	address, err := url.Parse(p.cfg.Issuer)
	if err != nil {
		return p.cfg.Issuer
	}
	return address.Host
}

// ID returns an id of this configuration, in the form of the id of an operator's token. A session that began under another
// configuration has another id, and is not valid under this one.
func (p *Provider) ID() string {
	// Maps are encoded in the order of their keys, so that all processes compute the same id.
	text, _ := json.Marshal([]any{"oidc", p.cfg.Issuer, p.cfg.ClientID, p.cfg.Roles}) // texts and a map of texts always encode
	sum := sha256.Sum256(text)
	return operator.TokenID(hex.EncodeToString(sum[:]))
}

// Reach returns an error if the provider does not answer with its configuration.
func (p *Provider) Reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, wholeTime)
	defer cancel()
	_, err := p.discover(ctx)
	return err
}

// offered returns the configuration that the provider gave when it was asked last.
func (p *Provider) offered(ctx context.Context) (*oidc.Provider, error) {
	p.mutex.Lock()
	found := p.found
	p.mutex.Unlock()
	if found != nil {
		return found, nil
	}
	return p.discover(ctx) // another process has begun the sign-in, so this process has not asked the provider yet
}

// discover asks the provider for its configuration.
func (p *Provider) discover(ctx context.Context) (*oidc.Provider, error) {
	select {
	case p.turns <- struct{}{}:
		defer func() { <-p.turns }()
	case <-ctx.Done():
		return nil, because(operator.ErrUnreachable, ctx.Err())
	}
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.cfg.Issuer)
	var another *oidc.IssuerMismatchError
	switch {
	case errors.As(err, &another):
		return nil, because(operator.ErrUnproven, err)
	case err != nil:
		return nil, because(operator.ErrUnreachable, err)
	}
	p.mutex.Lock()
	p.found = found
	p.mutex.Unlock()
	return found, nil
}

// because returns a refusal with its cause, which is for log messages only. A cause may quote what a provider has sent: it is
// cut.
func because(refusal *domain.Error, cause error) error {
	return fmt.Errorf("%w: %s", refusal, operator.Plain(cause.Error()))
}

func (p *Provider) flow(found *oidc.Provider, redirect string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.cfg.ClientID, ClientSecret: p.cfg.Secret, Endpoint: found.Endpoint(), RedirectURL: redirect,
		Scopes: p.cfg.Scopes,
	}
}

// Begin returns an attempt to sign in, and the address at the provider to which the browser is sent. The request tells the
// provider to ask for the password again, even if somebody is signed in there: a session should begin with a person at the
// keyboard.
func (p *Provider) Begin(ctx context.Context, redirect string) (operator.Attempt, string, error) {
	ctx, cancel := context.WithTimeout(ctx, wholeTime)
	defer cancel()
	found, err := p.discover(ctx)
	if err != nil {
		return operator.Attempt{}, "", err
	}
	one := operator.Attempt{State: oauth2.GenerateVerifier(), Nonce: oauth2.GenerateVerifier(), Verifier: oauth2.GenerateVerifier(),
		Redirect: redirect, Began: p.cfg.Now()}
	address := p.flow(found, redirect).AuthCodeURL(one.State, oidc.Nonce(one.Nonce), oauth2.S256ChallengeOption(one.Verifier),
		oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	return one, address, nil
}

// Finish exchanges the code that the browser has brought for an identity token, and returns the person that the token is about.
func (p *Provider) Finish(ctx context.Context, one operator.Attempt, code string) (operator.Proven, error) {
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.client), wholeTime)
	defer cancel()
	found, err := p.offered(ctx)
	if err != nil {
		return operator.Proven{}, err
	}
	tokens, err := p.flow(found, one.Redirect).Exchange(ctx, code, oauth2.VerifierOption(one.Verifier))
	if err != nil {
		return operator.Proven{}, exchangeFailed(err)
	}
	raw, ok := tokens.Extra("id_token").(string)
	if !ok {
		return operator.Proven{}, because(operator.ErrUnproven, errors.New("there is no identity token in the answer"))
	}
	checks := &oidc.Config{ClientID: p.cfg.ClientID, SupportedSigningAlgs: signed, Now: p.cfg.Now}
	token, err := found.Verifier(checks).Verify(ctx, raw)
	if err != nil {
		return operator.Proven{}, because(operator.ErrUnproven, err)
	}
	return p.person(one, token)
}

// exchangeFailed distinguishes a provider that refuses a code from one that cannot be reached. Of a refusal it keeps only
// the error code: a provider may repeat in the rest what it was sent.
func exchangeFailed(err error) error {
	var answered *oauth2.RetrieveError
	if !errors.As(err, &answered) {
		return because(operator.ErrUnreachable, err)
	}
	if answered.Response != nil && answered.Response.StatusCode >= http.StatusInternalServerError {
		return because(operator.ErrUnreachable, fmt.Errorf("it answers %d", answered.Response.StatusCode))
	}
	return because(operator.ErrUnproven, fmt.Errorf("it does not take the code: %s", operator.Plain(answered.ErrorCode)))
}

// claims are what is read of an identity token beside what the library checks.
type claims struct {
	Email    string          `json:"email"`
	Verified json.RawMessage `json:"email_verified"` // a boolean; some providers write a text
	Username string          `json:"preferred_username"`
	AuthTime int64           `json:"auth_time"`
	Party    string          `json:"azp"`
}

// person checks the claims of a token. The signature, issuer, audience and time of the token have been checked already.
func (p *Provider) person(one operator.Attempt, token *oidc.IDToken) (operator.Proven, error) {
	var known claims
	var all map[string]any
	if err := errors.Join(token.Claims(&known), token.Claims(&all)); err != nil {
		return operator.Proven{}, because(operator.ErrUnproven, err)
	}
	switch {
	case one.Nonce == "" || token.Nonce != one.Nonce:
		return operator.Proven{}, because(operator.ErrUnproven, errors.New("the nonce is another sign-in's"))
	case known.Party != "" && known.Party != p.cfg.ClientID:
		return operator.Proven{}, because(operator.ErrUnproven, errors.New("the token was issued to another client"))
	case known.AuthTime != 0 && time.Unix(known.AuthTime, 0).Before(one.Began.Add(-clockSkew)):
		return operator.Proven{}, because(operator.ErrUnproven, errors.New("the provider has not asked anew who it is"))
	case token.Subject == "" || len(token.Subject) > 255:
		return operator.Proven{}, because(operator.ErrUnproven, errors.New("the token has no subject of at most 255 characters"))
	}
	role := p.cfg.Roles.Given(all[p.cfg.Roles.Claim])
	if role == "" {
		return operator.Proven{}, because(operator.ErrNoRole, fmt.Errorf("subject %s: no value of the claim %s has a role",
			operator.Plain(token.Subject), p.cfg.Roles.Claim))
	}
	return operator.Proven{Issuer: token.Issuer, Subject: token.Subject, Name: known.name(token.Subject), Role: role}, nil
}

// name returns the name under which a person's acts are recorded. A user's name in the form of an e-mail address is passed over:
// people may be able to choose theirs, and it could be somebody else's address.
func (c claims) name(subject string) string {
	name := subject
	switch verified := strings.Trim(string(c.Verified), `"`) == "true"; {
	case verified && c.Email != "":
		name = c.Email
	case c.Username != "" && !strings.Contains(c.Username, "@"):
		name = c.Username
	}
	return operator.Plain(operator.ProvenPrefix + name)
}
