package jail

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"

	"golang.org/x/sys/unix"
)

// Self returns the path of a program for Config.Self. Usually this is the starter, a small program inside this binary,
// which Self writes to memory. If the starter does not work, Self returns the path of this binary instead, and each jailed
// program starts some 40 ms later. This is so, for example, if this binary was built by plain `go build` and has no
// starter, or if the kernel lets no program start from memory (vm.memfd_noexec).
var Self = sync.OnceValues(func() (string, error) {
	if path, err := unpack(starter); err == nil {
		return path, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	return path, nil
})

// unpack writes a program to a file in memory that exists as long as this process, tries the program, and returns its path.
func unpack(program []byte) (string, error) {
	if len(program) == 0 {
		return "", errors.New("there is no starter in this binary")
	}
	fd, err := unix.MemfdCreate("moviola-starter", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return "", err
	}
	path := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), fd) // not /proc/self: a child has other files under these numbers
	if err := fill(fd, path, program); err != nil {
		return "", errors.Join(err, unix.Close(fd))
	}
	return path, nil
}

// fill writes a program to a file in memory, makes the file unchangeable, and tries the program.
func fill(fd int, path string, program []byte) error {
	if err := os.WriteFile(path, program, 0); err != nil {
		return err
	}
	const seals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), checkTime)
	defer cancel()
	// With the argument Command alone, the program runs holdMain, which ends at the end of its input. The input is empty.
	return exec.CommandContext(ctx, path, Command).Run()
}
