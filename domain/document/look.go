package document

import (
	"fmt"
	"sync/atomic"
)

// The versions of the look. A new version begins when the same document is drawn differently. The previous version is
// supported for one more release. Decision 69.
const (
	// FirstLook is the look of the first versions, in which text styles and components were our own designs. In
	// CurrentLook they follow the vendor whose JSON format this service reads.
	FirstLook   = 1
	CurrentLook = 2
)

var look atomic.Int32

// UseLook sets the version of the look for this process. It is called once, before the first document is read. An unsupported
// version is an error.
func UseLook(version int) error {
	if version != FirstLook && version != CurrentLook {
		return fmt.Errorf("--look %d: give %d or %d", version, FirstLook, CurrentLook)
	}
	look.Store(int32(version))
	return nil
}

// Look returns the version of the look that this process uses.
func Look() int {
	if version := look.Load(); version != 0 {
		return int(version)
	}
	return CurrentLook
}
