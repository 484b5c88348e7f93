package browser

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// memoryLook is the interval at which a browser's memory is measured, and the processor time of a page that has a limit for
// it. A page can allocate some hundred megabytes in that time, and none of its processes more than the jail's limit.
const memoryLook = 250 * time.Millisecond

// watchMemory calls tooMuch when a process and its descendants together use more than limit bytes, until done is closed.
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

// memoryOf returns the private memory of a process and its descendants in bytes. Shared memory is not counted.
func memoryOf(pid int) int64 {
	var total int64
	for _, p := range family(pid) {
		total += private(p)
	}
	return total
}

// family returns a process and all its descendants.
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

// kinship reads a process and its parent from /proc/*/stat: "pid (name) state parent …", where name may contain any characters.
func kinship(path string) (pid, parent int, ok bool) {
	stat, err := os.ReadFile(path)
	if err != nil {
		return 0, 0, false // the process has ended
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

// private reads the private memory of a process from /proc/*/statm: "size resident shared …" in pages.
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

// jiffy is the unit of processor time in /proc.
const jiffy = 10 * time.Millisecond

// workOf returns the processor time of a process, its descendants, and those descendants that have ended.
func workOf(pid int) time.Duration {
	var total time.Duration
	for _, p := range family(pid) {
		total += work(p)
	}
	return total
}

// work reads the processor time of a process, and of its children that have ended, from /proc/*/stat.
func work(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	const user, own = 11, 4 // index after the name, and number, of the fields with times of the process and of its ended children
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < user+own {
		return 0
	}
	var total time.Duration
	for _, field := range fields[user : user+own] {
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return 0
		}
		total += time.Duration(n) * jiffy
	}
	return total
}
