package text

import (
	"time"

	"moviola/domain"
)

// The limits for reading untrusted fonts: at most readersAtOnce fonts are read at a time. The font libraries cannot be
// stopped: a reader that hangs is abandoned, and still counts as one of these.
const (
	readersAtOnce = 4
	readerTime    = 20 * time.Second // time limit for reading a font, including the wait for other readers
)

var readers = make(chan struct{}, readersAtOnce)

// bounded runs read, which reads an untrusted font. If read panics, bounded returns errFont. If read takes longer than
// readerTime, including the wait for other readers, bounded returns errSlowFont. Results of read may be used only if
// bounded returns nil.
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
	go func() { // the goroutine ends when read returns
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
