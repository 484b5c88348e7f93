package bench_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"moviola/tests/harness"
)

// stillsEach is the number of moments of every movie that are looked at, one in each request.
const stillsEach = 20

// BenchmarkPreviews prints two tables. The first: what a still of the movies from the field takes once they were rendered and their sources
// are there, the moments spread over the movie. The second: what another account's render takes while one asks for 10,000 previews, beside
// the same render without them. Run it with -benchtime 1x.
func BenchmarkPreviews(b *testing.B) {
	for range b.N {
		media := harness.NewStandIns(b)
		s := start(b, "--allow-host", media.Host, "--library=false", "--plans", boundless(b))
		measureStills(b, s, media)
		measureFlood(b, s)
		s.API.Terminate()
	}
}

// boundless writes plans that allow more previews an hour than this benchmark asks for.
func boundless(b *testing.B) string {
	b.Helper()
	file := filepath.Join(b.TempDir(), "plans.yaml")
	plans := "plans:\n  - {name: paid, length: 30m, width: 3840, height: 3840, previews_per_hour: 1000000, outputs: 10, email: true}\n"
	if err := os.WriteFile(file, []byte(plans), 0o600); err != nil {
		b.Fatal(err)
	}
	return file
}

// machineLoad is the load average of the machine: how many processes ran or waited to run in the last minute, in the mean.
func machineLoad() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	load, _, _ := strings.Cut(string(text), " ")
	return load
}

func stillRow(what, p50, p95, cpu, note string) {
	fmt.Printf("%-52s %8s %8s %8s  %s\n", what, p50, p95, cpu, note)
}

func (s sample) stillRow(what, note string) {
	ms := func(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }
	stillRow(what, ms(s.percentile(0.5)), ms(s.percentile(0.95)), ms(s.each()), note)
}

// measureStills renders the movies from the field, and then looks at moments of them. Processor time is that of the service and of what it
// has started.
func measureStills(b *testing.B, s *service, media *harness.StandIns) {
	owner := s.open(b)
	client := s.Client(owner.key)
	examples := harness.Examples(b, client, media)
	w, err := dial(s.host(b))
	if err != nil {
		b.Fatal(err)
	}
	defer w.conn.Close()
	stillRow("a still, its sources at hand", "p50", "p95", "cpu", "load of the machine "+machineLoad())
	var all sample
	for _, example := range examples {
		client.WaitFor(client.SubmitBody(example.Body), "done")
		one := lookAt(b, s, w, owner.key, example)
		one.stillRow("  "+example.Name, "")
		all = all.add(one)
	}
	all.stillRow("  all", "p50 ≤ 300 ms, p95 ≤ 800 ms on two quiet cores; load "+machineLoad())
}

// lookAt asks for moments of a movie, each with a request.
func lookAt(b *testing.B, s *service, w *wire, key string, example harness.Example) sample {
	b.Helper()
	var movie struct {
		Duration float64
		Missing  []string
	}
	if err := w.send(post("/v2/movies/still?time=0,0&size=16", key, string(example.Body))); err != nil {
		b.Fatalf("%s: %v", example.Name, err)
	}
	if err := json.Unmarshal(w.body, &movie); err != nil || len(movie.Missing) > 0 {
		b.Fatalf("%s: sources of a rendered movie are not at hand: %v %q", example.Name, err, movie.Missing)
	}
	var one sample
	before := treeCPU(b, s.pid)
	for i := range stillsEach {
		at := movie.Duration * float64(i) / stillsEach
		began := time.Now()
		if err := w.send(post(fmt.Sprintf("/v2/movies/still?format=jpg&time=%.2f", at), key, string(example.Body))); err != nil {
			b.Fatalf("%s at %.2f s: %v", example.Name, at, err)
		}
		one.times = append(one.times, time.Since(began))
	}
	one.cpu = treeCPU(b, s.pid) - before
	slices.Sort(one.times)
	return one
}

// The flood: one account asks on so many connections until so many requests were answered, one way or another.
const (
	floodWorkers = 32
	floodCalls   = 10_000
)

// measureFlood renders as one account while another asks for previews. It renders without them before and after, since the machine may have
// other work.
func measureFlood(b *testing.B, s *service) {
	floods := s.open(b)
	other := &studio{b: b, service: s, key: s.open(b).key}
	n := 0
	render := func() cost {
		n++
		text := words{fmt.Sprintf("Beside a flood, %d", n), 444, 400, 1032, 280}.element()
		return other.makes(movieOf([]object{{"duration": 3, "background-color": "#1e3a8a", "elements": []object{text}}}))
	}
	quiet := []time.Duration{render().wall, render().wall, render().wall}
	var beside []time.Duration
	answered, took := flood(b, s, floods.key, func() { beside = append(beside, render().wall) })
	quiet = append(quiet, render().wall, render().wall, render().wall)
	fmt.Printf("\n10,000 previews of one account on %d connections in %.1f s: answers", floodWorkers, took.Seconds())
	for _, status := range slices.Sorted(maps.Keys(answered)) {
		fmt.Printf(" %d × %d", answered[status], status)
	}
	most := slices.Max(beside)
	fmt.Printf("; load of the machine %s\n", machineLoad())
	stillRow("another's render of a text of 3 s", "median", "longest", "", "")
	row := func(what string, walls []time.Duration, note string) {
		ms := func(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }
		stillRow(what, ms(middle(walls)), ms(slices.Max(walls)), "", fmt.Sprintf("%d renders%s", len(walls), note))
	}
	row("  without them", quiet, "")
	row("  beside them", beside, fmt.Sprintf("; delayed by at most %d ms, target ≤ 2,000 ms", (most-middle(quiet)).Milliseconds()))
}
