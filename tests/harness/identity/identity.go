// Package identity is a small OpenID provider for tests: discovery, keys, the authorization code flow with PKCE, and identity
// tokens that it signs itself. Tests can make it sign wrong tokens.
package identity

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"time"
)

// The only client that a Provider knows.
const (
	ClientID = "moviola"
	Secret   = "the-secret-of-the-client"
)

// Ways of signing that tests ask for beside RS256 and ES256.
const (
	Unsigned   = "none"
	BySecret   = "HS256"       // with the secret of the client
	AnotherKey = "another key" // RS256 with a key that is not published
)

// Provider is an OpenID provider. Every visitor is the Person. It is safe for concurrent use.
type Provider struct {
	*httptest.Server
	rsa, other *rsa.PrivateKey
	ec         *ecdsa.PrivateKey

	mutex  sync.Mutex
	person map[string]any
	how    string
	asks   bool
	asked  url.Values            // the last request for a code
	codes  map[string]url.Values // what each code was asked for with
}

// New starts a provider; Close ends it.
func New() (*Provider, error) {
	p := &Provider{how: "RS256", codes: map[string]url.Values{}}
	var err error
	if p.rsa, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		return nil, err
	}
	if p.other, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		return nil, err
	}
	if p.ec, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	p.Server = httptest.NewServer(mux)
	return p, nil
}

// Become sets the claims of identity tokens, beside issuer, audience, times and nonce, or in their place.
func (p *Provider) Become(person map[string]any) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.person = person
}

// Sign sets how identity tokens are signed.
func (p *Provider) Sign(how string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.how = how
}

// Ask makes the provider show a page on which people continue, instead of redirecting them at once.
func (p *Provider) Ask() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.asks = true
}

// Asked returns the parameters of the last request for a code.
func (p *Provider) Asked() url.Values {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.asked
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	write(w, http.StatusOK, map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize",
		"token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		// What no client should take at its word.
		"id_token_signing_alg_values_supported": []string{"RS256", "ES256", "HS256", "none"},
	})
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	point, err := p.ec.PublicKey.Bytes()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	write(w, http.StatusOK, map[string]any{"keys": []any{
		map[string]string{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "rsa", "n": coded(p.rsa.N.Bytes()),
			"e": coded(big.NewInt(int64(p.rsa.E)).Bytes())},
		map[string]string{"kty": "EC", "use": "sig", "alg": "ES256", "kid": "ec", "crv": "P-256", "x": coded(point[1:33]),
			"y": coded(point[33:])},
	}})
}

// authorize issues a code.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	back, err := url.Parse(asked.Get("redirect_uri"))
	if err != nil || asked.Get("client_id") != ClientID || asked.Get("response_type") != "code" ||
		asked.Get("code_challenge_method") != "S256" || asked.Get("code_challenge") == "" {
		http.Error(w, "this provider takes codes with PKCE only", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	p.mutex.Lock()
	p.asked, p.codes[code] = asked, asked
	asks := p.asks
	p.mutex.Unlock()
	back.RawQuery = url.Values{"code": {code}, "state": {asked.Get("state")}}.Encode()
	if !asks {
		http.Redirect(w, r, back.String(), http.StatusFound)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprintf(w, `<!doctype html><title>Provider</title><a id="on" href="%s">Go on</a>`, html.EscapeString(back.String()))
}

// token exchanges a code, once, for an identity token.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	p.mutex.Lock()
	asked, known := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code"))
	p.mutex.Unlock()
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	switch {
	case id != ClientID || secret != Secret:
		write(w, http.StatusUnauthorized, map[string]string{"error": "invalid_client"})
		return
	case !known || r.PostFormValue("grant_type") != "authorization_code" ||
		r.PostFormValue("redirect_uri") != asked.Get("redirect_uri") ||
		coded(sum[:]) != asked.Get("code_challenge"):
		write(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
		return
	}
	signed, err := p.issue(asked.Get("nonce"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	write(w, http.StatusOK, map[string]any{
		"access_token": "of no use", "token_type": "Bearer", "expires_in": 60, "id_token": signed,
	})
}

// issue makes an identity token.
func (p *Provider) issue(nonce string) (string, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	now := time.Now()
	claims := map[string]any{"iss": p.URL, "aud": ClientID, "sub": "subject-17", "nonce": nonce, "iat": now.Unix(),
		"exp": now.Add(time.Hour).Unix(), "auth_time": now.Unix()}
	maps.Copy(claims, p.person)
	alg, kid := p.how, "rsa"
	switch p.how {
	case AnotherKey:
		alg = "RS256"
	case "ES256":
		kid = "ec"
	}
	head, err := json.Marshal(map[string]string{"alg": alg, "typ": "JWT", "kid": kid})
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	text := coded(head) + "." + coded(body)
	signature, err := p.signature([]byte(text))
	return text + "." + coded(signature), err
}

func (p *Provider) signature(text []byte) ([]byte, error) {
	sum := sha256.Sum256(text)
	switch p.how {
	case Unsigned:
		return nil, nil
	case BySecret:
		mac := hmac.New(sha256.New, []byte(Secret))
		mac.Write(text)
		return mac.Sum(nil), nil
	case AnotherKey:
		return rsa.SignPKCS1v15(rand.Reader, p.other, crypto.SHA256, sum[:])
	case "ES256":
		r, s, err := ecdsa.Sign(rand.Reader, p.ec, sum[:])
		if err != nil {
			return nil, err
		}
		return append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...), nil
	default:
		return rsa.SignPKCS1v15(rand.Reader, p.rsa, crypto.SHA256, sum[:])
	}
}

func coded(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
