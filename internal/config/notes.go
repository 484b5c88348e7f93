package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"moviola/internal/secret"
)

// Note records the flags of this process in the data folder.
func Note(cfg Config) error {
	if cfg.Given == nil { // a configuration that is not from a command line has no flags to record
		return nil
	}
	dir := filepath.Join(cfg.Data, FlagFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("note the flags: %w", err)
	}
	noted := Settings{Version: Version, Flags: cfg.Given, Environment: SecretVariables()}
	for _, one := range cfg.Settings {
		if (one.Source == fromVariable || one.Source == fromFile) && strings.Contains(one.Value, hidden) {
			noted.Elsewhere = append(noted.Elsewhere, one.Name)
		}
	}
	return write(cfg.Data, noteOf(cfg.Roles), noted)
}

// noteOf returns the name of the note of processes with these roles.
func noteOf(roles []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(roles))), "+") + ".json"
}

func write(data, name string, noted Settings) error {
	encoded, err := json.MarshalIndent(noted, "", "  ")
	if err == nil {
		err = secret.WriteWhole(filepath.Join(data, FlagFolder, name), append(encoded, '\n'))
	}
	if err != nil {
		return fmt.Errorf("note the flags: %w", err)
	}
	return nil
}

// DropFormer removes the notes of processes with other roles that cannot be part of the installation any more: they used
// another store for the read models or the files than this process does. When this process has --eventstore and nobody serves
// the log of the data folder, it also removes the notes of processes that used that log.
func DropFormer(cfg Config, logServed bool) error {
	noted, err := Noted(cfg.Data)
	if err != nil || cfg.Given == nil {
		return err
	}
	for name, one := range noted {
		former := (one.Flags["mongo"] == "") != (cfg.Mongo == "") || (one.Flags["blobs"] == "") != (cfg.Blobs == "") ||
			cfg.EventStore != "" && !logServed && one.Flags["eventstore"] == ""
		if former && name != noteOf(cfg.Roles) {
			err = errors.Join(err, os.Remove(filepath.Join(cfg.Data, FlagFolder, name)))
		}
	}
	return err
}

// Renote changes recorded flags, after a restore has put stores elsewhere. A flag whose new value is empty is removed.
func Renote(data string, changed map[string]string) error {
	noted, err := Noted(data)
	if err != nil {
		return err
	}
	for name, one := range noted {
		if one.Flags == nil {
			one.Flags = map[string]string{}
		}
		for flag, value := range changed {
			if delete(one.Flags, flag); value != "" {
				one.Flags[flag] = WithoutSecret(flag, value)
			}
			delete(one.Flags, flag+fileSuffix)
		}
		if err := write(data, name, one); err != nil {
			return err
		}
	}
	return nil
}

// Noted reads what the processes of a data folder have recorded about their flags. The keys of the map are names of files.
func Noted(data string) (map[string]Settings, error) {
	entries, err := os.ReadDir(filepath.Join(data, FlagFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the flags of the service: %w", err)
	}
	all := map[string]Settings{}
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".json" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(data, FlagFolder, entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("read the flags of the service: %w", err)
		}
		var one Settings
		if err := json.Unmarshal(content, &one); err != nil {
			return nil, fmt.Errorf("read %s: %w", filepath.Join(data, FlagFolder, entry.Name()), err)
		}
		all[entry.Name()] = one
	}
	return all, nil
}

// RequireSame returns an error when a process was started with a flag that names a store, and given, the value that a
// command has for this flag, is empty: the command would use another store. noted is the result of Noted.
func RequireSame(noted map[string]Settings, flag, given string) error {
	for _, one := range noted {
		if where := one.Flags[flag]; where != "" && given == "" {
			return fmt.Errorf("the service was started with --%s %s: give it to this command too", flag, where)
		}
	}
	return nil
}

// LogElsewhere returns the address of the event store that the service was started with; empty: the log is in the data
// folder. Of several processes, one that was started without --eventstore has that log, and the others connect to it.
func LogElsewhere(noted map[string]Settings, data string) string {
	own, err := filepath.Abs(filepath.Join(data, "events"))
	if err != nil {
		own = data
	}
	where := ""
	for _, name := range slices.Sorted(maps.Keys(noted)) {
		where = noted[name].Flags["eventstore"]
		if where == "" || strings.HasPrefix(where, "unix://"+own+"/") {
			return ""
		}
	}
	return where
}

// RequireLog returns an error when a command without --eventstore would use the log in the data folder, although the service
// was started with another event store: the log in the folder is one from before. noted is the result of Noted.
func RequireLog(noted map[string]Settings, data, given string) error {
	if where := LogElsewhere(noted, data); where != "" && given == "" {
		return fmt.Errorf("the service was started with --eventstore %s: give it to this command too", where)
	}
	return nil
}

// RequireStores is RequireLog, and RequireSame for --mongo and --blobs, for a command with this configuration.
func (c *Config) RequireStores() error {
	noted, err := Noted(c.Data)
	return errors.Join(err, RequireLog(noted, c.Data, c.EventStore), RequireSame(noted, "mongo", c.Mongo),
		RequireSame(noted, "blobs", c.Blobs))
}
