package roads

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"moviola/adapters/outbound"
	"moviola/adapters/vault"
	"moviola/commands/connections"
	"moviola/domain"
	"moviola/domain/connection"
	"moviola/domain/lint"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/internal/config"
)

// errAway is the error of a store that does not answer.
var errAway = errors.New("the store does not answer")

// newChecks are the checks of an installation in which alice has a webhook and a provider.
func newChecks(t *testing.T, cfg config.Config) MovieChecks {
	t.Helper()
	return newChecksOf(t, cfg, memory.New())
}

// newChecksOf are those checks, with the log in a store. Carol's right to send mail cannot be read.
func newChecksOf(t *testing.T, cfg config.Config, store eventstore.Store) MovieChecks {
	t.Helper()
	v, err := vault.New(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	log := eventstore.NewLog(store, eventstore.NewCodec())
	save := connections.NewSaveConnectionHandler(log, v, rand.Reader, time.Now)
	for _, c := range []connections.SaveConnection{
		{ID: "hook", Kind: connection.Webhook, Settings: map[string]any{"endpoint": "https://a.example"}},
		{ID: "paints", Kind: connection.APIKey, Settings: map[string]any{"url": "https://p.example/v1", "key": "hush"}},
	} {
		c.Account = "alice"
		if _, err := save.Handle(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	guard, err := outbound.NewGuard(outbound.Config{Allow: []string{"127.0.0.1:8100"}})
	if err != nil {
		t.Fatal(err)
	}
	cfg.PublicURL = "http://10.0.0.1:8080"
	emails := func(_ context.Context, account domain.AccountID) error {
		if account == "bob" {
			return domain.Errorf(domain.Forbidden, "plan", "no e-mail for you")
		}
		if account == "carol" {
			return errAway
		}
		return nil
	}
	return NewMovieChecks(cfg, guard, connections.NewConnections(log, v), emails)
}

// problemsOf are the errors of a movie that the installation is asked about, as pointer and message.
func problemsOf(ctx context.Context, c MovieChecks, account domain.AccountID, movie string) string {
	in := lint.Read([]byte(movie))
	in.Outside = c.Of(ctx, account)
	var all []string
	for _, p := range lint.Check(in).Errors() {
		all = append(all, p.Pointer+" "+p.Message)
	}
	return strings.Join(all, "; ")
}

// TestMovieChecks: what only the installation knows of a movie is found in it, at its place.
func TestMovieChecks(t *testing.T) {
	t.Parallel()
	const (
		leads = "/elements/0/src The address in 'src' leads to nothing: it cannot be fetched: "
		first = "/exports/0/destinations/0 "
	)
	image := func(src string) string { return `{"elements":[{"type":"image","src":"` + src + `"}]}` }
	to := func(destination string) string {
		return `{"scenes":[{}],"exports":[{"destinations":[` + destination + `]}]}`
	}
	configured := config.Config{}
	configured.Images.URL, configured.Speech.URL, configured.Transcription.URL = "https://i.example", "https://s.example", "https://t.example"
	const subtitles = `{"elements":[{"type":"video","src":"https://a.example/a.mp4"},{"type":"subtitles"}]}`
	tests := []struct {
		name    string
		cfg     config.Config
		account domain.AccountID
		movie   string
		want    string // how the errors begin; empty: there are none
	}{
		{"a public address", config.Config{}, "alice", image("https://a.example/a.png"), ""},
		{"a private address", config.Config{}, "alice", image("http://10.0.0.2/a.png"), leads},
		{"one that the operator allows", config.Config{}, "alice", image("http://127.0.0.1:8100/a.png"), ""},
		{"another port of it", config.Config{}, "alice", image("http://127.0.0.1:8101/a.png"), leads},
		{"the service's own files", config.Config{}, "alice", image("http://10.0.0.1:8080/files/a.png"), ""},
		{"what only begins like it", config.Config{}, "alice", image("http://10.0.0.1:80801/a.png"), leads},
		{"a picture without a provider", config.Config{}, "alice", `{"elements":[{"type":"image","prompt":"a lighthouse"}]}`,
			"/elements/0/prompt Images of a 'prompt' need an image provider, and none is configured"},
		{"a picture with one", configured, "alice", `{"elements":[{"type":"image","prompt":"a lighthouse"}]}`, ""},
		{"a picture of a connection", config.Config{}, "alice", `{"elements":[{"type":"image","prompt":"a lighthouse","connection":"paints"}]}`, ""},
		{"of another account's", config.Config{}, "bob", `{"elements":[{"type":"image","prompt":"a lighthouse","connection":"paints"}]}`,
			"/elements/0/prompt Connection paints not found"},
		{"of one that is no provider", config.Config{}, "alice", `{"elements":[{"type":"image","prompt":"a lighthouse","connection":"hook"}]}`,
			"/elements/0/prompt The connection 'hook' is of type webhook, and no provider"},
		{"a voice of this machine", config.Config{}, "alice", `{"elements":[{"type":"voice","text":"a"}]}`, ""},
		{"a voice without its provider", config.Config{}, "alice", `{"elements":[{"type":"voice","text":"a","model":"elevenlabs"}]}`,
			"/elements/0/model The voice model 'elevenlabs' needs a speech provider, and none is configured"},
		{"a voice with it", configured, "alice", `{"elements":[{"type":"voice","text":"a","model":"elevenlabs"}]}`, ""},
		{"nobody listens", config.Config{}, "alice", subtitles, "/elements/1/model Subtitles of what is said in files need a provider that listens, and none is configured"},
		{"somebody listens", configured, "alice", subtitles, ""},
		{"a webhook", config.Config{}, "alice", to(`{"type":"webhook","endpoint":"https://a.example"}`), ""},
		{"a private webhook", config.Config{}, "alice", to(`{"type":"webhook","endpoint":"http://10.0.0.2/hook"}`), first + "The endpoint cannot be called: "},
		{"no endpoint", config.Config{}, "alice", to(`{"type":"webhook"}`), first + "The webhook has no endpoint"},
		{"neither type nor id", config.Config{}, "alice", to(`{}`), first + "The destination has neither a type nor the id of a saved connection"},
		{"no such type", config.Config{}, "alice", to(`{"type":"pigeon"}`), first + "Unknown destination type pigeon"},
		{"a provider", config.Config{}, "alice", to(`{"type":"apikey"}`), first + "Unknown destination type apikey"},
		{"a bucket", config.Config{}, "alice", to(`{"type":"aws-s3"}`), first + "A destination of type aws-s3 needs the id of a saved connection"},
		{"ftp without a host", config.Config{}, "alice", to(`{"type":"ftp"}`), first},
		{"ftp", config.Config{}, "alice", to(`{"type":"ftp","host":"h.example","username":"u","password":"p"}`), ""},
		{"e-mail", config.Config{}, "alice", to(`{"type":"email","to":"a@a.example"}`), ""},
		{"e-mail beyond the plan", config.Config{}, "bob", to(`{"type":"email","to":"a@a.example"}`), first + "no e-mail for you"},
		{"a saved one", config.Config{}, "alice", to(`{"id":"hook"}`), ""},
		{"another account's", config.Config{}, "bob", to(`{"id":"hook"}`), first + "Connection hook not found"},
		{"another type", config.Config{}, "alice", to(`{"type":"ftp","id":"hook"}`), first + "Connection hook is of type webhook, not ftp"},
		{"a saved provider", config.Config{}, "alice", to(`{"id":"paints"}`), first + "Connection paints is a provider, not a destination"},
	}
	for _, tt := range tests {
		got := problemsOf(t.Context(), newChecks(t, tt.cfg), tt.account, tt.movie)
		if !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") || strings.Contains(got, ";") {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestMovieChecks_unavailable: when a store does not answer, that is told, and no problem is found in a movie that may be right.
func TestMovieChecks_unavailable(t *testing.T) {
	t.Parallel()
	const paint = `{"elements":[{"type":"image","prompt":"a lighthouse","connection":"paints"}]}`
	to := func(destination string) string {
		return `{"scenes":[{}],"exports":[{"destinations":[` + destination + `]}]}`
	}
	for _, tt := range []struct {
		name    string
		account domain.AccountID
		movie   string
		away    bool // the log cannot be read
		fails   bool
	}{
		{"a destination", "alice", to(`{"type":"webhook","id":"hook"}`), true, true},
		{"a destination without a type", "alice", to(`{"id":"hook"}`), true, true},
		{"a provider", "alice", paint, true, true},
		{"the right to send mail", "carol", to(`{"type":"email","to":"a@a.example"}`), false, true},
		{"nothing is read", "alice", to(`{"type":"webhook","endpoint":"https://a.example"}`), true, false},
		{"all answer", "alice", to(`{"type":"webhook","id":"hook"}`), false, false},
	} {
		store := memory.New()
		checks := newChecksOf(t, config.Config{}, store)
		if tt.away {
			store.Inject(memory.Faults{ReadFunc: func(context.Context) error { return errAway }})
		}
		in := lint.Read([]byte(tt.movie))
		in.Outside = checks.Of(t.Context(), tt.account)
		found := lint.Check(in).Errors()
		err := in.Outside.Failed()
		if errors.Is(err, errAway) != tt.fails || len(found) > 0 {
			t.Errorf("%s: %v, problems %v", tt.name, err, found)
		}
	}
}
