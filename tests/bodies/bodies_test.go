package bodies_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"moviola/internal/app"
	"moviola/tests/harness"
)

// What one body may cost: live memory at any time, and processor time.
const (
	mostMemory = 40 // MB
	mostTime   = 500 * time.Millisecond
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.RemoveBinaries()
	os.Exit(code)
}

// body is one that is sent.
type body struct {
	route, query, name string
	json               func() string
}

func (b body) String() string { return b.route + b.query + ": " + b.name }

// endpoints are those that take a body, with a body in which %s stands for any value.
var endpoints = map[string][]string{
	"POST /v2/movies":                 {`{"scenes":[{}],"client-data":{"a":%s}}`, `{"elements":[{"type":"text","settings":{"a":%s}}]}`},
	"POST /v2/movies/validate":        {`{"scenes":[{}],"comment":%s}`, `{"variables":{"a":%s},"elements":[{"type":"text","text":"{{a}}"}]}`},
	"POST /v2/movies/still":           {`{"scenes":[{}],"comment":%s}`},
	"POST /v2/batches":                {`{"template":"aaaaaaaaaaaaaaaaaaaa","rows":[{"variables":{"a":%s}}]}`, `{"template":"aaaaaaaaaaaaaaaaaaaa","rows":%s}`},
	"POST /v2/batches/validate":       {`{"template":"aaaaaaaaaaaaaaaaaaaa","rows":[{"variables":{"a":%s}}]}`},
	"POST /v2/templates":              {`{"name":"x","movie":%s}`, `{"name":"x","movie":{"scenes":[]},"variables":{"a":%s}}`, `{"name":"x","tags":%s,"movie":{"scenes":[]}}`},
	"POST /v2/preloads":               {`{"preload":[{"type":"image","id":"a","src":"http://198.51.100.1/","settings":%s}]}`, `{"preload":%s}`},
	"POST /v2/media/file":             {`{"name":"x","contentType":"video/mp4","size":1,"a":%s}`},
	"PUT /v2/media/file":              {`{"name":%s,"destination":"x"}`},
	"POST /v2/media/folder":           {`{"folder":%s}`},
	"POST /v2/connections":            {`{"id":"x","type":"webhook","url":"http://198.51.100.1/","a":%s}`},
	"POST /v2/connections/test":       {`{"id":%s}`},
	"POST /v2/keys":                   {`{"name":"x","role":"render","a":%s}`},
	"POST /admin/accounts":            {`{"name":"x","a":%s}`},
	"POST /admin/accounts/plan":       {`{"account":"x","plan":%s}`},
	"POST /admin/credits":             {`{"account":"x","a":%s}`},
	"POST /admin/keys":                {`{"account":"x","a":%s}`},
	"POST /admin/operators":           {`{"name":"x","role":%s}`},
	"POST /admin/operators/renew":     {`{"name":%s}`},
	"POST /admin/projections/rebuild": {`{"models":%s}`},
	"POST /admin/work/retry":          {`{"work":%s}`},
	"POST /admin/work/drop":           {`{"work":%s}`},
	"POST /console/api/session":       {`{"key":%s}`},
	"POST /operator/api/session":      {`{"token":%s}`},
	"POST /mcp": {
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"validate_movie","arguments":{"movie":%s}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%s}`,
	},
}

// perForm is how many shapes stand for all of them where a part of the corpus is sent.
const perForm = 2

// corpus is all bodies, or a part of them with every movie, every form of every endpoint in every size, and every shape. See the package's comment.
func corpus(all bool) []body {
	var bodies []body
	for i, name := range slices.Sorted(maps.Keys(movies)) {
		for j, route := range []string{"POST /v2/movies", "POST /v2/movies/validate"} {
			if all || i%2 == j {
				bodies = append(bodies, body{route: route, name: name, json: movies[name]})
			}
		}
	}
	large, turn := slices.Sorted(maps.Keys(shapes)), map[bool]int{} // whose turn it is, for large and small bodies
	for _, route := range slices.Sorted(maps.Keys(endpoints)) {
		for _, form := range endpoints[route] {
			for _, size := range sizes(route) {
				names, isLarge := large, size >= 100<<10
				if !isLarge {
					names = inSmall
				}
				if !all {
					names = inTurn(names, turn[isLarge])
					turn[isLarge] += perForm
				}
				for _, name := range names {
					bodies = append(bodies, body{route: route, name: strings.Replace(form, "%s", name, 1) + fmt.Sprintf(", %d kB", size>>10),
						json: func() string { return strings.Replace(form, "%s", shapes[name](size-len(form)), 1) }})
				}
			}
		}
	}
	return bodies
}

// inTurn are perForm of the names from one of them on, after the last of which the first comes again.
func inTurn(names []string, from int) []string {
	var some []string
	for i := range perForm {
		some = append(some, names[(from+i)%len(names)])
	}
	return some
}

// longEnv asks for the whole corpus.
const longEnv = "MOVIOLA_TEST_LONG"

// TestCorpus: the part that is usually sent has every endpoint, every movie and every shape of the whole.
func TestCorpus(t *testing.T) {
	t.Parallel()
	part, whole := corpus(false), corpus(true)
	t.Logf("%d of %d bodies", len(part), len(whole))
	classes := append(slices.Collect(maps.Keys(movies)), slices.Collect(maps.Keys(shapes))...)
	for _, class := range append(classes, slices.Collect(maps.Keys(endpoints))...) {
		if !slices.ContainsFunc(part, func(b body) bool { return strings.Contains(b.String(), class) }) {
			t.Errorf("%s is in no body", class)
		}
	}
	for _, b := range part {
		if !slices.ContainsFunc(whole, func(w body) bool { return w.String() == b.String() }) {
			t.Errorf("%s is not in the whole", b)
		}
	}
}

// inSmall are the shapes that bodies are tried with that cannot be large.
var inSmall = []string{"small objects", "nested objects", "one text", "doubled keys", "bottomless", "escapes"}

// sizes are the largest bodies that an endpoint reads.
func sizes(route string) []int {
	switch {
	case route == "POST /v2/templates":
		return []int{100 << 10, full}
	case strings.HasPrefix(route, "POST /v2/movies"), route == "POST /v2/preloads":
		return []int{full}
	case route == "POST /mcp":
		return []int{2 * full}
	case route == "POST /v2/connections":
		return []int{256 << 10}
	}
	return []int{64 << 10}
}

// bodiless are routes that change something and take no body, or one that is a file.
var bodiless = []string{
	"PUT /v2/media/upload/{ticket}", "POST /v2/movies/cancel", "POST /v2/batches/cancel", "POST /v2/movies/redeliver", "POST /v2/connections/secret",
	"POST /v2/inboxes", "POST /operator/api/oidc",
	"POST /admin/templates/{id}/publish", "POST /admin/templates/{id}/unpublish",
}

// passed are routes that hand a call with its body to one of the routes of the corpus.
var passed = []string{
	"POST /console/api/v2/{call:.+}", "PUT /console/api/v2/{call:.+}", "POST /operator/api/admin/{call:.+}", "PUT /operator/api/admin/{call:.+}",
}

// TestEndpoints: every route that changes something is in the corpus, or takes no body.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	routes, err := app.Routes(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, route := range routes {
		known := endpoints[route.Name()] != nil || slices.Contains(slices.Concat(bodiless, passed), route.Name())
		if route.Method != http.MethodGet && route.Method != http.MethodDelete && !known {
			t.Errorf("%s is not in the corpus: add it to the endpoints, or say that it takes no body", route.Name())
		}
	}
}

// ground is a service that only answers, and what it says of its memory.
type ground struct {
	t       testing.TB
	service *harness.Service
	ops     string
	key     string
	read    int // length of the service's output that live has read
}

// newGround starts a service whose collector runs whenever its memory has grown by a tenth, and says what is live each time.
func newGround(t testing.TB, env map[string]string) *ground {
	harness.Binary(t) // before the environment changes: the compiler would collect as eagerly, and its cache would keep what it says of that
	for name, value := range env {
		t.Setenv(name, value)
	}
	g := &ground{t: t, service: harness.NewService(t, "--roles", "api,projector"), ops: harness.FreeAddr(t)}
	g.service.StartAPI("--ops-listen", g.ops, "--pprof", "--console-operator=public")
	g.key = g.service.NewAccount("hostile", 1_000_000).Key
	return g
}

// send sends a body and returns the status that answers it; 0: there was no answer.
func (g *ground) send(b body) int {
	g.t.Helper()
	method, path, _ := strings.Cut(b.route, " ")
	base := strings.TrimSuffix(g.service.Client("").Base, "/")
	req, err := http.NewRequestWithContext(g.t.Context(), method, base+path+b.query, strings.NewReader(b.json()))
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header.Set("x-api-key", g.key)
	if strings.HasPrefix(path, "/admin") {
		req.Header.Set("x-admin-token", harness.AdminToken)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

// sendWhenFree is send, repeated while the machine is too busy to answer in time: then the service answers 503.
func (g *ground) sendWhenFree(b body) int {
	g.t.Helper()
	return harness.WhenFree(g.t, func() harness.Answer { return harness.Answer{Status: g.send(b)} }).Status
}

// collect has the service free what nobody uses.
func (g *ground) collect() {
	g.t.Helper()
	res, err := http.Get("http://" + g.ops + "/debug/pprof/heap?gc=1")
	if err != nil {
		g.t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	res.Body.Close()
}

var collection = regexp.MustCompile(`gc \d+ @.* (\d+)->(\d+)->(\d+) MB`)

// live is the most and the last that was live in the collections since it was asked last, in MB.
func (g *ground) live() (most, last int) {
	g.t.Helper()
	out := g.service.API.Output()
	for _, found := range collection.FindAllStringSubmatch(out[g.read:], -1) {
		last, _ = strconv.Atoi(found[3])
		most = max(most, last)
	}
	g.read = len(out)
	return most, last
}

// spent is the processor time that the service has taken.
func (g *ground) spent() time.Duration {
	g.t.Helper()
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(g.service.API.Pid()) + "/stat")
	if err != nil {
		g.t.Fatal(err)
	}
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	ticks := 0
	for _, field := range fields[11:13] { // utime and stime
		n, err := strconv.Atoi(field)
		if err != nil {
			g.t.Fatal(err)
		}
		ticks += n
	}
	const perSecond = 100
	return time.Duration(ticks) * time.Second / perSecond
}

// TestMemory: no body costs more live memory than is allowed.
func TestMemory(t *testing.T) { //nolint:paralleltest // it changes the environment
	g := newGround(t, map[string]string{"GOGC": "10", "GODEBUG": "gctrace=1"})
	var worst []string
	g.collect()
	_, before := g.live()
	for _, b := range corpus(os.Getenv(longEnv) != "") {
		status := g.sendWhenFree(b)
		g.collect()
		most, after := g.live()
		worst = append(worst, fmt.Sprintf("%3d MB %d %s", most-before, status, b))
		// The specification answers a template that cannot be used with 500.
		if status == 0 || status >= http.StatusInternalServerError && b.route != "POST /v2/templates" {
			t.Errorf("%d: %s", status, b)
		}
		if most-before > mostMemory {
			t.Errorf("%s takes %d MB", b, most-before)
		}
		before = after
	}
	slices.Sort(worst)
	t.Logf("%d bodies, those that cost most:\n%s", len(worst), strings.Join(worst[len(worst)-10:], "\n"))
}

// BenchmarkTime prints the bodies that cost most processor time, and says of each that costs more than is allowed. The least of several times
// counts: on a busy machine even processor time is longer.
func BenchmarkTime(b *testing.B) {
	g := newGround(b, nil)
	type cost struct {
		time time.Duration
		of   body
	}
	for b.Loop() {
		var all []cost
		for _, one := range corpus(os.Getenv(longEnv) != "") {
			least := time.Hour
			for tries := 0; tries < 5 && least > mostTime; tries++ {
				before := g.spent()
				g.send(one)
				least = min(least, g.spent()-before)
			}
			all = append(all, cost{least, one})
			if least > mostTime {
				b.Logf("%s takes %v of processor time, more than %v", one, least, mostTime)
			}
		}
		slices.SortFunc(all, func(x, y cost) int { return cmp.Compare(y.time, x.time) })
		for _, c := range all[:10] {
			b.Logf("%6v  %s", c.time, c.of)
		}
		b.ReportMetric(all[0].time.Seconds()*1000, "most-ms")
	}
}
