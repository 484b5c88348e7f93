package jail

import "golang.org/x/sys/unix"

// legacyCalls are calls that newer architectures do not have under these names.
var legacyCalls = []uintptr{
	unix.SYS_OPEN, unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_NEWFSTATAT, unix.SYS_ACCESS, unix.SYS_READLINK, unix.SYS_GETDENTS,
	unix.SYS_MKDIR, unix.SYS_RMDIR,
	unix.SYS_UNLINK, unix.SYS_RENAME, unix.SYS_DUP2, unix.SYS_PIPE, unix.SYS_POLL, unix.SYS_SELECT, unix.SYS_EPOLL_CREATE,
	unix.SYS_EPOLL_WAIT, unix.SYS_EVENTFD, unix.SYS_ARCH_PRCTL, unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_GETPGRP, unix.SYS_TIME,
	unix.SYS_ALARM,
	unix.SYS_PAUSE, unix.SYS_CREAT,
}

var legacyBrowserCalls = []uintptr{unix.SYS_SYMLINK, unix.SYS_LINK, unix.SYS_INOTIFY_INIT}
