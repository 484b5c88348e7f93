package bench_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	// runsEnv names the variable that says how often each movie is made; 5 is usual.
	runsEnv = "MOVIOLA_BENCH_RUNS"
	// casesEnv names the variable that picks movies by their names, with commas between them.
	casesEnv = "MOVIOLA_BENCH_CASES"
	// podcastEnv names the variable that says how many seconds a podcast lasts; 600 are usual.
	podcastEnv = "MOVIOLA_BENCH_PODCAST"
)

// handCase is a movie that is made by us and by hand.
type handCase struct {
	name   string
	script string // in the folder hand; "": nobody can write the movie without a program of its own
	movie  object
	target string
}

func handCases(r *reel, podcast int) []handCase {
	return []handCase{
		{"standard", "standard.sh", r.standard(), "≤ 0.95"},
		{"text slides", "slides.sh", r.textSlides(), "≤ 0.20"},
		{"slideshow with cuts", "cuts.sh", r.photographs(10, 3, nil), "≤ 0.30"},
		{"slideshow with fades", "fades.sh", r.photographs(10, 3, object{"fade-in": 0.5, "fade-out": 0.5}), "≤ 0.60"},
		{"slideshow with zoom", "zooms.sh", r.photographs(10, 3, object{"zoom": 1.5}), "≤ 1.0"},
		{"clip with captions", "captions.sh", r.captioned(), "≤ 1.0"},
		{"pieces of a clip", "pieces.sh", r.pieces(), "≤ 1.2"},
		{"page at rest", "page.sh", r.page("page.html", 10, nil), "≤ 0.40"},
		{"page in motion", "", r.page("moving.html", 4, object{"capture": object{"duration": 1}}), ""},
		{"transitions", "transitions.sh", r.transitions(), ""},
		{"podcast with lines", "podcast-lines.sh", r.podcast(podcast, "boxed-line"), "≤ 0.15"},
		{"podcast with words", "podcast-words.sh", r.podcast(podcast, "classic"), "≤ 0.35"},
	}
}

// number reads a variable.
func number(b *testing.B, name string, usual int) int {
	b.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		b.Fatalf("%s is %q: a number above 0", name, text)
	}
	return n
}

// measureByHand makes every movie by hand, by us, and its frames by x264 alone, in turns.
func measureByHand(r *reel, s *studio) {
	podcast := number(r.b, podcastEnv, 600)
	env := []string{"SECONDS_OF_PODCAST=" + strconv.Itoa(podcast), "OUT=" + filepath.Join(r.b.TempDir(), "hand.mp4")}
	picked := strings.Split(os.Getenv(casesEnv), ",")
	fmt.Printf("%-20s %9s %9s %9s %12s %12s  %s\n", "processor time", "x264", "by hand", "by us", "us : hand", "us : x264", "target, us : hand")
	for _, c := range handCases(r, podcast) {
		if picked[0] != "" && !slices.Contains(picked, c.name) {
			continue
		}
		var floors, hands, ours []time.Duration
		c.movie["cache"] = false
		for range number(r.b, runsEnv, 5) {
			ours = append(ours, s.makes(c.movie).cpu)
			if c.script == "" {
				continue
			}
			hands = append(hands, byHand(r.b, func() { r.shell(c.script, env) }).cpu)
			seconds, err := strconv.ParseFloat(r.shell("floor.sh", env, c.script), 64)
			if err != nil {
				r.b.Fatal(err)
			}
			floors = append(floors, time.Duration(seconds*float64(time.Second)))
		}
		floor, hand, our := middle(floors), middle(hands), middle(ours)
		fmt.Printf("%-20s %9s %9s %9s %12s %12s  %s\n", c.name, inSeconds(floor), inSeconds(hand), inSeconds(our), over(our, hand), over(our, floor), c.target)
	}
}

func middle(of []time.Duration) time.Duration {
	if len(of) == 0 {
		return 0
	}
	slices.Sort(of)
	return of[len(of)/2]
}

func inSeconds(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

func over(a, b time.Duration) string {
	if b == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", a.Seconds()/b.Seconds())
}
