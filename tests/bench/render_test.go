package bench_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"moviola/tests/harness"
)

// BenchmarkRender prints two tables. The first: what the built program needs for whole movies, from the submission until they are done, beside
// what the best ffmpeg graph that we could write by hand needs for the same ones, and x264 alone for its frames. Processor time is that of the
// service and of all it has started, downloads, the log and the read models among it; all figures are medians. The second: movies made again, and
// memory. Run it with -benchtime 1x.
func BenchmarkRender(b *testing.B) {
	for range b.N {
		r := newReel(b)
		s := &studio{b: b, service: start(b, "--allow-host", r.host, "--render-slots", "1", "--library=false")}
		s.key = s.service.open(b).key
		measureByHand(r, s)
		if os.Getenv(casesEnv) == "" {
			renderRow("", "cpu", "wall", "ratio", "target")
			measureLatency(s)
			measureAgain(r, s)
			measureSlides(r, s)
			measureMemory(r, s)
		}
		s.service.API.Terminate()
	}
}

func renderRow(what, cpu, wall, ratio, target string) {
	fmt.Printf("%-66s %10s %10s %7s  %s\n", what, cpu, wall, ratio, target)
}

// cost is what making a movie took.
type cost struct{ cpu, wall time.Duration }

func (c cost) row(what, ratio, target string) {
	renderRow(what, fmt.Sprintf("%.2f s", c.cpu.Seconds()), fmt.Sprintf("%.3f s", c.wall.Seconds()), ratio, target)
}

// share is this cost's processor time beside another's.
func (c cost) share(of cost) string { return fmt.Sprintf("%.2f", c.cpu.Seconds()/of.cpu.Seconds()) }

// studio is the service and one account of it.
type studio struct {
	b       *testing.B
	service *service
	key     string
}

// renderLimit is when a movie that is not done ends the measurement.
const renderLimit = 15 * time.Minute

// makes submits a movie and waits until it is done.
func (s *studio) makes(movie object) cost {
	s.b.Helper()
	body, err := json.Marshal(movie)
	if err != nil {
		s.b.Fatal(err)
	}
	w, err := dial(s.service.host(s.b))
	if err != nil {
		s.b.Fatal(err)
	}
	defer w.conn.Close()
	before, began := treeCPU(s.b, s.service.pid), time.Now()
	if err := w.send(post("/v2/movies", s.key, string(body))); err != nil {
		s.b.Fatal(err)
	}
	var taken struct{ Project string }
	if err := json.Unmarshal(w.body, &taken); err != nil {
		s.b.Fatal(err)
	}
	s.await(w, taken.Project)
	return cost{treeCPU(s.b, s.service.pid) - before, time.Since(began)}
}

// await asks, often at first, until a movie is done.
func (s *studio) await(w *wire, project string) {
	s.b.Helper()
	request := get("/v2/movies?project="+project, s.key)
	for began := time.Now(); ; {
		var answer harness.Single
		if err := w.send(request); err != nil {
			s.b.Fatal(err)
		}
		if err := json.Unmarshal(w.body, &answer); err != nil {
			s.b.Fatal(err)
		}
		switch waited := time.Since(began); {
		case answer.Movie.Status == "done":
			return
		case answer.Movie.Status == "error" || answer.Movie.Status == "timeout" || waited > renderLimit:
			s.b.Fatalf("the movie is %s after %v: %s", answer.Movie.Status, waited, answer.Movie.Message)
		default:
			<-time.After(min(max(2*time.Millisecond, waited/50), 100*time.Millisecond))
		}
	}
}

// byHand measures a command, by what the children of this process have used.
func byHand(b *testing.B, work func()) cost {
	b.Helper()
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before, began := used(), time.Now()
	work()
	return cost{used() - before, time.Since(began)}
}

// measureLatency makes a short text movie several times, each time with another text.
func measureLatency(s *studio) {
	var walls, cpus []time.Duration
	for i := range 7 {
		text := words{"Text number " + strconv.Itoa(i), 444, 400, 1032, 280}.element()
		took := s.makes(movieOf([]object{{"duration": 3, "background-color": "#1e3a8a", "elements": []object{text}}}))
		walls, cpus = append(walls, took.wall), append(cpus, took.cpu)
	}
	cost{middle(cpus), middle(walls)}.row("a text of 3 s, from the submission until it is done", "", "wall ≤ 0.6 s")
}

// measureAgain makes the standard movie, and then again.
func measureAgain(r *reel, s *studio) {
	movie := r.standard()
	s.makes(movie).row("the standard movie (12 s of 1080p, three scenes)", "", "")
	again := s.makes(movie)
	again.row("  again, the same", "", "cpu ≤ 0.05 s, wall ≤ 0.1 s")
	movie["scenes"].([]object)[0]["comment"] = "not seen"
	s.makes(movie).row("  again, another document of which all that is seen is the same", "", "wall ≤ 0.1 s")
}

// measureSlides changes one caption of ten scenes.
func measureSlides(r *reel, s *studio) {
	first := s.makes(r.slides("Slide number 4"))
	first.row("ten scenes (30 s of 1080p, pictures and captions)", "", "")
	changed := s.makes(r.slides("Another caption"))
	changed.row("  with one caption changed", changed.share(first), "≤ 0.08 × the first time")
}

// measureMemory renders the standard movie anew, and watches.
func measureMemory(r *reel, s *studio) {
	movie := r.standard()
	movie["cache"] = false
	idle := memoryOf(s.service.pid)
	peak := peakMemory(s.service.pid, func() { s.makes(movie) })
	renderRow("memory of the service and all its processes, the standard movie", megabytes(peak), "", "", "≤ 600 MB")
	renderRow("  the same with nothing to do", megabytes(idle), "", "", "")
	if peak == 0 {
		_, err := os.ReadFile("/proc/self/smaps_rollup")
		s.b.Fatalf("the memory of processes is not known here: %v", err)
	}
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", n>>20) }
