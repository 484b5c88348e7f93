package bench_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"moviola/eventstore"
	"moviola/eventstore/eventstoredb"
	"moviola/tests/harness"
)

const (
	steady     = 500              // submissions a second while the lag is measured
	steadyTime = 20 * time.Second // of them
	eventsEach = 6                // of one finished movie: three or four of its own, a hold and a charge
	smallShare = 100              // the small account has one movie in so many
)

// BenchmarkScale prints what an installation in roles takes once it holds a million movies: memory of each process, pages of lists, lag of the
// read models under load, and every command that reads the whole log. The target stands behind it. It takes an hour or more.
func BenchmarkScale(b *testing.B) {
	for range b.N {
		all := sizes(b)
		scale(b, all[len(all)-1])
	}
}

// roles is an installation with a process for each role and an event store of its own.
type roles struct {
	*service
	url             string
	store, renderer *harness.Process
	back            *harness.Process // plays projector at first, and then deliverer and keeper too
}

func startRoles(b *testing.B) *roles {
	b.Helper()
	addr := harness.FreeAddr(b)
	store := harness.StartEventStore(b, filepath.Join(b.TempDir(), "events"), addr)
	url := "esdb://" + addr + "?tls=false"
	s := harness.NewService(b, "--eventstore", url, "--log-level", "error")
	// Without the keeper, which would close holds of long ago whose movie is not in the log yet.
	back := s.StartProcess("back", "--roles", "projector")
	s.StartAPI("--roles", "api")
	client, err := eventstoredb.Open(eventstoredb.Config{Addr: addr})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := client.Close(ctx); err != nil {
			b.Error(err)
		}
	})
	log := eventstore.NewLog(client, eventstore.NewCodec())
	return &roles{service: &service{Service: s, log: log, pid: s.API.Pid()}, url: url, store: store, back: back}
}

// member starts a process of the installation and waits until it works.
func (r *roles) member(b *testing.B, name, plays string) *harness.Process {
	b.Helper()
	p := r.StartProcess(name, "--roles", plays)
	harness.Eventually(b, name+" works", func() bool { return strings.Contains(p.Output(), "works as") })
	return p
}

func scale(b *testing.B, movies int) {
	b.Helper()
	r := startRoles(b)
	began := time.Now()
	small, large := newHistory(b, r.service), newHistory(b, r.service)
	small.grow(b, max(1, movies/smallShare))
	large.grow(b, movies-small.size)
	fmt.Printf("%d movies put into the log and projected in %.0f s\n", movies, time.Since(began).Seconds())
	fmt.Printf("%-48s %10s %10s %12s %10s  %s\n", "", "wall", "cpu", "events/s", "memory", "target")
	r.back.Terminate()
	r.back = r.member(b, "back", "projector,deliverer,keeper")
	r.pages(b, large)
	r.renderer = r.member(b, "renderer", "renderer")
	r.memories(b)
	r.renderer.Terminate()
	r.lag(b)
	events := movies * eventsEach
	r.command(b, "audit", events, "", "audit")
	r.command(b, "statement of the small account", 0, "< 1 s", "audit", "--account", string(small.owner.account))
	r.command(b, "export of movies, CSV", 0, "", "export", "movies", "--to", filepath.Join(b.TempDir(), "movies.csv"))
	r.command(b, "snapshot for analysts", 0, "", "analytics", "snapshot", "--to", filepath.Join(b.TempDir(), "snapshot.db"))
	saved := filepath.Join(b.TempDir(), "backup")
	r.command(b, "backup", events, "", "backup", "--to", saved)
	r.command(b, "backup again", 0, "", "backup", "--to", saved)
	r.command(b, "rebuild beside the running service", events, "≥ 30,000 events/s", "rebuild")
	r.sizes(b, saved)
	r.again(b)
}

// measured prints a row of the table.
func measured(what string, wall, cpu time.Duration, events int, memory int64, target string) {
	rate, used, room := "", "", ""
	if events > 0 {
		rate = fmt.Sprintf("%.0f", float64(events)/wall.Seconds())
	}
	if cpu > 0 {
		used = fmt.Sprintf("%.2f s", cpu.Seconds())
	}
	if memory > 0 {
		room = fmt.Sprintf("%d MB", memory>>20)
	}
	fmt.Printf("%-48s %10s %10s %12s %10s  %s\n", what, fmt.Sprintf("%.3f s", wall.Seconds()), used, rate, room, target)
}

// command runs a command of the program on the installation and prints what it took. It must succeed.
func (r *roles) command(b *testing.B, what string, events int, target string, args ...string) {
	b.Helper()
	args = append(args, "--data", r.Data)
	if args[0] != "export" && args[0] != "analytics" {
		args = append(args, "--eventstore", r.url)
	}
	c := exec.Command(harness.Binary(b), args...)
	c.Env = append(os.Environ(), "MOVIOLA_ADMIN_TOKEN="+harness.AdminToken, "MOVIOLA_FONTS_URL=")
	out, err := os.Create(filepath.Join(b.TempDir(), "out"))
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	c.Stdout, c.Stderr = out, out
	began := time.Now()
	err = c.Run()
	wall := time.Since(began)
	if err != nil {
		b.Errorf("%s: %v\n%s", what, err, tail(out.Name()))
		return
	}
	state := c.ProcessState
	measured(what, wall, state.UserTime()+state.SystemTime(), events, state.SysUsage().(*syscall.Rusage).Maxrss<<10, target)
}

// tail is the last lines of a file.
func tail(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	var last []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		last = append(last, lines.Text())
		last = last[max(0, len(last)-20):]
	}
	return strings.Join(last, "\n")
}

// pages asks for pages of the list, one after the other.
func (r *roles) pages(b *testing.B, h *history) {
	b.Helper()
	for _, q := range h.questions(b) {
		request := get(q.path, q.key)
		s := load(b, r.pid, r.host(b), 1, 3*time.Second, 0, func(int) []byte { return request })
		measured(q.what+", p50", s.percentile(0.5), s.each(), 0, 0, "")
		measured(q.what+", p99", s.percentile(0.99), 0, 0, 0, "")
	}
}

func (r *roles) memories(b *testing.B) {
	b.Helper()
	for _, p := range []struct {
		what, target string
		process      *harness.Process
	}{
		{"event store", "", r.store}, {"api", "≤ 150 MB", r.API}, {"projector, deliverer and keeper", "", r.back}, {"renderer without work", "", r.renderer},
	} {
		fmt.Printf("%-48s %10s %10s %12s %10s  %s\n", "memory of the "+p.what, "", "", "", fmt.Sprintf("%d MB", memoryOf(p.process.Pid())>>20), p.target)
	}
}

// lag submits at a steady rate and asks meanwhile, for movies of another account, how long after its acknowledgement a movie is in the list.
func (r *roles) lag(b *testing.B) {
	b.Helper()
	var requests [][]byte
	for _, o := range r.owners(b, clients) {
		requests = append(requests, post("/v2/movies", o.key, movie))
	}
	probe := r.open(b)
	seen := make(chan sample)
	stop := make(chan struct{})
	go func() { seen <- r.probe(b, probe, stop) }()
	var sent atomic.Int64
	began := time.Now()
	s := load(b, r.pid, r.host(b), clients, steadyTime, 0, func(worker int) []byte {
		if due := time.Until(began.Add(time.Duration(sent.Add(1)) * time.Second / steady)); due > 0 {
			waitFor(b, due)
		}
		return requests[worker]
	})
	close(stop)
	lag := <-seen
	measured(fmt.Sprintf("submission at %.0f a second, p99", s.rate()), s.percentile(0.99), s.each(), 0, 0, "p99 ≤ 50 ms")
	measured(fmt.Sprintf("lag of the list behind it (%d asked), p50", len(lag.times)), lag.percentile(0.5), 0, 0, 0, "")
	measured("lag of the list behind it, p99", lag.percentile(0.99), 0, 0, 0, "≤ 200 ms")
}

// probe submits one movie after the other and takes the time until the list shows it.
func (r *roles) probe(b *testing.B, o owner, stop <-chan struct{}) (s sample) {
	w, err := dial(r.host(b))
	if err != nil {
		b.Error(err)
		return s
	}
	defer w.conn.Close()
	submit, list := post("/v2/movies", o.key, movie), get("/v2/movies?limit=1", o.key)
	for {
		select {
		case <-stop:
			return s.add(sample{})
		default:
		}
		if err := w.send(submit); err != nil {
			b.Error(err)
			return s
		}
		var accepted struct{ Project string }
		if err := json.Unmarshal(w.body, &accepted); err != nil {
			b.Error(err)
			return s
		}
		for began := time.Now(); ; {
			if err := w.send(list); err != nil {
				b.Error(err)
				return s
			}
			if strings.Contains(string(w.body), accepted.Project) {
				s.times = append(s.times, time.Since(began))
				break
			}
		}
	}
}

// sizes prints what lies on the disk.
func (r *roles) sizes(b *testing.B, saved string) {
	b.Helper()
	for _, p := range []struct{ what, path string }{{"data folder", r.Data}, {"backup", saved}} {
		var sum int64
		err := filepath.WalkDir(p.path, func(_ string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err == nil {
				sum += info.Size()
			}
			return err
		})
		if err != nil {
			b.Error(err)
		}
		fmt.Printf("%-48s %10s\n", "size of the "+p.what, fmt.Sprintf("%d MB", sum>>20))
	}
}

// again takes the time from the start of the API process to its first answer.
func (r *roles) again(b *testing.B) {
	b.Helper()
	r.API.Terminate()
	began := time.Now()
	r.StartAPI("--roles", "api")
	measured("start of the api to its first answer", time.Since(began), 0, 0, 0, "")
	r.API.Terminate()
	r.back.Terminate()
	r.store.Terminate()
}
