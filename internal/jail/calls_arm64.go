package jail

import "golang.org/x/sys/unix"

// legacyCalls are named otherwise here.
var legacyCalls = []uintptr{unix.SYS_FSTATAT}

var legacyBrowserCalls []uintptr
