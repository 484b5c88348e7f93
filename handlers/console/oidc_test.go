package console_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"moviola/adapters/oidc"
	"moviola/domain/operator"
	"moviola/handlers/console"
	"moviola/handlers/http/web"
	"moviola/tests/harness/identity"
)

// reception is a desk whose operators also come through an identity provider.
type reception struct {
	*desk
	provider *identity.Provider
	ahead    atomic.Int64 // how far the console's clock is ahead
}

const roleMap = "groups=video-watch:observer,video-ops:operator,video-admins:owner"

// anna is somebody with a role.
var anna = map[string]any{"email": "anna@example.com", "email_verified": true, "groups": []string{"staff", "video-ops"}}

func newReception(t *testing.T, change func(*console.OperatorConfig, *oidc.Config)) *reception {
	t.Helper()
	provider, err := identity.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(provider.Close)
	provider.Become(anna)
	c := &reception{provider: provider}
	roles, err := operator.ParseClaimRoles(roleMap)
	if err != nil {
		t.Fatal(err)
	}
	c.desk = newDeskWith(t, func(cfg *console.OperatorConfig) {
		cfg.Now = func() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }
		asked := oidc.Config{Issuer: provider.URL, ClientID: identity.ClientID, Secret: identity.Secret, Scopes: []string{"openid", "email"}, Roles: roles}
		if change != nil {
			change(cfg, &asked)
		}
		cfg.Provider = oidc.New(asked)
	})
	return c
}

// begin begins a sign-in as the page does. It returns the browser's cookies and the provider's answer: where the browser is sent back to.
func (c *reception) begin(change func(*http.Request)) ([]*http.Cookie, *url.URL) {
	c.t.Helper()
	answer := c.call(http.MethodPost, "/operator/api/oidc", "", nil, change)
	var begun struct{ Address string }
	if err := json.Unmarshal(answer.Body.Bytes(), &begun); err != nil || answer.Code != http.StatusOK {
		c.t.Fatalf("begin: %d %s", answer.Code, answer.Body)
	}
	return answer.Result().Cookies(), c.approve(begun.Address)
}

// approve goes to the provider and is sent back.
func (c *reception) approve(address string) *url.URL {
	c.t.Helper()
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	answer, err := browser.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	back, err := answer.Location()
	if err != nil || answer.StatusCode != http.StatusFound {
		c.t.Fatalf("the provider answers %d: %v", answer.StatusCode, err)
	}
	return back
}

// back follows the provider's link to the console, as a browser does that comes from another site.
func (c *reception) back(to *url.URL, cookies []*http.Cookie) *httptest.ResponseRecorder {
	c.t.Helper()
	return c.call(http.MethodGet, to.RequestURI(), "", cookies, func(r *http.Request) {
		r.Header.Del("Origin")
		r.Header.Del(console.MarkHeader)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
	})
}

// kept are the cookies of an answer that the browser keeps.
func kept(answer *httptest.ResponseRecorder) []*http.Cookie {
	var all []*http.Cookie
	for _, one := range answer.Result().Cookies() {
		if one.MaxAge >= 0 {
			all = append(all, one)
		}
	}
	return all
}

// TestProvider: who has a role at the provider gets a session of the console, in a name that no token has.
func TestProvider(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, sign, as string
		person         map[string]any
		role           operator.Role
	}{
		{name: "e-mail", sign: "RS256", as: "oidc:anna@example.com", person: anna, role: operator.Acting},
		{name: "another kind of key", sign: "ES256", as: "oidc:anna@example.com", person: anna, role: operator.Acting},
		{name: "the highest role", sign: "RS256", as: "oidc:anna", role: operator.Owner, person: map[string]any{
			"preferred_username": "anna", "groups": []string{"video-watch", "video-admins", "video-ops"}}},
		{name: "one group", sign: "RS256", as: "oidc:anna", person: map[string]any{"preferred_username": "anna", "groups": "video-watch"}, role: operator.Observer},
		{name: "an address that nobody vouches for", sign: "RS256", as: "oidc:subject-17", role: operator.Observer, person: map[string]any{
			"email": "boss@example.com", "email_verified": false, "preferred_username": "boss@example.com", "groups": "video-watch"}},
		{name: "vouched for by a text", sign: "RS256", as: "oidc:anna@example.com", role: operator.Observer, person: map[string]any{
			"email": "anna@example.com", "email_verified": "true", "groups": "video-watch"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := newReception(t, nil)
			c.provider.Sign(row.sign)
			c.provider.Become(row.person)
			begun, to := c.begin(nil)
			if asked := c.provider.Asked(); asked.Get("prompt") != "login" || asked.Get("max_age") != "0" ||
				asked.Get("redirect_uri") != "http://localhost:9464/operator/oidc" || asked.Get("scope") != "openid email" {
				t.Errorf("asked for %v", asked)
			}
			if len(begun) != 1 || begun[0].SameSite != http.SameSiteLaxMode || !begun[0].HttpOnly || begun[0].MaxAge != 600 {
				t.Errorf("the attempt is kept in %v", begun)
			}
			answer := c.back(to, begun)
			own := kept(answer)
			if answer.Code != http.StatusSeeOther || answer.Header().Get("Location") != "/operator" || len(own) != 1 ||
				own[0].SameSite != http.SameSiteStrictMode || !own[0].HttpOnly || own[0].MaxAge != 0 {
				t.Fatalf("%d %v", answer.Code, answer.Header())
			}
			var shown struct{ Name, Role string }
			session := c.call(http.MethodGet, "/operator/api/session", "", own, nil)
			if err := json.Unmarshal(session.Body.Bytes(), &shown); err != nil || shown.Name != row.as || shown.Role != string(row.role) {
				t.Fatalf("%s: %v", session.Body, err)
			}
			wants := map[bool]int{true: 200, false: 403}[row.role.AtLeast(operator.Acting)]
			if got := c.call(http.MethodPost, "/operator/api/admin/credits", "{}", own, nil); got.Code != wants {
				t.Errorf("a write: %d %s", got.Code, got.Body)
			}
			want := web.Acting{Name: row.as, Role: row.role, Issuer: c.provider.URL, Subject: "subject-17"}
			for _, acting := range c.acting {
				if acting != want {
					t.Errorf("called as %+v", acting)
				}
			}
			if got := c.call(http.MethodDelete, "/operator/api/session", "", own, nil); got.Code != http.StatusOK {
				t.Errorf("sign out: %d %s", got.Code, got.Body)
			}
			if got := c.call(http.MethodGet, "/operator/api/session", "", own, nil); got.Code != http.StatusUnauthorized {
				t.Errorf("after signing out: %d %s", got.Code, got.Body)
			}
		})
	}
}

// with is anna with other claims.
func with(claims map[string]any) map[string]any {
	all := maps.Clone(anna)
	maps.Copy(all, claims)
	return all
}

// TestProvider_refused: every answer that is not right begins no session, and leads to a page that says why.
func TestProvider_refused(t *testing.T) {
	t.Parallel()
	long := time.Now().Add(-time.Hour).Unix()
	for _, row := range []struct {
		name    string
		person  map[string]any
		sign    string
		answers func(c *reception, cookies []*http.Cookie, to *url.URL) ([]*http.Cookie, *url.URL)
		code    string
	}{
		{name: "wrong nonce", person: with(map[string]any{"nonce": "another"}), code: "oidc_refused"},
		{name: "no nonce", person: with(map[string]any{"nonce": ""}), code: "oidc_refused"},
		{name: "expired", person: with(map[string]any{"exp": long}), code: "oidc_refused"},
		{name: "wrong audience", person: with(map[string]any{"aud": "another"}), code: "oidc_refused"},
		{name: "issued to another client", person: with(map[string]any{"aud": []string{identity.ClientID, "b"}, "azp": "b"}), code: "oidc_refused"},
		{name: "wrong issuer", person: with(map[string]any{"iss": "https://evil.example"}), code: "oidc_refused"},
		{name: "no subject", person: with(map[string]any{"sub": ""}), code: "oidc_refused"},
		{name: "nobody was asked", person: with(map[string]any{"auth_time": long}), code: "oidc_refused"},
		{name: "unsigned", person: anna, sign: identity.Unsigned, code: "oidc_refused"},
		{name: "signed by the secret", person: anna, sign: identity.BySecret, code: "oidc_refused"},
		{name: "another key", person: anna, sign: identity.AnotherKey, code: "oidc_refused"},
		{name: "no role", person: with(map[string]any{"groups": []string{"staff"}}), code: "oidc_no_role"},
		{name: "no claim", person: map[string]any{"email": "anna@example.com", "email_verified": true}, code: "oidc_no_role"},
		{name: "a claim of another form", person: with(map[string]any{"groups": map[string]any{"video-admins": true}}), code: "oidc_no_role"},
		{name: "wrong state", person: anna, code: "oidc_attempt", answers: query("state", "another")},
		{name: "no state", person: anna, code: "oidc_attempt", answers: query("state", "")},
		{name: "the provider refuses", person: anna, code: "oidc_refused", answers: query("error", "access_denied")},
		{name: "no code", person: anna, code: "oidc_refused", answers: query("code", "")},
		{name: "a code that nobody gave out", person: anna, code: "oidc_refused", answers: query("code", "another")},
		{name: "no cookie", person: anna, code: "oidc_attempt", answers: func(_ *reception, _ []*http.Cookie, to *url.URL) ([]*http.Cookie, *url.URL) {
			return nil, to
		}},
		{name: "a forged cookie", person: anna, code: "oidc_attempt", answers: func(_ *reception, own []*http.Cookie, to *url.URL) ([]*http.Cookie, *url.URL) {
			own[0].Value = damaged(own[0].Value, 0)
			return own, to
		}},
		{name: "a session in place of the attempt", person: anna, code: "oidc_attempt", answers: func(c *reception, own []*http.Cookie, to *url.URL) ([]*http.Cookie, *url.URL) {
			own[0].Value = c.signIn(configured)[0].Value
			return own, to
		}},
		{name: "another browser's attempt", person: anna, code: "oidc_attempt", answers: func(c *reception, _ []*http.Cookie, to *url.URL) ([]*http.Cookie, *url.URL) {
			others, _ := c.begin(nil)
			return others, to
		}},
		{name: "another attempt's code", person: anna, code: "oidc_refused", answers: func(c *reception, _ []*http.Cookie, to *url.URL) ([]*http.Cookie, *url.URL) {
			others, back := c.begin(nil)
			q := back.Query()
			q.Set("code", to.Query().Get("code"))
			back.RawQuery = q.Encode()
			return others, back
		}},
		{name: "an attempt of another address", person: anna, code: "oidc_attempt", answers: func(c *reception, _ []*http.Cookie, _ *url.URL) ([]*http.Cookie, *url.URL) {
			others, back := c.begin(func(r *http.Request) { r.Host = "localhost:1"; r.Header.Set("Origin", "http://localhost:1") })
			others[0].Name = "moviola-operator-9464-oidc"
			return others, back
		}},
		{name: "a used code", person: anna, code: "oidc_refused", answers: func(c *reception, own []*http.Cookie, to *url.URL) ([]*http.Cookie, *url.URL) {
			if answer := c.back(to, own); answer.Header().Get("Location") != "/operator" {
				c.t.Errorf("the first time: %v", answer.Header())
			}
			return own, to
		}},
		{name: "too late", person: anna, code: "oidc_attempt", answers: func(c *reception, own []*http.Cookie, to *url.URL) ([]*http.Cookie, *url.URL) {
			c.ahead.Store(int64(10*time.Minute + time.Second))
			return own, to
		}},
		{name: "the provider is gone", person: anna, code: "oidc_unreachable", answers: func(c *reception, own []*http.Cookie, to *url.URL) ([]*http.Cookie, *url.URL) {
			c.provider.Close()
			return own, to
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := newReception(t, nil)
			c.provider.Become(row.person)
			if row.sign != "" {
				c.provider.Sign(row.sign)
			}
			cookies, to := c.begin(nil)
			if row.answers != nil {
				cookies, to = row.answers(c, cookies, to)
			}
			answer := c.back(to, cookies)
			if want := "/operator?signin=" + row.code; answer.Code != http.StatusSeeOther || answer.Header().Get("Location") != want {
				t.Errorf("%d %v", answer.Code, answer.Header())
			}
			if left := kept(answer); len(left) > 0 {
				t.Errorf("cookies %v", left)
			}
		})
	}
}

// query changes a parameter of the provider's answer.
func query(name, value string) func(*reception, []*http.Cookie, *url.URL) ([]*http.Cookie, *url.URL) {
	return func(_ *reception, cookies []*http.Cookie, to *url.URL) ([]*http.Cookie, *url.URL) {
		q := to.Query()
		q.Set(name, value)
		to.RawQuery = q.Encode()
		return cookies, to
	}
}

// TestProvider_begin: who may begin, what the page may offer, and that tokens sign in without the provider.
func TestProvider_begin(t *testing.T) {
	t.Parallel()
	refused := func(answer *httptest.ResponseRecorder, status int, code string) {
		t.Helper()
		if answer.Code != status || !strings.Contains(answer.Body.String(), `"`+code+`"`) || len(answer.Result().Cookies()) > 0 {
			t.Errorf("%d %s, not %d %s", answer.Code, answer.Body, status, code)
		}
	}
	c := newReception(t, nil)
	offered := c.call(http.MethodGet, "/operator/api/oidc", "", nil, nil)
	if host := strings.TrimPrefix(c.provider.URL, "http://"); !strings.Contains(offered.Body.String(), `"provider":"`+host+`"`) {
		t.Errorf("offered: %s", offered.Body)
	}
	refused(c.call(http.MethodPost, "/operator/api/oidc", "", nil, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }), 403, "console_origin")
	refused(c.call(http.MethodPost, "/operator/api/oidc", "", nil, func(r *http.Request) { r.Header.Del(console.MarkHeader) }), 403, "console_origin")
	c.begin(nil)
	c.provider.Close()
	refused(c.call(http.MethodPost, "/operator/api/oidc", "", nil, nil), 503, "oidc_unreachable")
	c.signIn(configured)

	without := newDesk(t, false, "")
	refused(without.call(http.MethodPost, "/operator/api/oidc", "", nil, nil), 404, "oidc_off")
	if answer := without.call(http.MethodGet, "/operator/oidc?code=x&state=y", "", nil, nil); answer.Header().Get("Location") != "/operator?signin=oidc_off" {
		t.Errorf("%d %v", answer.Code, answer.Header())
	}
	another := newReception(t, func(_ *console.OperatorConfig, asked *oidc.Config) { asked.Issuer += "/" })
	refused(another.call(http.MethodPost, "/operator/api/oidc", "", nil, nil), 403, "oidc_refused")
}

// TestProvider_https: at an https address all cookies are of this host and of https only, and the provider sends the browser to that address.
func TestProvider_https(t *testing.T) {
	t.Parallel()
	for _, fixed := range []string{"https://video.example.com", ""} {
		c := newReception(t, func(cfg *console.OperatorConfig, _ *oidc.Config) { cfg.PublicURL = fixed })
		at := func(r *http.Request) {
			r.Host = "video.example.com"
			r.Header.Set("Origin", "https://video.example.com")
		}
		begun, to := c.begin(at)
		if len(begun) != 1 || begun[0].Name != "__Host-moviola-operator-oidc" || !begun[0].Secure || begun[0].Path != "/" || begun[0].Domain != "" {
			t.Errorf("the attempt is kept in %v", begun)
		}
		if to.Scheme != "https" || to.Host != "video.example.com" || to.Path != console.AnswerPath {
			t.Errorf("sent back to %s", to)
		}
		answer := c.call(http.MethodGet, to.RequestURI(), "", begun, func(r *http.Request) {
			r.Host = "video.example.com"
			r.Header.Del("Origin")
		})
		own := kept(answer)
		if len(own) != 1 || own[0].Name != "__Host-moviola-operator" || !own[0].Secure || own[0].SameSite != http.SameSiteStrictMode {
			t.Fatalf("%d %v", answer.Code, answer.Header())
		}
		if got := c.call(http.MethodPost, "/operator/api/admin/credits", "{}", own, at); got.Code != http.StatusOK {
			t.Errorf("a call: %d %s", got.Code, got.Body)
		}
	}
}

// TestProvider_changed: other roles in the configuration, another provider or none end the sessions that were begun before.
func TestProvider_changed(t *testing.T) {
	t.Parallel()
	c := newReception(t, nil)
	begun, to := c.begin(nil)
	own := kept(c.back(to, begun))
	again := func(change func(*console.OperatorConfig, *oidc.Config)) int {
		t.Helper()
		other := newReception(t, func(cfg *console.OperatorConfig, asked *oidc.Config) {
			asked.Issuer = c.provider.URL
			change(cfg, asked)
		})
		return other.call(http.MethodGet, "/operator/api/session", "", own, nil).Code
	}
	if got := again(func(*console.OperatorConfig, *oidc.Config) {}); got != http.StatusOK {
		t.Errorf("another process: %d", got)
	}
	if got := again(func(_ *console.OperatorConfig, asked *oidc.Config) {
		asked.Roles = operator.ClaimRoles{Claim: "groups", Of: map[string]operator.Role{"video-ops": operator.Observer}}
	}); got != http.StatusUnauthorized {
		t.Errorf("other roles: %d", got)
	}
	if got := again(func(_ *console.OperatorConfig, asked *oidc.Config) { asked.Issuer = "https://id.example.com" }); got != http.StatusUnauthorized {
		t.Errorf("another provider: %d", got)
	}
	if got := newDesk(t, false, "").call(http.MethodGet, "/operator/api/session", "", own, nil).Code; got != http.StatusUnauthorized {
		t.Errorf("no provider: %d", got)
	}
	c.ahead.Store(int64(time.Hour))
	if got := c.call(http.MethodGet, "/operator/api/session", "", own, nil).Code; got != http.StatusUnauthorized {
		t.Errorf("after an idle hour: %d", got)
	}
}
