package tenancy_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"moviola/tests/harness"
)

// longEnv asks for the long version.
const longEnv = "MOVIOLA_TEST_LONG"

// TestTenancy lets accounts do things about each other's things all at once, and then looks at what is stored and logged.
func TestTenancy(t *testing.T) {
	accounts, steps := 6, 60
	if os.Getenv(longEnv) != "" {
		accounts, steps = 20, 500
	}
	w := newWorld(t, accounts)
	var all sync.WaitGroup
	for n, a := range w.accounts {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(n), 42))
			for range steps {
				a.once(t, random)
			}
		})
	}
	all.Wait()
	for n, a := range w.accounts {
		a.steal(t, w.accounts[(n+1)%len(w.accounts)])
		a.still(t)
	}
	harness.Eventually(t, "every account's webhook has come", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.hooks) >= accounts
	})
	w.alike(t)
	w.logs(t)
	w.events(t)
	w.service.API.Terminate()
	w.files(t)
}

// still checks that what the account planted is there: others have tried to change it.
func (a *account) still(t *testing.T) {
	t.Helper()
	template := a.send(t, http.MethodGet, "/templates?id="+a.template, "")
	if template.Status != http.StatusOK || !strings.Contains(string(template.Body), a.tag) {
		t.Errorf("the template of %s: %d %.300s", a.tag, template.Status, template.Body)
	}
	if answer := a.send(t, http.MethodGet, "/media/file?path="+a.name+"/"+a.name+".txt", ""); answer.Status != http.StatusOK {
		t.Errorf("the file of %s: %d %s", a.tag, answer.Status, answer.Body)
	}
	if answer := a.send(t, http.MethodGet, "/keys", ""); !strings.Contains(string(answer.Body), a.keys[1]) {
		t.Errorf("the key of %s is gone: %s", a.tag, answer.Body)
	}
}

// alike: the same movie in two accounts is rendered and paid twice. What one has in its cache is not the other's.
func (w *world) alike(t *testing.T) {
	t.Helper()
	body := fmt.Sprintf(`{"resolution":"custom","width":64,"height":64,"scenes":[{"duration":1,"background-color":"#%06x"}]}`, rand.IntN(1<<24))
	seen := map[string]bool{}
	for _, a := range w.accounts[:2] {
		for _, credits := range []int64{1, 0} { // the second time from the account's own cache
			project := a.must(t, http.MethodPost, "/movies", body)["project"].(string)
			movie := w.service.Client(a.key).WaitFor(project, "done")
			if movie.ConsumedCredits != credits || movie.URL == nil || seen[*movie.URL] {
				t.Errorf("account %s: %d credits, want %d; address %v", a.id, movie.ConsumedCredits, credits, movie.URL)
				continue
			}
			seen[*movie.URL] = true
		}
	}
}
