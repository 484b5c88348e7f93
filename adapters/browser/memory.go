package browser

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// memoryLook is the interval at which this process measures how much memory a browser uses and, for a page with the limit
// Page.work, how much processor time. Within one interval a page can allocate some hundred megabytes. If the browser is
// jailed, the jail's memory limit for each of its processes holds at any time.
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
	if listsChildren() {
		return familyOf(pid, childrenOf)
	}
	return familyOf(pid, allChildren())
}

func familyOf(pid int, children func(int) []int) []int {
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		all = append(all, children(all[i])...)
	}
	return all
}

// listsChildren reports whether the kernel lists the children of each thread (CONFIG_PROC_CHILDREN). With these lists, the
// time that the function family needs grows with the number of descendants that it finds. Without the lists, it grows with
// the number of all processes of this machine: with a hundred of them it is about ten times as long.
var listsChildren = sync.OnceValue(func() bool {
	lists, err := filepath.Glob("/proc/self/task/*/children")
	return err == nil && len(lists) > 0
})

// childrenOf reads the children of a process from /proc/*/task/*/children. A process that has ended has none.
func childrenOf(pid int) []int {
	threads := fmt.Sprintf("/proc/%d/task", pid)
	dir, err := os.Open(threads)
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var all []int
	for _, name := range names {
		list, err := os.ReadFile(filepath.Join(threads, name, "children"))
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range bytes.Fields(list) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				all = append(all, child)
			}
		}
	}
	return all
}

// allChildren reads the parent of every process of this machine, and returns the children of each.
func allChildren() func(pid int) []int {
	children := map[int][]int{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err == nil {
		for _, path := range stats {
			if child, parent, ok := kinship(path); ok {
				children[parent] = append(children[parent], child)
			}
		}
	}
	return func(pid int) []int { return children[pid] }
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
	// Processor times are in the fields from user on, counted after the process name; own is the number of these fields:
	// the user and system time of the process, and those of its ended children.
	const user, own = 11, 4
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
