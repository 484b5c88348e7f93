package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"moviola/internal/secret"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// FlagFolder is where the data folder has what its processes were started with, a file for each set of roles. A backup takes it
// along, so that who brings an installation back need not remember. Passwords and keys are left out of it.
const FlagFolder = "flags"

// hidden stands where a password or a key stood.
const hidden = "***"

// Settings are what one process was started with.
type Settings struct {
	Version     string            `json:"version"`
	Flags       map[string]string `json:"flags"`       // those that were given, also by variables; secrets are hidden
	Environment []string          `json:"environment"` // variables that carry secrets: their names
}

var (
	secretName     = regexp.MustCompile(`(?i)(secret|password|token|-key|_key)`)
	passwordInURL  = regexp.MustCompile(`://([^/?#@]*):[^/?#]*@`)
	secretInQuery  = regexp.MustCompile(`(?i)([?&][^=&]*(?:secret|password|token|key)[^=&]*)=[^&]*`)
	secretVariable = regexp.MustCompile(`^(MOVIOLA_.*(SECRET|PASSWORD|TOKEN|KEY)|AWS_(ACCESS|SECRET|SESSION)).*$`)
)

// Given returns the flags that were set, by the command line or by variables.
func Given(f *pflag.FlagSet) map[string]string {
	flags := map[string]string{}
	f.Visit(func(flag *pflag.Flag) {
		value := flag.Value.String()
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ",")
		}
		if flag.Name == "plans" { // it is looked for from elsewhere
			if absolute, err := filepath.Abs(value); err == nil {
				value = absolute
			}
		}
		flags[flag.Name] = WithoutSecret(flag.Name, value)
	})
	return flags
}

// WithoutSecret hides what must not stand in a note.
func WithoutSecret(name, value string) string {
	if secretName.MatchString(name) && !strings.HasSuffix(name, fileSuffix) && value != "" {
		return hidden
	}
	return secretInQuery.ReplaceAllString(passwordInURL.ReplaceAllString(value, "://$1:"+hidden+"@"), "$1="+hidden)
}

// SecretVariables are the names of the variables of this process that carry secrets.
func SecretVariables() []string {
	names := []string{}
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); value != "" && secretVariable.MatchString(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Note leaves in the data folder what this process was started with.
func Note(cfg Config) error {
	if cfg.Given == nil { // it was not started by a command line
		return nil
	}
	dir := filepath.Join(cfg.Data, FlagFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("note the flags: %w", err)
	}
	encoded, err := json.MarshalIndent(Settings{Version: Version, Flags: cfg.Given, Environment: SecretVariables()}, "", "  ")
	if err == nil {
		roles := slices.Sorted(slices.Values(cfg.Roles))
		err = secret.WriteWhole(filepath.Join(dir, strings.Join(slices.Compact(roles), "+")+".json"), append(encoded, '\n'))
	}
	if err != nil {
		return fmt.Errorf("note the flags: %w", err)
	}
	return nil
}

// Noted reads what the processes of a data folder were started with, by the names of the files.
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

// CommandLine is how a process is started with the same flags, apart from its data folder.
func (s Settings) CommandLine(replaced map[string]string) string {
	flags := maps.Clone(s.Flags)
	if flags == nil {
		flags = map[string]string{}
	}
	maps.Copy(flags, replaced)
	line := "moviola serve"
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		line += " --" + name + "=" + quoted(flags[name])
	}
	return line
}

// quoted is a value as a shell takes it.
func quoted(value string) string {
	if value != "" && !strings.ContainsAny(value, " \t\n'\"\\$&?*;<>|()[]{}~`#!") {
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}
