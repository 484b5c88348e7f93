package browser

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// memoryLook is how often the memory of a browser is looked at; a page can take some hundred megabytes in that time, and no single
// process of it more than the jail's limit.
const memoryLook = 250 * time.Millisecond

// watchMemory calls tooMuch when a process and what it has started take more than limit bytes together, until done is closed.
func watchMemory(pid int, limit int64, done <-chan struct{}, tooMuch func()) {
	ticker := time.NewTicker(memoryLook)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
		}
		if memoryOf(pid) > limit {
			tooMuch()
			return
		}
	}
}

// memoryOf returns the bytes that a process and its descendants hold for themselves. What they share is counted in none.
func memoryOf(pid int) int64 {
	var total int64
	for _, p := range family(pid) {
		total += private(p)
	}
	return total
}

// family returns a process and all that descend from it.
func family(pid int) []int {
	children := map[int][]int{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	for _, path := range stats {
		child, parent, ok := kinship(path)
		if ok {
			children[parent] = append(children[parent], child)
		}
	}
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}

// kinship reads a process and its parent from /proc/*/stat: "pid (name) state parent …", where name may hold anything.
func kinship(path string) (pid, parent int, ok bool) {
	stat, err := os.ReadFile(path)
	if err != nil {
		return 0, 0, false // it has ended
	}
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return 0, 0, false
	}
	if _, err := fmt.Sscan(string(stat), &pid); err != nil {
		return 0, 0, false
	}
	fields := bytes.Fields(stat[end+1:])
	if len(fields) < 2 {
		return 0, 0, false
	}
	parent, err = strconv.Atoi(string(fields[1]))
	return pid, parent, err == nil
}

// private reads what a process holds and shares with nobody, from /proc/*/statm: "size resident shared …" in pages.
func private(pid int) int64 {
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	var size, resident, shared int64
	if _, err := fmt.Sscan(string(statm), &size, &resident, &shared); err != nil {
		return 0
	}
	return (resident - shared) * int64(os.Getpagesize())
}
