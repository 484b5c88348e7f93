package console

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/domain/operator"
	"moviola/handlers/http/web"
)

// Paths of the operators' console.
const (
	OperatorPath = "/operator"
	// OperatorAPIPath is the path pattern of the API calls that the operators' page makes. Their route has the same name.
	OperatorAPIPath = OperatorPath + apiFolder + "/admin/{call:.+}"
)

// operatorCookie is the name of the operators' cookie. It differs from that of accounts, because both consoles may be at the
// same address.
const operatorCookie = "moviola-operator"

// Operators finds the owners of operators' sessions, and records the beginning and the end of sessions. accounts.Operators
// implements it.
type Operators interface {
	Session(ctx context.Context, id, session string, began time.Time) (accounts.Standing, error)
	SignIn(ctx context.Context, cmd accounts.SignIn) error
	SignOut(ctx context.Context, cmd accounts.SignOut) error
}

// OperatorConfig is the configuration of the console of operators. A field is required, unless its comment describes its empty
// value.
type OperatorConfig struct {
	Shared
	Operators Operators
	Token     *web.OperatorToken
	// ForOneRun reports whether the configured token was generated for this start of the process
	// only. Such a token cannot be used to sign in.
	ForOneRun bool
	// PublicURL is the address at which the page is opened; empty: every host name at which the operators' address accepts requests.
	PublicURL string
	// Provider proves who operators without a token are; nil: operators need a token.
	Provider IdentityProvider
}

// NewOperators returns the console of operators.
func NewOperators(cfg OperatorConfig) (*Console, error) {
	if err := web.Complete(cfg, "ForOneRun", "PublicURL", "Provider"); err != nil {
		return nil, err
	}
	at := calledPlace
	if cfg.PublicURL != "" {
		public, err := url.Parse(cfg.PublicURL)
		if err != nil {
			return nil, err
		}
		here := placeAt(operatorCookie, public)
		at = func(*http.Request) place { return here }
	}
	c, err := newConsole(cfg.Shared, tokenDoor{cfg}, site{
		path: OperatorPath, page: "operator.html", calls: OperatorAPIPath, policy: policyOf(),
	}, at)
	if err != nil {
		return nil, err
	}
	c.others = proving{Console: c, provider: cfg.Provider, fixed: cfg.PublicURL != ""}.routes()
	return c, nil
}

// calledPlace returns the address of the page from a request to the operators' address. A proxy before this service may have
// ended https; the Origin header, which browsers send with writes, and the cookie for https show that.
func calledPlace(r *http.Request) place {
	address := &url.URL{Scheme: "http", Host: r.Host}
	secure := len(r.CookiesNamed(hostPrefix+operatorCookie)) > 0
	if origin := r.Header.Get("Origin"); origin != "" {
		secure = strings.HasPrefix(origin, "https://")
	}
	if secure {
		address.Scheme = "https"
	}
	return placeAt(operatorCookie, address)
}

var (
	errTokenBody = domain.Errorf(domain.Invalid, "body_invalid", `The body must be {"token":"…"}`)
	errForOneRun = domain.Errorf(domain.Forbidden, "operator_token_generated", "This token was made for one run of the service and "+
		"opens no console: add an operator by `moviola operators add`, and sign in with the token that it prints")
)

// tokenDoor signs in operators by their tokens. It also resumes and ends sessions that began through an identity provider.
type tokenDoor struct{ cfg OperatorConfig }

func (d tokenDoor) enter(r *http.Request, body []byte) (guest, string, error) {
	var asked struct{ Token string }
	if json.Unmarshal(body, &asked) != nil {
		return nil, "", errTokenBody
	}
	asked.Token = strings.TrimSpace(asked.Token)
	carrying := r.Clone(r.Context())
	carrying.Header.Set(web.OperatorTokenHeader, asked.Token)
	acting, err := d.cfg.Token.Admit(carrying, operator.Observer)
	if err != nil {
		return nil, "", err
	}
	if acting.Name == "" && d.cfg.ForOneRun {
		return nil, "", errForOneRun
	}
	return actingOperator(acting), operator.TokenID(operator.Hash(asked.Token)), nil
}

// begun adds the session to the list of open sessions, and ends the session that the browser had before.
func (d tokenDoor) begun(ctx context.Context, b beginning) error {
	acting, ok := b.who.(actingOperator)
	if !ok {
		return errors.New("begin a session of the operators' console: its owner is no operator")
	}
	cmd := accounts.SignIn{SignedIn: operator.SignedIn{
		Session: b.one.name(), By: b.one.byID(), Name: acting.Name, Role: acting.Role, Issuer: acting.Issuer, Subject: acting.Subject,
		Began: b.one.began, Until: b.one.until(),
	}}
	if b.before != nil {
		ended := signOut(*b.before)
		cmd.Before = &ended
	}
	return d.cfg.Operators.SignIn(ctx, cmd)
}

// freshFor is the age of a session from which acts that need a fresh sign-in are refused. Decision 89.
const freshFor = 5 * time.Minute

func (d tokenDoor) resume(ctx context.Context, one session, now time.Time) (guest, bool, error) {
	found, err := d.cfg.Operators.Session(ctx, one.byID(), one.name(), one.began)
	if err != nil || found.Ended {
		return nil, false, err
	}
	who, ok := d.owner(one, found)
	who.Stale = now.Sub(one.began) >= freshFor
	return who, ok, nil
}

// owner returns the owner of the session one, which nobody has ended. It returns false when the token or the identity
// provider with which the session began is no longer accepted.
func (d tokenDoor) owner(one session, found accounts.Standing) (actingOperator, bool) {
	if one.told != "" {
		return proven(d.cfg.Provider, one)
	}
	if found.Known {
		return actingOperator{Name: found.Name, Role: found.Role}, true
	}
	return actingOperator{Role: operator.Owner}, !d.cfg.ForOneRun && one.byID() == d.cfg.Token.ID()
}

func (d tokenDoor) leave(ctx context.Context, one session) error {
	return d.cfg.Operators.SignOut(ctx, signOut(one))
}

func signOut(one session) accounts.SignOut {
	return accounts.SignOut{Session: one.name(), Began: one.began, Until: one.until()}
}

// actingOperator is the owner of a session of the operators' console, which began with a token or through an identity
// provider.
type actingOperator web.Acting

// operatorSession is the description of a session for the page.
type operatorSession struct {
	Success bool          `json:"success"`
	Name    string        `json:"name"` // empty when the session began with the configured token
	Role    operator.Role `json:"role"`
	ID      string        `json:"id"` // id of the session in the list of open sessions
	Until   string        `json:"until"`
}

func (a actingOperator) shown(one session) any {
	return operatorSession{Success: true, Name: a.Name, Role: a.Role, ID: one.name(), Until: web.Stamp(one.until())}
}

func (a actingOperator) within(ctx context.Context) context.Context {
	return web.WithActing(ctx, web.Acting(a))
}
