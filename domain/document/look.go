package document

import (
	"fmt"
	"sync/atomic"
)

// The looks of movies. A look is raised when what the same document shows changes. The one before lives on for one release. Decision 69.
const (
	FirstLook   = 1 // text styles and components as they were before they followed the vendor's catalogue
	CurrentLook = 2
)

var look atomic.Int32

// UseLook sets for which look this process reads documents. It is called once, before the first document is read. Other looks than those
// that live on are an error.
func UseLook(version int) error {
	if version != FirstLook && version != CurrentLook {
		return fmt.Errorf("--look %d: give %d or %d", version, FirstLook, CurrentLook)
	}
	look.Store(int32(version))
	return nil
}

// Look is the look for which this process reads documents.
func Look() int {
	if version := look.Load(); version != 0 {
		return int(version)
	}
	return CurrentLook
}
