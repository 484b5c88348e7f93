package blobs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"zombiezen.com/go/sqlite"

	"moviola/internal/wal"
)

// truncateTime is the longest time that TruncateShelf tries while other processes read the shelf.
const truncateTime = 30 * time.Second

// TruncateShelf empties the write-ahead log of the shelf of a folder, so that nothing of removed files is left in it. Processes
// may use the folder meanwhile. It returns wal.ErrInUse if the write-ahead log could not be emptied. A folder without a shelf is
// no error.
func TruncateShelf(ctx context.Context, dir string) error {
	path := filepath.Join(dir, shelfName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := execute(ctx, path, func(conn *sqlite.Conn) error { return wal.Truncate(ctx, conn, truncateTime) })
	if err != nil {
		return fmt.Errorf("empty the write-ahead log of %s: %w", path, err)
	}
	return nil
}
