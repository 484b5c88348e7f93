package text

import (
	"time"

	"moviola/domain"
)

// The libraries that read fonts of strangers cannot be stopped: one that does not come to an end is left behind, and keeps its
// place.
const (
	readersAtOnce = 4
	readerTime    = 20 * time.Second // for a font, including the wait for a place
)

var readers = make(chan struct{}, readersAtOnce)

// bounded reads fonts of a stranger: a panic is errFont, and so is what takes too long, on a machine that has time for it. What
// read has written may only be looked at when it has ended without an error.
func bounded(read func() error) error { return boundedBy(readerTime, read) }

func boundedBy(limit time.Duration, read func() error) error {
	clock := time.NewTimer(limit)
	defer clock.Stop()
	select {
	case readers <- struct{}{}:
	case <-clock.C:
		return errSlowFont()
	}
	ended := make(chan error, 1)
	go func() { // ends when read returns
		defer func() { <-readers }()
		defer func() {
			if cause := recover(); cause != nil {
				ended <- errFont()
			}
		}()
		ended <- read()
	}()
	select {
	case err := <-ended:
		return err
	case <-clock.C:
		return errSlowFont()
	}
}

func errSlowFont() error {
	return domain.Errorf(domain.Invalid, "font_unreadable", "The font file takes longer than %d seconds to read. Use a "+
		"simpler font", int(readerTime.Seconds()))
}
