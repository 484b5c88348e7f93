package jail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
	"unsafe"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// machine is the set of features that the kernel and the container around this service allow.
type machine struct {
	namespaces error // why namespaces are not available
	alone      error // why programs cannot be started as another user, although this service is root
	landlock   int   // version of Landlock; 0: none
	seccomp    error
	lender
}

var errLeftOut = errors.New("left out")

// checkTime is the time limit for testing a jail.
const checkTime = time.Minute

// examine finds out which features the machine allows, by testing them.
func (j *Jail) examine() {
	m := &j.machine
	if version, err := ll.LandlockGetABIVersion(); err == nil && !j.leavesOut(Landlock) {
		m.landlock = version
	}
	m.seccomp = filtersAvailable()
	if j.leavesOut(Seccomp) {
		m.seccomp = errLeftOut
	}
	if j.root {
		j.examineUsers()
	}
	if m.namespaces = errLeftOut; !j.leavesOut(Namespaces) {
		m.namespaces = nil
		m.namespaces = j.check(Policy{Program: "check", Calls: DecoderCalls})
	}
	switch {
	case !j.root:
	case m.namespaces != nil:
		m.err = m.namespaces
	case j.leavesOut(OwnUser):
		m.err = errLeftOut
	default:
		m.open(j.self)
	}
}

// examineUsers finds out whether root can become another user. It cannot, for example, in a user namespace that maps a
// single user. Then programs run as the service's own user, as for a service without root.
func (j *Jail) examineUsers() {
	ctx, cancel := context.WithTimeout(context.Background(), checkTime)
	defer cancel()
	trial := exec.CommandContext(ctx, "/bin/true")
	trial.SysProcAttr = attributes(NoSpaces, true, true, 0, 0)
	if err := trial.Run(); errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL) {
		j.root, j.machine.alone = false, fmt.Errorf("this service is root of a user namespace that allows no user beside it: %w", err)
	}
}

// examineGroups finds out whether jobs can have control groups, by making one.
func (j *Jail) examineGroups() {
	if j.groups.open(); j.groups.err != nil {
		return
	}
	if err := j.check(Policy{Program: "check", Calls: DecoderCalls}); err != nil {
		j.groups.dir, j.groups.err = "", fmt.Errorf("start a program in a control group: %w", err)
	}
}

func (j *Jail) leavesOut(l Layer) bool { return slices.Contains(j.without, l) }

// check sets up the jail of a program without starting the program.
func (j *Jail) check(p Policy) error {
	ctx, cancel := context.WithTimeout(context.Background(), checkTime)
	defer cancel()
	c, err := j.child(ctx, p, true, []string{"/bin/true"}, nil)
	if err != nil {
		return err
	}
	var said bytes.Buffer
	c.Stderr = &said
	err = c.Run()
	c.Release()
	c.End()
	if c.Handover != nil {
		err = errors.Join(err, c.Handover.Close())
	}
	if err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	return nil
}

// filtersAvailable returns the reason why the kernel does not support filters of system calls; nil: it does.
func filtersAvailable() error {
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	if errno != 0 {
		return errno
	}
	return nil
}
