package ffmpeg

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// libraries is the file that changes when a system library is installed, updated or removed.
const libraries = "/etc/ld.so.cache"

// trial is the result of a successful trial of ffmpeg.
type trial struct {
	Programs string `json:"programs"` // see Tools.programs
	Version  string `json:"version"`  // version line of ffmpeg
	X264     string `json:"x264"`     // version of x264
}

// programs describes the state of the programs and of the system's libraries. ffmpeg has to be tried again when the description
// has changed.
func (t *Tools) programs() string {
	var files []string
	for _, path := range []string{t.ffmpeg, t.ffprobe, libraries} {
		info, err := os.Stat(path)
		if err != nil {
			continue // the trial reports a missing program
		}
		files = append(files, fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano()))
	}
	return strings.Join(files, "\n")
}

// recall takes the versions from an earlier trial of the same programs. It returns false if the file path holds none.
func (t *Tools) recall(path string) bool {
	raw, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	var earlier trial
	if json.Unmarshal(raw, &earlier) != nil || earlier.Programs != t.programs() || earlier.Version == "" {
		return false
	}
	t.version, t.x264 = earlier.Version, earlier.X264
	return true
}

// remember writes the result of a successful trial to the file path.
func (t *Tools) remember(path string) error {
	raw, err := json.Marshal(trial{t.programs(), t.version, t.x264})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, raw, 0o600)
}
