package oom

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRead(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		want  Count
	}{
		"nothing to read": {nil, Count{}},
		"version 2": {map[string]string{
			"proc/vmstat": "pgfault 7\noom_kill 5\n", "proc/self/cgroup": "0::/system.slice/moviola\n",
			"sys/fs/cgroup/system.slice/moviola/memory.events": "low 0\noom 9\noom_kill 3\n",
		}, Count{Machine: 5, Group: 3}},
		"version 2 in a container": {map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.events": "oom_kill 2\n",
		}, Count{Group: 2}},
		"version 1": {map[string]string{
			"proc/self/cgroup": "5:devices:/\n4:memory:/docker/1\n0::/\n",
			"sys/fs/cgroup/memory/docker/1/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n",
		}, Count{Group: 4}},
		"version 1 in a container": {map[string]string{
			"proc/self/cgroup": "4:memory:/docker/1\n", "sys/fs/cgroup/memory/memory.oom_control": "oom_kill 1\n",
		}, Count{Group: 1}},
		"an old kernel": {map[string]string{
			"proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\n",
		}, Count{}},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for path, content := range tt.files {
				path = filepath.Join(root, path)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := read(root); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestCount_Rose(t *testing.T) {
	before := Count{Machine: 2, Group: 1}
	for later, want := range map[Count]bool{before: false, {Machine: 3, Group: 1}: true, {Machine: 2, Group: 2}: true, {Machine: 2}: false} {
		if before.Rose(later) != want {
			t.Errorf("%+v after %+v: %v", later, before, !want)
		}
	}
}
