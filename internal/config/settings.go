package config

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// FlagFolder is the folder, below the data folder, in which processes record their flags, a file for each set of roles.
// Backups include it, so that a restore can print how to start the service. Passwords and keys are replaced by asterisks.
const FlagFolder = "flags"

// hidden replaces a password or a key.
const hidden = "***"

// Settings are the recorded flags of one process.
type Settings struct {
	Version     string            `json:"version"`
	Flags       map[string]string `json:"flags"`       // flags that were set, also by environment variables; secrets are hidden
	Environment []string          `json:"environment"` // names of the environment variables that SecretVariables returns
	// Elsewhere are flags with a hidden secret that came from an environment variable or from the file of --config.
	Elsewhere []string `json:"elsewhere,omitempty"`
}

var (
	secretName = regexp.MustCompile(`(?i)(secret|password|token|-key|_key)`)
	// passwordInURL matches user and password, also where the password has characters that had to be escaped. What begins as a
	// port and a path does is none.
	passwordInURL = regexp.MustCompile(`://([^/?#@]*):(?:[^/?#]*|[0-9]*[^0-9/?#@].*)@`)
	// passwordOfStore matches user and password in an address of which no path contains an @.
	passwordOfStore = regexp.MustCompile(`^((?:esdb|mongodb|smtp)[a-z+]*)://([^:@]*):.*@`)
	secretInQuery   = regexp.MustCompile(
		`(?i)([?&](?:[^=&]*(?:secret|password|token|key|authmechanismproperties)[^=&]*|sig|code))=[^&]*`)
	secretVariable = regexp.MustCompile(`^(MOVIOLA_.*(SECRET|PASSWORD|TOKEN|KEY)|AWS_(ACCESS|SECRET|SESSION)).*$`)
)

// Given returns the flags that were set, on the command line or otherwise. Paths are absolute: a later reader has another
// working directory.
func Given(f *pflag.FlagSet) map[string]string {
	flags := map[string]string{}
	f.Visit(func(flag *pflag.Flag) {
		value := shown(flag)
		if value != "" && namesPath(flag.Name, value) {
			if absolute, err := filepath.Abs(value); err == nil {
				value = absolute
			}
		}
		flags[flag.Name] = value
	})
	return flags
}

// namesPath reports whether the value of a flag is a path.
func namesPath(name, value string) bool {
	switch name {
	case "plans", "config", "tls-cert", "tls-key", "otlp-ca":
		return true
	case "blobs":
		return !strings.Contains(value, "://")
	}
	return strings.HasSuffix(name, fileSuffix)
}

// shown returns a flag's value as text, in the form that the flag takes. Secrets are hidden.
func shown(flag *pflag.Flag) string {
	list, ok := flag.Value.(pflag.SliceValue)
	if !ok {
		return WithoutSecret(flag.Name, flag.Value.String())
	}
	var values []string
	for _, value := range list.GetSlice() {
		values = append(values, WithoutSecret(flag.Name, value))
	}
	line, err := commaSeparated(values)
	if err != nil {
		return hidden // impossible: nothing refuses a text as a value
	}
	return line
}

// noSecrets are flags whose names look like those of secrets, but whose values are none: the path of the file with the
// private key for TLS, and a time. A restored installation needs them.
var noSecrets = []string{"tls-key", "wrong-token-delay"}

// WithoutSecret hides secrets in the value of a flag.
func WithoutSecret(name, value string) string {
	isSecret := secretName.MatchString(name) && !strings.HasSuffix(name, fileSuffix) && !slices.Contains(noSecrets, name)
	if isSecret && value != "" {
		return hidden
	}
	if passwordOfStore.MatchString(value) {
		value = passwordOfStore.ReplaceAllString(value, "$1://$2:"+hidden+"@")
	} else {
		value = passwordInURL.ReplaceAllString(value, "://$1:"+hidden+"@")
	}
	return secretInQuery.ReplaceAllString(value, "$1="+hidden)
}

// set sets a flag. Its error shows no secret that the value has.
func set(f *pflag.FlagSet, name, value string) error {
	err := f.Set(name, value)
	if shown := WithoutSecret(name, value); err != nil && shown != value {
		return fmt.Errorf("the value %s cannot be read", shown)
	}
	return err
}

// SecretVariables returns the names of this process's environment variables that, by their names, have to do with secrets, and
// of those for secret flags whose values contain a secret.
func SecretVariables() []string {
	names := []string{}
	for _, flag := range secretFlags {
		if value := os.Getenv(variableOf(flag)); WithoutSecret(flag, value) != value {
			names = append(names, variableOf(flag))
		}
	}
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); value != "" && secretVariable.MatchString(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// CommandLine returns a command line with the recorded flags. A flag in replaced has the value from there. Of a secret that
// was read from a file it has the flag that names the file, unless replaced has the secret. It has no secret of a variable or
// of the file of --config: asterisks on the command line would replace it.
func (s Settings) CommandLine(replaced map[string]string) string {
	flags := maps.Clone(s.Flags)
	if flags == nil {
		flags = map[string]string{}
	}
	for _, name := range s.Elsewhere {
		delete(flags, name)
	}
	maps.Copy(flags, replaced)
	for _, name := range secretFlags {
		if _, given := replaced[name]; given {
			delete(flags, name+fileSuffix)
		}
		if _, fromFile := flags[name+fileSuffix]; fromFile {
			delete(flags, name)
		}
	}
	line := "moviola serve"
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		line += " --" + name + "=" + quoted(flags[name])
	}
	return line
}

// quoted quotes a value for a shell.
func quoted(value string) string {
	if value != "" && !strings.ContainsAny(value, " \t\n'\"\\$&?*;<>|()[]{}~`#!") {
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}
