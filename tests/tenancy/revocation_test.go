package tenancy_test

import (
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"moviola/tests/harness"
)

// apart is an installation of an event store and two API processes, on one data folder.
type apart struct {
	service *harness.Service
	second  string // base address of the second process
}

func newApart(t *testing.T, flags ...string) *apart {
	t.Helper()
	addr := harness.FreeAddr(t)
	harness.StartEventStore(t, filepath.Join(t.TempDir(), "events"), addr)
	service := harness.NewService(t, append(flags, "--eventstore", "esdb://"+addr+"?tls=false")...)
	service.StartAPI()
	second := harness.FreeAddr(t)
	p := service.StartProcess("api-2", "--roles", "api", "--listen", second)
	a := &apart{service: service, second: "http://" + second}
	nobody := a.at("")
	harness.Eventually(t, "the second process answers", func() bool {
		if p.Exited() {
			t.Fatalf("the second process ended:\n%s", p.Output())
		}
		answer, ok := nobody.Try(http.MethodGet, "/movies", nil)
		return ok && answer.Status == http.StatusUnauthorized
	})
	return a
}

// at is a client of the second process.
func (a *apart) at(key string) *harness.Client {
	c := *a.service.Client(key)
	c.Base = a.second
	return &c
}

// TestRevocationElsewhere: a key that one process revokes opens nothing in another a second later, however busy it is, and what was
// begun with it goes on. Decision 49.
func TestRevocationElsewhere(t *testing.T) {
	a := newApart(t)
	admin := a.service.NewAccount("revocation", 600)
	for round := range 4 {
		var issued struct{ ID, Key string }
		admin.Do(http.MethodPost, "/keys", []byte(`{"name":"elsewhere","role":"render"}`)).Into(t, &issued)
		holder := a.at(issued.Key)
		// Issued there, it opens here at once.
		project := holder.SubmitBody([]byte(`{"resolution":"custom","width":64,"height":64,"scenes":[{"duration":1}]}`))
		last, accepted := a.useUntilRefused(t, holder, func() time.Time {
			answer := admin.Do(http.MethodDelete, "/keys?id="+issued.ID, nil)
			if answer.Status != http.StatusOK {
				t.Errorf("revoke: %d %s", answer.Status, answer.Body)
			}
			return time.Now()
		})
		if accepted == 0 || last > time.Second {
			t.Errorf("round %d: %d requests were let in, the last was begun %v after the revocation", round, accepted, last)
		}
		t.Logf("round %d: %d requests were let in, the last was begun %v after the revocation", round, accepted, last)
		admin.WaitFor(project, "done")
	}
}

// useUntilRefused uses a key from many clients, revokes it meanwhile, and returns how long after the revocation the last request
// was begun that was let in (negative: none was), and how many were let in altogether.
func (a *apart) useUntilRefused(t *testing.T, holder *harness.Client, revoke func() time.Time) (last time.Duration, accepted int64) {
	t.Helper()
	var latest, count atomic.Int64
	var using sync.WaitGroup
	for range 8 {
		using.Go(func() {
			for refused := 0; refused < 20; {
				begun := time.Now()
				answer, ok := holder.Try(http.MethodGet, "/movies?limit=1&format=simple", nil)
				switch {
				case !ok:
				case answer.Status == http.StatusOK:
					refused = 0
					count.Add(1)
					for {
						before := latest.Load()
						if begun.UnixNano() <= before || latest.CompareAndSwap(before, begun.UnixNano()) {
							break
						}
					}
				case answer.Status == http.StatusUnauthorized:
					refused++
				default:
					t.Errorf("a request with the key: %d %s", answer.Status, answer.Body)
					return
				}
			}
		})
	}
	harness.Eventually(t, "the key is in use", func() bool { return count.Load() > 50 })
	revoked := revoke()
	using.Wait()
	return time.Unix(0, latest.Load()).Sub(revoked), count.Load()
}
