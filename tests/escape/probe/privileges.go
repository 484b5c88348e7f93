package main

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

var privilegeRows = []row{
	{"become another user", func(world) error { return unix.Setresuid(4242, 4242, 4242) }},
	{"change the root folder", func(w world) error { return unix.Chroot(w.Shared) }},
	{"mount a file system", func(w world) error {
		if err := unix.Mount("escape", w.Shared, "tmpfs", 0, ""); err != nil {
			return err
		}
		return unix.Unmount(w.Shared, 0)
	}},
	{"clone a mount", func(world) error {
		_, err := unix.OpenTree(unix.AT_FDCWD, "/", unix.OPEN_TREE_CLONE)
		return err
	}},
	{"leave the mount namespace", func(world) error { return unix.Unshare(unix.CLONE_NEWNS) }},
	{"mount in a user namespace of its own", func(world) error { return in(unix.CLONE_NEWUSER|unix.CLONE_NEWNS, "inner mount") }},
	{"open a raw socket in a network namespace of its own",
		func(world) error { return in(unix.CLONE_NEWUSER|unix.CLONE_NEWNET, "inner raw") }},
	{"enter another process's namespaces", func(w world) error {
		fd, err := unix.Open(proc(w, "ns/mnt"), unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		if err := unix.Unshare(unix.CLONE_FS); err != nil {
			return err
		}
		return unix.Setns(fd, unix.CLONE_NEWNS)
	}},
	{"name the host", func(world) error {
		name, err := os.Hostname()
		if err != nil {
			return err
		}
		return unix.Sethostname([]byte(name))
	}},
	{"raise a capability", func(world) error {
		header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		data := [2]unix.CapUserData{{Effective: 1 << unix.CAP_NET_RAW, Permitted: 1 << unix.CAP_NET_RAW}}
		return unix.Capset(&header, &data[0])
	}},
	{"take a higher priority", func(world) error { return unix.Setpriority(unix.PRIO_PROCESS, 0, -5) }},
	{"load a module", func(world) error { return allowed(unix.SYS_INIT_MODULE, 0, 0, text("")) }},
	{"load another kernel", func(world) error { return allowed(unix.SYS_KEXEC_LOAD, 0, 0, 0, 0xffff) }},
	{"load a program of the kernel (bpf)", func(world) error {
		attr := [4]uint32{unix.BPF_MAP_TYPE_ARRAY, 4, 4, 1}
		_, err := call(unix.SYS_BPF, unix.BPF_MAP_CREATE, pointer(&attr), unsafe.Sizeof(attr))
		return err
	}},
	{"count events of the processor (perf)", func(world) error {
		attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_TASK_CLOCK,
			Bits: unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv}
		attr.Size = uint32(unsafe.Sizeof(attr))
		_, err := unix.PerfEventOpen(&attr, 0, -1, -1, 0)
		return err
	}},
	{"handle page faults", func(world) error {
		_, err := call(unix.SYS_USERFAULTFD, userModeOnly)
		return err
	}},
	{"set up io_uring", func(world) error {
		var params [120]byte
		_, err := call(unix.SYS_IO_URING_SETUP, 4, pointer(&params))
		return err
	}},
	{"keep a key in the kernel", func(world) error {
		_, err := unix.AddKey("user", "escape", []byte("x"), unix.KEY_SPEC_PROCESS_KEYRING)
		return err
	}},
	{"read the user's keyring", func(world) error {
		_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true)
		return err
	}},
	{"switch off the random places of memory", func(world) error {
		_, err := call(unix.SYS_PERSONALITY, addressesAsTheyAre)
		return err
	}},
	{"watch all files", func(world) error {
		_, err := unix.FanotifyInit(unix.FAN_CLASS_NOTIF|unix.FAN_REPORT_FID, 0)
		return err
	}},
}

// innerRows are tried in namespaces that other rows have made.
var innerRows = []row{
	{"inner mount", func(w world) error { return unix.Mount("escape", w.Shared, "tmpfs", 0, "") }},
	{"inner raw", func(world) error { return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP) }},
}

const (
	userModeOnly       = 1         // UFFD_USER_MODE_ONLY
	addressesAsTheyAre = 0x0040000 // ADDR_NO_RANDOMIZE
)
