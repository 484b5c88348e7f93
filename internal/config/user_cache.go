package config

import (
	"os"
	"path/filepath"
)

// UserCache makes the folder for Config.UserCache in the user's cache ($XDG_CACHE_HOME, usually ~/.cache), and returns the
// folder's path. The path is empty if the user has no cache or may not write to it.
func UserCache() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	cache = filepath.Join(cache, "moviola")
	if os.MkdirAll(cache, 0o700) != nil {
		return ""
	}
	trial, err := os.CreateTemp(cache, "trial-")
	if err != nil {
		return ""
	}
	_ = trial.Close()           // nothing was written
	_ = os.Remove(trial.Name()) // an empty file that remains does no harm
	return cache
}
