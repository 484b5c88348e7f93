package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

var processRows = []row{
	{"read another process's environment", func(w world) error { return read(proc(w, "environ")) }},
	{"read another process's memory in /proc", func(w world) error {
		fd, err := unix.Open(proc(w, "mem"), unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		_, err = unix.Pread(fd, make([]byte, 4), int64(w.Buffer))
		return err
	}},
	{"see what another process has open", func(w world) error {
		_, err := os.Readlink(proc(w, "fd/0"))
		return err
	}},
	{"make another process the first to be killed", func(w world) error { return write(proc(w, "oom_score_adj"), unix.O_WRONLY) }},
	{"read another process's memory", func(w world) error {
		_, err := unix.ProcessVMReadv(w.Victim, local(make([]byte, 4)), remote(w), 0)
		return err
	}},
	{"write another process's memory", func(w world) error {
		_, err := unix.ProcessVMWritev(w.Victim, local([]byte("gone")), remote(w), 0)
		return err
	}},
	{"trace another process", func(w world) error {
		_, err := call(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(w.Victim), 0, 0)
		return err
	}},
	{"signal another process", func(w world) error { return unix.Kill(w.Victim, 0) }},
	{"signal a thread of another process", func(w world) error { return unix.Tgkill(w.Victim, w.Victim, 0) }},
	{"take a descriptor of another process", func(w world) error {
		fd, err := unix.PidfdOpen(w.Victim, 0)
		if err != nil {
			return err
		}
		_, err = unix.PidfdGetfd(fd, 0, 0)
		return err
	}},
	{"slow another process down", func(w world) error { return unix.Setpriority(unix.PRIO_PROCESS, w.Victim, 19) }},
	{"limit another process", func(w world) error { return unix.Prlimit(w.Victim, unix.RLIMIT_CORE, &unix.Rlimit{}, nil) }},
	{"attach another's shared memory", func(w world) error {
		id, err := unix.SysvShmGet(w.Key, 0, 0)
		if err != nil {
			return err
		}
		_, err = unix.SysvShmAttach(id, 0, 0)
		return err
	}},
	{"open another's queue of messages", func(w world) error {
		_, err := call(unix.SYS_MQ_OPEN, text(w.Queue), unix.O_RDWR, 0, 0)
		return err
	}},
}

func proc(w world, file string) string { return fmt.Sprintf("/proc/%d/%s", w.Victim, file) }
