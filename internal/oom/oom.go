// Package oom reads how often the kernel has ended processes for want of memory.
package oom

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Count is how many processes were ended so far: on the whole machine, and in this process's cgroup. Both only grow, but that of
// a cgroup begins anew with it. What cannot be read is 0.
type Count struct {
	Machine uint64 `json:"machine"`
	Group   uint64 `json:"group"`
}

// Rose says whether a later count shows that processes were ended since this one.
func (c Count) Rose(later Count) bool { return later.Machine > c.Machine || later.Group > c.Group }

// Read returns the counts of now.
func Read() Count { return read("/") }

// read is Read below another root.
func read(root string) Count {
	return Count{
		Machine: field(filepath.Join(root, "proc/vmstat"), "oom_kill"),
		Group:   field(groupFile(root), "oom_kill"),
	}
}

// groupFile is the file with the count of the process's memory cgroup: of version 2, or of version 1.
func groupFile(root string) string {
	groups, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return ""
	}
	file := ""
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		switch {
		case parts[1] == "memory":
			return firstOf(filepath.Join(root, "sys/fs/cgroup/memory", parts[2], "memory.oom_control"),
				filepath.Join(root, "sys/fs/cgroup/memory/memory.oom_control"))
		case parts[0] == "0":
			file = firstOf(filepath.Join(root, "sys/fs/cgroup", parts[2], "memory.events"),
				filepath.Join(root, "sys/fs/cgroup/memory.events"))
		}
	}
	return file
}

// firstOf is the first of some files that is there: in a container, the cgroup's own folder may be mounted as the root of all.
func firstOf(paths ...string) string {
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

// field reads a number out of lines of a name and a number.
func field(path, name string) uint64 {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 2 && words[0] == name {
			n, err := strconv.ParseUint(words[1], 10, 64)
			if err == nil {
				return n
			}
		}
	}
	return 0
}
