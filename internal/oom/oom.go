// Package oom reads how many processes the kernel has killed because memory ran out.
package oom

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Count is the number of killed processes: on the machine, and in this process's cgroup. They start at 0, with the machine
// and with a new cgroup, and then only grow. A number that cannot be read is 0.
type Count struct {
	Machine uint64 `json:"machine"`
	Group   uint64 `json:"group"`
}

// Rose reports whether processes were killed between this count and a later one.
func (c Count) Rose(later Count) bool { return later.Machine > c.Machine || later.Group > c.Group }

// Read returns the present counts.
func Read() Count { return read("/") }

// read is Read with another root folder, for tests.
func read(root string) Count {
	return Count{
		Machine: field(filepath.Join(root, "proc/vmstat"), "oom_kill"),
		Group:   field(groupFile(root), "oom_kill"),
	}
}

// groupFile returns the path of the count for this process's memory cgroup, of version 2 or 1.
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

// firstOf returns the first existing file: in a container, the cgroup's own folder may be mounted as the root.
func firstOf(paths ...string) string {
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

// field reads a number from lines that have a name and a number.
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
