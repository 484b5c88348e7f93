package bench_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// stat are the fields of a process behind its name, from its state on.
func stat(pid int) ([]string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	// The name in parentheses may hold blanks.
	return strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:])), nil
}

// treeCPU is the processor time of a process and of all its children that have ended.
func treeCPU(b *testing.B, pid int) time.Duration {
	b.Helper()
	fields, err := stat(pid)
	if err != nil {
		b.Fatal(err)
	}
	var ticks time.Duration
	for _, field := range fields[11:15] { // user, system, and the same of the children
		n, err := strconv.Atoi(field)
		if err != nil {
			b.Fatal(err)
		}
		ticks += time.Duration(n)
	}
	return ticks * clockTick
}

// tree are the processes below one, and itself.
func tree(root int) []int {
	below := map[int][]int{}
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	for _, path := range all {
		pid, err := strconv.Atoi(filepath.Base(path))
		if err != nil {
			continue
		}
		if fields, err := stat(pid); err == nil { // else it has just ended
			parent, _ := strconv.Atoi(fields[1])
			below[parent] = append(below[parent], pid)
		}
	}
	found := []int{root}
	for i := 0; i < len(found); i++ {
		found = append(found, below[found[i]]...)
	}
	return found
}

// memoryOf is what a tree of processes takes of the machine's memory, in bytes: pages that several share count once.
func memoryOf(root int) int64 {
	var sum int64
	for _, pid := range tree(root) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			continue // it has ended
		}
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
				kilobytes, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
				sum += kilobytes << 10
			}
		}
	}
	return sum
}

// peakMemory is the most that a tree of processes takes while work is done, looked at forty times a second.
func peakMemory(root int, work func()) int64 {
	ctx, stop := context.WithCancel(context.Background())
	peaked := make(chan int64)
	go func() {
		ticks := time.NewTicker(25 * time.Millisecond)
		defer ticks.Stop()
		var peak int64
		for ctx.Err() == nil {
			peak = max(peak, memoryOf(root))
			<-ticks.C
		}
		peaked <- peak
	}()
	work()
	stop()
	return <-peaked
}
