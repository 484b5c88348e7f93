package jail

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"

	"golang.org/x/sys/unix"
)

// Self returns the path of a program for Config.Self: the starter that is a part of this binary, written to memory, or this
// binary itself. It is this binary, and programs start some 40 ms later, when plain `go build` has built it, or when the kernel
// lets no program start from memory (vm.memfd_noexec).
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
	file := os.NewFile(uintptr(fd), "moviola-starter")
	path, err := fill(file, program)
	if err != nil {
		return "", errors.Join(err, file.Close())
	}
	kept = file
	return path, nil
}

// kept is the file of the starter. A file that is not referenced would be closed.
var kept *os.File

func fill(file *os.File, program []byte) (string, error) {
	if _, err := file.Write(program); err != nil {
		return "", err
	}
	const seals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE
	if _, err := unix.FcntlInt(file.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		return "", err
	}
	// By number, since a child has other files under the numbers of its own.
	path := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), file.Fd())
	trial := exec.Command(path, Command)
	return path, trial.Run() // holdMain ends when its input ends, which is empty
}
