package jail

import (
	"fmt"
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// landlocks are the configurations for each version of Landlock, from version 1 on.
var landlocks = []landlock.Config{
	landlock.V1, landlock.V2, landlock.V3, landlock.V4, landlock.V5, landlock.V6, landlock.V7, landlock.V8, landlock.V9,
	landlock.V10, landlock.V11,
}

// The rights of a program below a path. Files that it may write can never be executed.
const (
	readFile  = ll.AccessFSReadFile
	readRight = readFile | ll.AccessFSReadDir
	runRight  = readRight | ll.AccessFSExecute
	writeFile = readFile | ll.AccessFSWriteFile | ll.AccessFSTruncate
	writing   = writeFile | readRight | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeDir | ll.AccessFSMakeReg |
		ll.AccessFSMakeSym |
		ll.AccessFSMakeSock | ll.AccessFSMakeFifo
)

// restrict confines the program to its folders and ports, as far as the kernel supports it. It acts on the calling thread, which
// becomes the program.
func (s spec) restrict() error {
	if s.Landlock == 0 {
		return nil
	}
	can := landlocks[min(s.Landlock, len(landlocks))-1]
	set, err := ll.LandlockCreateRuleset(&ll.RulesetAttr{
		HandledAccessFS: uint64(can.HandledAccessFS), HandledAccessNet: uint64(can.HandledAccessNet), Scoped: uint64(can.Scoped),
	}, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(set) }()
	for _, r := range s.rights() {
		if err := r.add(set, uint64(can.HandledAccessFS)); err != nil {
			return fmt.Errorf("let it have %s: %w", r.path, err)
		}
	}
	if can.HandledAccessNet&ll.AccessNetConnectTCP != 0 {
		for _, port := range s.Ports {
			if err := ll.LandlockAddNetPortRule(set, &ll.NetPortAttr{AllowedAccess: ll.AccessNetConnectTCP, Port: uint64(port)},
				0); err != nil {
				return fmt.Errorf("let it have port %d: %w", port, err)
			}
		}
	}
	if err := refusePrivileges(); err != nil {
		return err
	}
	return ll.LandlockRestrictSelf(set, 0)
}

// right is a set of rights below a path.
type right struct {
	path   string
	access uint64
}

func (s spec) rights() []right {
	var all []right
	add := func(access uint64, paths ...string) {
		for _, path := range paths {
			all = append(all, right{path, access})
		}
	}
	add(runRight, systemPaths...)
	add(readRight, s.System...)
	add(writeFile, devices...)
	add(writeFile|ll.AccessFSIoctlDev, s.Devices...)
	for _, m := range s.Mounts {
		switch {
		case m.Write:
			add(writing, m.Path)
		case m.Run:
			add(runRight, m.Path)
		default:
			add(readRight, m.Path)
		}
	}
	if s.Home != "" {
		add(writing, s.Home)
	}
	if s.Proc {
		add(runRight, "/proc")
	}
	if s.Maps {
		add(writeFile, "/proc")
	}
	return all
}

// add adds the rights to a rule set, as far as the set handles them. A missing path is skipped.
func (r right) add(set int, handled uint64) error {
	fd, err := unix.Open(r.path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	info, err := os.Stat(r.path)
	if err != nil {
		return err
	}
	access := r.access & handled
	if !info.IsDir() {
		access &= writeFile | ll.AccessFSExecute | ll.AccessFSIoctlDev
	}
	return ll.LandlockAddPathBeneathRule(set, &ll.PathBeneathAttr{ParentFd: fd, AllowedAccess: access}, 0)
}
