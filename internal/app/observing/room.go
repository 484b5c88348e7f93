package observing

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"moviola/adapters/disk"
)

// diskGauges registers the gauges of free disk space.
func (s *Observing) diskGauges(gauge func(name, help string, value func() float64)) {
	gauge("disk_free_bytes", "Room on the disk of the data folder; -1 when that cannot be told now.", func() float64 {
		space, err := s.Disk.Space()
		if err != nil {
			return -1
		}
		return float64(space.Free)
	})
	gauge("disk_reserve_bytes", "Room below which no new work is taken (--disk-reserve); -1 when that cannot be told now.",
		func() float64 {
			space, err := s.Disk.Space()
			if err != nil {
				return -1
			}
			return float64(s.Config.DiskReserve.Of(space.Total))
		})
	gauge("disk_low", "1 while no new work is taken because the disk has less room than its reserve.", func() float64 {
		if s.Disk.Low() {
			return 1
		}
		return 0
	})
}

// PrintRoom prints for `moviola doctor` the free space on the disk of a data folder. A folder that does not exist yet is looked
// up by its nearest existing parent.
func PrintRoom(out io.Writer, folder string, reserve disk.Reserve) error {
	at := folder
	for at != "." && at != "/" {
		if _, err := os.Stat(at); err == nil {
			break
		}
		at = filepath.Dir(at)
	}
	state := ""
	switch space, err := disk.Free(at); {
	case err != nil:
		state = "cannot be asked: " + err.Error()
	case space.Free < reserve.Of(space.Total):
		state = fmt.Sprintf("low: %d MB free, less than the reserve of %d MB", space.Free>>20, reserve.Of(space.Total)>>20)
	default:
		state = fmt.Sprintf("ok: %d MB free, reserve %d MB", space.Free>>20, reserve.Of(space.Total)>>20)
	}
	_, err := fmt.Fprintf(out, "%-18s %-42s (%s)\n", "room on the disk", state, "of "+folder+", see --disk-reserve")
	return err
}
