package tenancy_test

import (
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"moviola/tests/harness"
)

// sample is how long requests of one kind took, in seconds.
type sample []float64

func (s sample) median() float64 { return slices.Sorted(slices.Values(s))[len(s)/2] }

// ranks tells by how many standard deviations the places of one sample among both differ from those of chance (Mann and Whitney's test).
// It asks which request was slower and never by how much, so that a machine which stands still now and then is nothing to it; and since
// the sides were asked by lot, whatever else the machine did falls on both by chance.
func ranks(a, b sample) float64 {
	above := 0.0
	for _, x := range a {
		for _, y := range b {
			switch {
			case x > y:
				above++
			case x == y:
				above += 0.5
			}
		}
	}
	n, m := float64(len(a)), float64(len(b))
	return (above - n*m/2) / math.Sqrt(n*m*(n+m+1)/12)
}

// What counts as a difference: one that is no accident, and that could be told through a network.
const (
	noAccident = 5.0    // standard deviations: once in two million
	visible    = 100e-6 // seconds
)

// refusals asks for what is refused, over one connection, and measures.
type refusals struct {
	client *http.Client
	base   string
}

func (r refusals) ask(t *testing.T, path, key string) float64 {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.base+"/v2"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Api-Key", key)
	begun := time.Now()
	response, err := r.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(io.Discard, response.Body)
	took := time.Since(begun)
	if err := errors.Join(err, response.Body.Close()); err != nil || response.StatusCode < 400 {
		t.Fatalf("GET %s: %d, %v", path, response.StatusCode, err)
	}
	return took.Seconds()
}

// TestRanks: a difference that is smaller than the noise is noticed, and a machine that stands still now and then is none.
func TestRanks(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	noise := func(more float64) (s sample) {
		for range 150 {
			took := 1e-3 + more + 1e-3*random.ExpFloat64()
			if random.IntN(20) == 0 {
				took += random.Float64() // stands still
			}
			s = append(s, took)
		}
		return s
	}
	if z := ranks(noise(1e-3), noise(0)); z < noAccident {
		t.Errorf("a millisecond among noise of one: z = %.1f", z)
	}
	for range 200 {
		if z := ranks(noise(0), noise(0)); math.Abs(z) >= noAccident {
			t.Errorf("no difference: z = %.1f", z)
		}
	}
}

// TestTimings compares how long it takes to say no: about what is another account's and about what does not exist, and to keys that
// almost exist and to invented ones.
func TestTimings(t *testing.T) {
	tries := 150
	if os.Getenv(longEnv) != "" {
		tries = 20_000
	}
	service := harness.NewService(t, "--roles", "api,projector")
	service.StartAPI()
	alice, bob := service.NewAccount("alice", 600), service.NewAccount("bob", 600)
	movie := []byte(`{"resolution":"custom","width":64,"height":64,"scenes":[{"duration":1}]}`)
	project, ended := bob.SubmitBody(movie), bob.SubmitBody(movie)
	bob.Do(http.MethodPost, "/movies/cancel?project="+ended, nil)
	var template struct{ TemplateID string }
	bob.Do(http.MethodPost, "/templates", []byte(`{"name":"bob's"}`)).Into(t, &template)
	r := refusals{client: &http.Client{Timeout: harness.Patience}, base: alice.Base}
	for name, sides := range map[string][2]func() float64{
		"a movie": {
			func() float64 { return r.ask(t, "/movies?project="+project, alice.Key) },
			func() float64 { return r.ask(t, "/movies?project=Zz0Zz0Zz0Zz0Zz0Z", alice.Key) },
		},
		"a movie that has ended": {
			func() float64 { return r.ask(t, "/movies?project="+ended, alice.Key) },
			func() float64 { return r.ask(t, "/movies?project=Zz1Zz1Zz1Zz1Zz1Z", alice.Key) },
		},
		"a template": {
			func() float64 { return r.ask(t, "/templates?id="+template.TemplateID, alice.Key) },
			func() float64 { return r.ask(t, "/templates?id=Zz0Zz0Zz0Zz0Zz0Zz0Zz", alice.Key) },
		},
		"a key": {
			func() float64 { return r.ask(t, "/movies", alice.Key[:48]+"!") },
			func() float64 { return r.ask(t, "/movies", "mv_"+random(t, 45)+"!") },
		},
	} {
		var samples [2]sample
		for range 2 * tries {
			side := rand.IntN(2) // in no order, so that whatever else the machine does falls on both
			samples[side] = append(samples[side], sides[side]())
		}
		value, apart := ranks(samples[0], samples[1]), samples[0].median()-samples[1].median()
		if math.Abs(value) >= noAccident && math.Abs(apart) > visible {
			t.Errorf("%s: z = %.1f, %.1f µs apart", name, value, apart*1e6)
		}
		t.Logf("%s: z = %.1f, %.1f µs apart", name, value, apart*1e6)
	}
}
