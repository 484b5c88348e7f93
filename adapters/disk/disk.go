// Package disk watches the free space on the disk of a folder, and reports when there is too little for new work.
package disk

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"
	"golang.org/x/sys/unix"
)

// Space is the size of a disk and its free space, in bytes.
type Space struct{ Free, Total int64 }

// Free returns the space of a folder's disk. Free space counts only what an unprivileged user may fill.
func Free(folder string) (Space, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return Space{}, fmt.Errorf("ask for the room of %s: %w", folder, err)
	}
	return Space{Free: int64(s.Bavail) * int64(s.Bsize), Total: int64(s.Blocks) * int64(s.Bsize)}, nil
}

// The reserve of "auto": a percentage of the disk, and its maximum.
const (
	autoPercent = 5
	autoMost    = 2 << 30
)

// Reserve is the space that is kept free. The zero value is "auto": 5 % of the disk, at most 2 GB. It is a pflag.Value.
type Reserve struct {
	text    string
	percent float64
	bytes   int64
}

// Set implements pflag.Value. It parses auto, off, a percentage such as 10%, or a size such as 500MB, 2GB or 1TB.
func (r *Reserve) Set(text string) error {
	upper := strings.ToUpper(strings.TrimSpace(text))
	wrong := errors.New("give auto, off, a share as 10%, or a size as 500MB, 2GB or 1TB")
	switch upper {
	case "AUTO":
		*r = Reserve{}
		return nil
	case "OFF", "0":
		*r = Reserve{text: "off"}
		return nil
	}
	if share, ok := strings.CutSuffix(upper, "%"); ok {
		percent, err := strconv.ParseFloat(share, 64)
		if err != nil || !(percent >= 0 && percent < 100) { // the condition is also true if the percentage is NaN
			return wrong
		}
		*r = Reserve{text: text, percent: percent}
		return nil
	}
	for unit, factor := range map[string]int64{"MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40} {
		if number, ok := strings.CutSuffix(upper, unit); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 32)
			if err != nil || n < 1 || n > math.MaxInt64/factor {
				return wrong
			}
			*r = Reserve{text: text, bytes: n * factor}
			return nil
		}
	}
	return wrong
}

// String implements pflag.Value.
func (r *Reserve) String() string {
	if r.text == "" {
		return "auto"
	}
	return r.text
}

// Type implements pflag.Value.
func (r *Reserve) Type() string { return "size" }

// Of returns the reserve for a disk of a size, in bytes.
func (r *Reserve) Of(total int64) int64 {
	switch {
	case r.text == "":
		return min(total*autoPercent/100, autoMost)
	case r.percent > 0:
		return int64(float64(total) * r.percent / 100)
	}
	return r.bytes
}

// Size is a number of bytes; 0 is "off". It is a pflag.Value.
type Size int64

// Set implements pflag.Value. It parses off, or a size such as 500MB, 2GB or 1TB.
func (s *Size) Set(text string) error {
	var r Reserve
	if err := r.Set(text); err != nil || r.text == "" || strings.HasSuffix(strings.TrimSpace(r.text), "%") {
		return errors.New("give off, or a size as 500MB, 2GB or 1TB")
	}
	*s = Size(r.bytes)
	return nil
}

// String implements pflag.Value.
func (s *Size) String() string {
	if *s == 0 {
		return "off"
	}
	for _, unit := range []struct {
		name   string
		factor Size
	}{{"TB", 1 << 40}, {"GB", 1 << 30}} {
		if *s%unit.factor == 0 {
			return strconv.FormatInt(int64(*s/unit.factor), 10) + unit.name
		}
	}
	return strconv.FormatInt(int64(*s>>20), 10) + "MB"
}

// Type implements pflag.Value.
func (s *Size) Type() string { return "size" }

// Config is the configuration of a Watch. Folder is required.
type Config struct {
	Folder  string
	Reserve Reserve
	Free    func(folder string) (Space, error) // returns the space of the disk of a folder; nil: the function Free
	Every   time.Duration                      // interval between the checks of Run; 0: 1 s
	Log     logrus.FieldLogger                 // nil: the standard logger
}

// Watch reports whether there is space for new work. It is safe for concurrent use.
type Watch struct {
	cfg Config
	low atomic.Bool
}

// NewWatch returns a Watch after a first check.
func NewWatch(cfg Config) *Watch {
	if cfg.Free == nil {
		cfg.Free = Free
	}
	if cfg.Every == 0 {
		cfg.Every = time.Second
	}
	if cfg.Log == nil {
		cfg.Log = logrus.StandardLogger()
	}
	w := &Watch{cfg: cfg}
	w.Low()
	return w
}

// Low reports whether free space is below the reserve. It logs every change, and a first result of true. If the disk cannot
// be read, it returns the previous result, or false if there is none.
func (w *Watch) Low() bool {
	space, err := w.cfg.Free(w.cfg.Folder)
	if err != nil {
		return w.low.Load()
	}
	reserve := w.cfg.Reserve.Of(space.Total)
	low := space.Free < reserve
	if w.low.Swap(low) == low {
		return low
	}
	log := w.cfg.Log.WithFields(logrus.Fields{"free_mb": space.Free >> 20, "reserve_mb": reserve >> 20})
	if low {
		log.Warn("free space is below the disk's reserve; new work is refused until there is room, see --disk-reserve")
	} else {
		log.Info("free space is above the disk's reserve again; new work is accepted")
	}
	return low
}

// Check returns an error while free space is below the reserve.
func (w *Watch) Check(context.Context) error {
	if !w.Low() {
		return nil
	}
	space, err := w.Space()
	if err != nil {
		return err
	}
	return fmt.Errorf("the disk has %d MB free, less than its reserve of %d MB: no new work is taken", space.Free>>20,
		w.cfg.Reserve.Of(space.Total)>>20)
}

// Space returns the present space of the disk.
func (w *Watch) Space() (Space, error) { return w.cfg.Free(w.cfg.Folder) }

// Run checks at intervals until ctx ends, so that changes are logged even without new work.
func (w *Watch) Run(ctx context.Context) {
	tick := time.NewTicker(w.cfg.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			w.Low()
		}
	}
}
