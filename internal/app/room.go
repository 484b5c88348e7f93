package app

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/sirupsen/logrus"

	"moviola/adapters/disk"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/internal/config"
	"moviola/projections"
)

// newWork are the operations that bring something new onto the disk. All others go on when there is little room.
var newWork = map[string]bool{
	"POST /v2/movies": true, "POST /v2/preloads": true, "POST /v2/batches": true, "POST /v2/media/file": true, "POST /v2/templates": true,
}

// watchDisk watches the disk of the data folder.
func watchDisk(cfg config.Config, log logrus.FieldLogger) *disk.Watch {
	return disk.NewWatch(disk.Config{Folder: cfg.Data, Reserve: cfg.DiskReserve, Log: log.WithField("part", "disk")})
}

// room is web.ErrNoRoom while the disk has less room than its reserve.
func (s *service) room() error {
	if s.disk.Low() {
		return web.ErrNoRoom
	}
	return nil
}

// guardRoom makes the operations that bring something new ask for room first.
func (s *service) guardRoom(operations []access.Operation) {
	for i := range operations {
		op := &operations[i]
		serve := op.Serve
		if newWork[op.Method+" "+op.Path] {
			op.Serve = func(w http.ResponseWriter, r *http.Request, c access.Call) error {
				if err := s.room(); err != nil {
					return err
				}
				return serve(w, r, c)
			}
		}
	}
}

// closedForWork says whether this process takes no new work of a kind, because the disk has less room than its reserve, or because there is no
// room for what would be rendered. Deliveries and removals go on.
func (s *service) closedForWork(kind string) bool {
	if kind == projections.WorkRender && s.stores.Rendered.Full() {
		return true
	}
	return slices.Contains([]string{projections.WorkFetch, projections.WorkRender, projections.WorkPreload}, kind) && s.disk.Low()
}

// diskGauges tell operators how much room there is.
func (s *service) diskGauges(gauge func(name, help string, value func() float64)) {
	gauge("disk_free_bytes", "Room on the disk of the data folder; -1 when that cannot be told now.", func() float64 {
		space, err := s.disk.Space()
		if err != nil {
			return -1
		}
		return float64(space.Free)
	})
	gauge("disk_reserve_bytes", "Room below which no new work is taken (--disk-reserve); -1 when that cannot be told now.", func() float64 {
		space, err := s.disk.Space()
		if err != nil {
			return -1
		}
		return float64(s.cfg.DiskReserve.Of(space.Total))
	})
	gauge("disk_low", "1 while no new work is taken because the disk has less room than its reserve.", func() float64 {
		if s.disk.Low() {
			return 1
		}
		return 0
	})
}

// PrintRoom has the doctor say how much room there is on the disk of a data folder, or of the one it would be made in.
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
