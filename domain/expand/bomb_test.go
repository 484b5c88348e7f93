package expand_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"moviola/domain"
	"moviola/domain/expand"
)

// The most that one expansion may cost. Reliability §5 T1.
const (
	bombTime   = time.Second // ten times what the worst needs on a quiet machine: what has no end takes minutes
	bombMemory = 50 << 20
)

// bombs are shapes of hostile movies; n and m scale them.
var bombs = map[string]func(n, m int) string{
	"doubling texts": func(n, m int) string {
		return `{"variables":{` + chain(n%40+2, func(i int) string { return strings.Repeat(fmt.Sprintf("{{v%d}}", i+1), m%10+2) }) + `},"elements":[{"text":"{{v0}}"}]}`
	},
	"doubling lists": func(n, m int) string {
		return `{"variables":{` + chain(n%40+2, func(i int) string { return fmt.Sprintf("{{[v%d, v%d, v%d]}}", i+1, i+1, i+1) }) + `},"elements":[{"x":"{{v0}}","text":"{{v0}}!"}]}`
	},
	"circles": func(n, m int) string {
		return `{"variables":{` + chain(n%60+1, func(i int) string { return fmt.Sprintf("{{v%d}}", (i+1)%(n%60+1)) }) + `},"elements":[{"text":"{{v0}}"}]}`
	},
	"many elements": func(n, m int) string {
		return fmt.Sprintf(`{"elements":[{"iterate":%d,"iterate-step":1,"text":"{{item}}"}]}`, n*97%20000)
	},
	"nested iterations": func(n, m int) string {
		return fmt.Sprintf(`{"scenes":[{"iterate":%d,"elements":[{"iterate":%d,"text":"{{item}} {{index}}"}]}]}`, n%10000+1, m*31%10000+1)
	},
	"empty iterations": func(n, m int) string {
		return fmt.Sprintf(`{"scenes":[{"iterate":%d,"elements":[{"iterate":10000,"condition":"{{item > 20000}}"}]}]}`, n%10000+1)
	},
	"scenes without end": func(n, m int) string {
		return `{"scenes":[` + strings.TrimSuffix(strings.Repeat(fmt.Sprintf(`{"iterate":%d},`, n%10000+1), m%500+1), ",") + `]}`
	},
	"large settings": func(n, m int) string {
		return fmt.Sprintf(`{"variables":{"big":"{{range(%d)}}"},"elements":[{"iterate":5000,"settings":{"a":"{{big}}"}}]}`, n%10000+1)
	},
	"long texts": func(n, m int) string {
		return fmt.Sprintf(`{"variables":{"s":%q},"elements":[{"iterate":%d,"text":"{{s}}{{s}}"}]}`, strings.Repeat("x", n%20000), m%5000+1)
	},
	"replacing": func(n, m int) string {
		return fmt.Sprintf(`{"variables":{"s":%q},"elements":[{"iterate":100,"text":"{{replace(replace(s, 'x', 'xxxxxxxx'), 'x', 'xxxxxxxxxxxx')}}"}]}`, strings.Repeat("x", n%20000))
	},
	"looking": func(n, m int) string {
		return fmt.Sprintf(`{"variables":{"s":%q},"elements":[{"iterate":5000,"condition":"{{contains(s, 'y') or length(s) == 1 or s == s + 'y'}}"}]}`, strings.Repeat("x", n%50000))
	},
	"ranges": func(n, m int) string {
		return fmt.Sprintf(`{"elements":[{"iterate":%d,"text":"{{length(join(range(10000)))}}"}]}`, n%5000+1)
	},
	"long sums": func(n, m int) string {
		return fmt.Sprintf(`{"elements":[{"iterate":5000,"text":"{{ 1%s }}"}]}`, strings.Repeat("+1", m%1900))
	},
	"deep": func(n, m int) string {
		return fmt.Sprintf(`{"elements":[{"text":"{{ %s1%s }}"}]}`, strings.Repeat("(", n%4000), strings.Repeat(")", n%4000))
	},
	"expressions": func(n, m int) string {
		return fmt.Sprintf(`{"elements":[{"text":%q}]}`, strings.Repeat("{{a}}", n*3%60000))
	},
	"times": func(n, m int) string {
		return fmt.Sprintf(`{"elements":[{"iterate":%d,"id":"e{{item}}","start":"{{[1][0] * e1_end}}"}]}`, n%6000+1)
	},
	"deep values": func(n, m int) string {
		return `{"variables":{` + chain(n%80+2, func(i int) string { return fmt.Sprintf("{{[v%d]}}", i+1) }) + `},"elements":[{"x":"{{v0}}"}]}`
	},
}

// chain is variables v0 to vn, each made of the next, the last a text.
func chain(n int, value func(i int) string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"v%d":%q,`, i, value(i))
	}
	fmt.Fprintf(&b, `"v%d":"xxxxxxxxxx"`, n)
	return b.String()
}

// used is the processor time of this process.
func used() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// bombsEnv asks for a thousand bombs instead of a hundred: they take minutes.
const bombsEnv = "MOVIOLA_BOMBS"

// TestExpand_bombs: hostile movies are expanded, or refused by a text that says what was exceeded, for little time and memory.
// Reliability §5 T1. It runs alone, because it counts what the process spends.
func TestExpand_bombs(t *testing.T) { //nolint:paralleltest // see above
	perShape := 6
	if os.Getenv(bombsEnv) != "" {
		perShape = 60
	}
	random := rand.New(rand.NewPCG(1, 2))
	count := 0
	for _, name := range slices.Sorted(maps.Keys(bombs)) {
		shape := bombs[name]
		for range perShape {
			document := shape(random.IntN(20000), random.IntN(2000))
			movie := tree(t, document)
			count++
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			begun := used()
			_, err := expand.Expand(movie, expand.Known{}, expand.NewBudget())
			spent := used() - begun
			runtime.ReadMemStats(&after)
			for tries := 1; spent > slower*bombTime && tries < 10; tries++ { // even processor time is longer on a busy machine
				begun = used()
				_, _ = expand.Expand(tree(t, document), expand.Known{}, expand.NewBudget())
				spent = used() - begun
			}
			if spent > slower*bombTime {
				t.Errorf("%s takes %s (%v)", name, spent, err)
			}
			if made := after.TotalAlloc - before.TotalAlloc; made > bombMemory {
				t.Errorf("%s takes %d MB (%v)", name, made>>20, err)
			}
			var refusal *domain.Error
			if err != nil && (!errors.As(err, &refusal) || refusal.Message == "") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	t.Logf("%d bombs", count)
}

// TestExpand_longListInText: a list of half a million texts is written into a text at most twice. Reliability §5 T1.
func TestExpand_longListInText(t *testing.T) { //nolint:paralleltest // it counts what the process allocates
	movie := tree(t, strings.Replace(bombs["doubling lists"](10, 0), `"x":"{{v0}}",`, "", 1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	result, err := expand.Expand(movie, expand.Known{}, expand.NewBudget())
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	elements, _ := result.Tree["elements"].([]any)
	element, _ := elements[0].(map[string]any)
	text, _ := element["text"].(string)
	if most := uint64(5 * len(text) / 2); len(text) < 6<<20 || after.TotalAlloc-before.TotalAlloc > most {
		t.Errorf("%d bytes of text took %d bytes of memory", len(text), after.TotalAlloc-before.TotalAlloc)
	}
}

// TestExpand_limits: every bound is named when it is exceeded.
func TestExpand_limits(t *testing.T) {
	t.Parallel()
	for movie, want := range map[string][2]string{
		`{"elements":[{"iterate":5001}]}`:                                                      {"movie_too_many_elements", "5000 elements"},
		`{"variables":{"l":"{{range(100)}}"},"elements":[{"iterate":5000,"x":"{{l}}"}]}`:       {"movie_expansion_too_large", "250000 values"},
		bombs["long texts"](19999, 4999):                                                       {"movie_expansion_too_large", "text"},
		bombs["doubling texts"](38, 9):                                                         {"movie_expansion_too_large", "make too much text"},
		bombs["looking"](49999, 0):                                                             {"movie_expansion_too_large", "too long to compute"},
		`{"scenes":[{"iterate":10000,"elements":[{"iterate":10000,"condition":"{{null}}"}]}]}`: {"movie_expansion_too_large", "250000 values"},
		bombs["deep values"](62, 0):                                                            {"movie_json_too_deep", "64 levels"},
	} {
		_, err := expand.Expand(tree(t, movie), expand.Known{}, expand.NewBudget())
		requireCode(t, err, want[0], want[1])
	}
}
