package bench_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"moviola/domain"
	"moviola/eventstore"
	"moviola/eventstore/eventstoredb"
	"moviola/tests/harness"
)

// movie is what is submitted and shown: two scenes of a plain movie, somewhat below a kilobyte.
const movie = `{"comment":"A movie as people send it","resolution":"full-hd","quality":"high","client-data":{"order":"20261121-0001"},` +
	`"scenes":[{"comment":"Scene 1","duration":1,"background-color":"#4392F1","elements":[{"type":"text","style":"001","text":"measured",` +
	`"duration":1,"settings":{"font-family":"Roboto","font-size":"96px","color":"#FFFFFF","text-align":"center"}}]},` +
	`{"comment":"Scene 2","duration":1,"transition":{"style":"fade","duration":0.5},"elements":[{"type":"text","style":"003",` +
	`"text":"beside what the machine can do","start":0.2,"settings":{"font-size":"48px","vertical-position":"bottom"}}]}]}`

// credits is more than all measurements spend.
const credits = 100_000_000

// service is a running installation and a road to its log past the interface.
type service struct {
	*harness.Service
	log *eventstore.Log
	pid int
}

// host is where the interface listens.
func (s *service) host(b *testing.B) string {
	b.Helper()
	u, err := url.Parse(s.Client("").Base)
	if err != nil {
		b.Fatal(err)
	}
	return u.Host
}

// start runs an installation in one process.
func start(b *testing.B, flags ...string) *service {
	b.Helper()
	addr := harness.FreeAddr(b)
	s := harness.NewService(b, append([]string{"--eventstore-listen", addr, "--log-level", "error"}, flags...)...)
	s.StartAPI()
	store, err := eventstoredb.Open(eventstoredb.Config{Addr: addr})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := store.Close(ctx); err != nil {
			b.Error(err)
		}
	})
	return &service{Service: s, log: eventstore.NewLog(store, eventstore.NewCodec()), pid: s.API.Pid()}
}

// owner is an account and its key.
type owner struct {
	account domain.AccountID
	key     string
}

// open opens an account that can pay for everything.
func (s *service) open(b *testing.B) owner {
	b.Helper()
	body := fmt.Sprintf(`{"name":"bench","plan":"paid","credits":%d}`, credits)
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, s.Client("").Base+"/admin/accounts", strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("X-Admin-Token", harness.AdminToken)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	var opened struct {
		Account domain.AccountID
		Key     string
	}
	if err := json.NewDecoder(response.Body).Decode(&opened); err != nil || opened.Key == "" {
		b.Fatalf("open an account: %d, %v", response.StatusCode, err)
	}
	return owner{opened.Account, opened.Key}
}

// owners opens many accounts.
func (s *service) owners(b *testing.B, n int) []owner {
	b.Helper()
	all := make([]owner, n)
	for i := range all {
		all[i] = s.open(b)
	}
	return all
}

// fetch asks once and decodes the answer.
func (s *service) fetch(b *testing.B, target, key string, into any) {
	b.Helper()
	w, err := dial(s.host(b))
	if err != nil {
		b.Fatal(err)
	}
	defer w.conn.Close()
	if err := w.send(get(target, key)); err != nil {
		b.Fatalf("%s: %v", target, err)
	}
	if err := json.Unmarshal(w.body, into); err != nil {
		b.Fatalf("%s: %v", target, err)
	}
}

// stall is the address of an image that is never sent: a render that needs it takes its slot and no processor time. The host of the
// address must be allowed.
func stall(b *testing.B) (host, address string) {
	b.Helper()
	hold := make(chan struct{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	}))
	server.Listener = listener
	server.Start()
	b.Cleanup(func() { close(hold); server.Close() })
	return listener.Addr().String(), server.URL + "/never.png"
}
