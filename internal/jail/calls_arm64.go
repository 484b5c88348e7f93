package jail

import "golang.org/x/sys/unix"

// legacyCalls are calls whose names differ on this architecture.
var legacyCalls = []uintptr{unix.SYS_FSTATAT}

var legacyBrowserCalls []uintptr
