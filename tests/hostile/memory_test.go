package hostile_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// mostMemory is what a process may take, in MB. Reliability §5 M2.
const mostMemory = 600

// watchMemory looks at this process and those it has started until the test ends, and fails it when one took too much. What the kernel
// keeps for ended processes counts their beginning as a copy of this one, and would not do.
func watchMemory(t *testing.T) {
	t.Helper()
	if _, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid())); err != nil {
		t.Fatalf("this kernel does not list the children of a process: %v", err)
	}
	done, ended := make(chan struct{}), make(chan map[string]int)
	go func() {
		most := map[string]int{}
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			look(most)
			select {
			case <-done:
				ended <- most
				return
			case <-tick.C:
			}
		}
	}()
	t.Cleanup(func() {
		close(done)
		for name, mb := range <-ended {
			t.Logf("%s took %d MB at most", name, mb)
			if mb > mostMemory {
				t.Errorf("%s took %d MB, more than %d", name, mb, mostMemory)
			}
		}
	})
}

// look notes the most memory that this process, and each program below it, has had.
func look(most map[string]int) {
	// To read all processes of the machine ten times a second would take a good part of a processor.
	files := []string{"/proc/self/status"}
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		raw, _ := os.ReadFile(list) // what ends meanwhile cannot be read, and is left out
		for _, pid := range strings.Fields(string(raw)) {
			files = append(files, "/proc/"+pid+"/status")
		}
	}
	self := os.Getpid()
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		field := func(name string) string {
			_, rest, _ := bytes.Cut(raw, []byte("\n"+name+":"))
			value, _, _ := bytes.Cut(rest, []byte("\n"))
			return strings.TrimSuffix(strings.TrimSpace(string(value)), " kB")
		}
		name := strings.TrimSpace(strings.TrimPrefix(strings.SplitN(string(raw), "\n", 2)[0], "Name:"))
		mine := field("PPid") == fmt.Sprint(self) && strings.HasPrefix(name, "ff")
		if field("Pid") == fmt.Sprint(self) {
			name, mine = "this process", true
		}
		if kb, err := strconv.Atoi(field("VmHWM")); mine && err == nil {
			most[name] = max(most[name], kb>>10)
		}
	}
}
