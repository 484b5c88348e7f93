package escape_test

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// openQueue makes a queue of POSIX messages.
func openQueue(name string) error {
	text, err := unix.BytePtrFromString(name)
	if err != nil {
		return err
	}
	_, _, errno := unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(text)), unix.O_CREAT|unix.O_RDWR, 0o600, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

func removeQueue(name string) error {
	text, err := unix.BytePtrFromString(name)
	if err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_MQ_UNLINK, uintptr(unsafe.Pointer(text)), 0, 0); errno != 0 {
		return errno
	}
	return nil
}
