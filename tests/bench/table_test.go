package bench_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"moviola/tests/harness"
)

const (
	clients  = 64 // that submit at the same time
	askers   = 16 // that read at the same time
	warmUp   = time.Second
	submits  = 6 * time.Second // of submissions
	slice    = time.Second     // of questions to the service, or to the bare handler
	turns    = 2               // of each, in turns
	backlog  = 10_000          // renders queued
	topUp    = time.Minute     // in which they must have been
	fsyncing = time.Second
)

// historyEnv names the variable that bounds the history.
const historyEnv = "MOVIOLA_BENCH_HISTORY"

func TestMain(m *testing.M) {
	if file := os.Getenv(bareEnv); file != "" {
		if err := serveBare(file); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	code := m.Run()
	harness.RemoveBinaries()
	os.Exit(code)
}

// BenchmarkTable prints one table: what the interface does beside what the machine can do, each pair of figures from the same run.
// The target stands behind it. It takes several minutes; run it with -benchtime 1x.
func BenchmarkTable(b *testing.B) {
	for range b.N {
		row("", "per second", "p50", "p99", "cpu each", "ratio", "target")
		measureSyncs(b)
		measureSubmissions(b)
		measureQueue(b)
		measureAnswers(b)
	}
}

func row(what, rate, p50, p99, cpu, ratio, target string) {
	fmt.Printf("%-58s %10s %10s %10s %10s %7s  %s\n", what, rate, p50, p99, cpu, ratio, target)
}

func show(what string, s sample, ratio, target string) {
	cpu := ""
	if s.cpu > 0 {
		cpu = fmt.Sprintf("%d µs", s.each().Microseconds())
	}
	row(what, fmt.Sprintf("%.0f", s.rate()), milliseconds(s.percentile(0.5)), milliseconds(s.percentile(0.99)), cpu, ratio, target)
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000)
}

// measureSyncs is the machine's own rate of durable writes, one after the other.
func measureSyncs(b *testing.B) {
	b.Helper()
	file, err := os.Create(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	var s sample
	block := make([]byte, 4096)
	for began := time.Now(); s.took < fsyncing; s.took = time.Since(began) {
		before := time.Now()
		if _, err := file.Write(block); err != nil {
			b.Fatal(err)
		}
		if err := file.Sync(); err != nil {
			b.Fatal(err)
		}
		s.times = append(s.times, time.Since(before))
	}
	show("write of 4 KiB and fsync, one after the other", s.add(sample{}), "", "")
}

// intake is a service that plays every role and takes submissions. Its one render waits for an image, so that all the others stay queued
// and the processor belongs to the submissions.
type intake struct {
	*service
	host     string
	requests [][]byte // a submission for each account
	queued   int
}

// openIntake starts a service, keeps its slot busy, and warms it up. The function returned ends it.
func openIntake(b *testing.B) (*intake, func()) {
	b.Helper()
	allowed, image := stall(b)
	s := start(b, "--allow-host", allowed, "--render-slots", "1")
	in := &intake{service: s, host: s.host(b)}
	first := s.Client(s.open(b).key)
	held := first.Submit(map[string]any{"scenes": []any{map[string]any{"duration": 1, "elements": []any{
		// Its address is not known before a voice has been heard: it is not fetched before the render.
		map[string]any{"type": "voice", "id": "said", "text": "a"}, map[string]any{"type": "image", "src": image + "?{{said_duration}}"},
	}}}})
	first.WaitFor(held, "running")
	for _, o := range s.owners(b, clients) {
		in.requests = append(in.requests, post("/v2/movies", o.key, movie))
	}
	in.submit(b, warmUp, 100, clients, clients)
	return in, func() {
		if m := first.Get(held).Movie; m.Status != "running" {
			b.Fatalf("the render that should have kept the slot is %s", m.Status)
		}
		s.API.Terminate()
	}
}

// submit lets workers submit for accounts, until a time is over or enough has been submitted (0: no bound).
func (in *intake) submit(b *testing.B, during time.Duration, enough, accounts, workers int) sample {
	b.Helper()
	done := load(b, in.pid, in.host, workers, during, enough, func(worker int) []byte { return in.requests[worker%accounts] })
	in.queued += len(done.times)
	return done
}

func measureSubmissions(b *testing.B) {
	b.Helper()
	in, end := openIntake(b)
	defer end()
	what := func(who string) string { return fmt.Sprintf("submissions, %d clients, %s", clients, who) }
	show(what(fmt.Sprintf("%d accounts", clients)), in.submit(b, submits, 0, clients, clients), "", "≥ 1500/s, p99 ≤ 50 ms")
	show(what("one hot account"), in.submit(b, submits/2, 0, 1, clients), "", "")
	show("submissions, one client", in.submit(b, submits/2, 0, 1, 1), "", "")
	show(what(fmt.Sprintf("with %d renders queued", in.queued)), in.submit(b, submits, 0, clients, clients), "", "")
}

// measureQueue compares the first submissions to new services with those to services that have renders queued, in turns.
func measureQueue(b *testing.B) {
	b.Helper()
	var of [2]sample // submissions with no renders queued, and with many
	for range turns {
		for i, queued := range []int{0, backlog} {
			in, end := openIntake(b)
			for in.queued < queued {
				in.submit(b, topUp, queued-in.queued, clients, clients)
			}
			of[i] = of[i].add(in.submit(b, submits/2, 0, clients, clients))
			end()
		}
	}
	show("  the first on a new service", of[0], "", "")
	show(fmt.Sprintf("  the first behind %d renders queued", backlog), of[1],
		fmt.Sprintf("%.2f", of[1].percentile(0.99).Seconds()/of[0].percentile(0.99).Seconds()), "p99 unchanged: 1.0")
}

// sizes are the movies in history.
func sizes(b *testing.B) []int {
	b.Helper()
	most := 1_000_000
	if text := os.Getenv(historyEnv); text != "" {
		var err error
		if most, err = strconv.Atoi(text); err != nil {
			b.Fatalf("%s: %v", historyEnv, err)
		}
	}
	all := []int{1000}
	for all[len(all)-1] < most {
		all = append(all, min(most, map[bool]int{true: 100_000, false: most}[len(all) == 1]))
	}
	return all
}

// measureAnswers asks for single movies and for pages, each beside a bare handler that writes the same bytes, while the history
// grows.
func measureAnswers(b *testing.B) {
	b.Helper()
	s := start(b, "--roles", "api,projector")
	waiting := s.open(b)
	pending := question{what: "GET one movie, pending", key: waiting.key, target: "≥ 40 % of bare"}
	pending.path = "/v2/movies?project=" + s.Client(waiting.key).SubmitBody([]byte(movie))
	h := newHistory(b, s)
	smallest := map[string]sample{}
	for _, size := range sizes(b) {
		began := time.Now()
		h.grow(b, size)
		fmt.Printf("%d movies in history (the last of them put there in %.0f s)\n", size, time.Since(began).Seconds())
		for _, q := range append(h.questions(b), pending) {
			q.ask(b, s, smallest)
		}
	}
	s.API.Terminate()
}

// question is a request whose answer is measured.
type question struct {
	what, path, key, target string
	flat                    bool // its cost is compared with that at the smallest history
}

// ask measures the service and the bare handler in turns.
func (q question) ask(b *testing.B, s *service, smallest map[string]sample) {
	b.Helper()
	host, request := s.host(b), get(q.path, q.key)
	w, err := dial(host)
	if err != nil {
		b.Fatal(err)
	}
	defer w.conn.Close()
	if err := w.send(request); err != nil {
		b.Fatal(err)
	}
	pid, addr, end := startBare(b, w.body)
	defer end()
	var own, bare sample
	for range turns {
		own = own.add(load(b, s.pid, host, askers, slice, 0, func(int) []byte { return request }))
		bare = bare.add(load(b, pid, addr, askers, slice, 0, func(int) []byte { return request }))
	}
	show(q.what, own, fmt.Sprintf("%.0f %%", 100*own.rate()/bare.rate()), q.target)
	show(fmt.Sprintf("  a bare handler, the same %d bytes", len(w.body)), bare, "", "")
	if !q.flat {
		return
	}
	first, ok := smallest[q.what]
	if !ok {
		first, smallest[q.what] = own, own
	}
	row("  beside that at the smallest history", "", "", "", fmt.Sprintf("%.2f", own.each().Seconds()/first.each().Seconds()),
		fmt.Sprintf("%.2f", first.rate()/own.rate()), "≤ 1.2")
}

// questions are those about a history: its newest movie, its first page and its last full one.
func (h *history) questions(b *testing.B) []question {
	b.Helper()
	list := fmt.Sprintf("/v2/movies?from=%s&to=%s&limit=100", h.from.Format(time.DateOnly), time.Now().UTC().Format(time.DateOnly))
	var newest harness.List
	h.service.fetch(b, list, h.owner.key, &newest)
	deep := "/v2/movies?next_token=" + h.lastPage(b, list+"&format=simple")
	q := func(what, path, target string, flat bool) question {
		return question{what: what, path: path, key: h.owner.key, target: target, flat: flat}
	}
	return []question{
		q("GET one movie, finished", "/v2/movies?project="+newest.Movies[0].Project, "≥ 40 % of bare", false),
		q("GET the first page of 100", list, "flat", true),
		q("GET the last full page of 100", deep, "flat", true),
		q("GET the first page of 100, format=simple", list+"&format=simple", "flat", true),
		q("GET the last full page of 100, format=simple", deep+"&format=simple", "flat", true),
	}
}

// lastPage walks to the end of a list and returns the cursor of the last page that is full. On the way it sees every movie.
func (h *history) lastPage(b *testing.B, list string) string {
	b.Helper()
	w, err := dial(h.service.host(b))
	if err != nil {
		b.Fatal(err)
	}
	defer w.conn.Close()
	full, path, pages, movies := "", list, 0, 0
	for began := time.Now(); ; {
		if err := w.send(get(path, h.owner.key)); err != nil {
			b.Fatal(err)
		}
		var page struct {
			Count int     `json:"count"`
			Next  *string `json:"next_token"`
		}
		if err := json.Unmarshal(w.body, &page); err != nil {
			b.Fatal(err)
		}
		pages, movies = pages+1, movies+page.Count
		if page.Next == nil {
			if movies != h.size {
				b.Fatalf("%d pages showed %d movies, not %d", pages, movies, h.size)
			}
			row("  walk through all pages, one after the other", fmt.Sprintf("%.0f", float64(pages)/time.Since(began).Seconds()), "", "", "", "", "")
			return full
		}
		path = "/v2/movies?format=simple&next_token=" + *page.Next
		if movies+100 <= h.size {
			full = *page.Next
		}
	}
}
