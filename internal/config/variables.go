package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// nearLetters is the maximum edit distance between a mistyped name and the known one.
const nearLetters = 2

// otherVariables are the environment variables for which there is no flag.
var otherVariables = []string{
	AdminTokenEnv, EnvPrefix + "SECRET", EnvPrefix + "CREDENTIALS_SECRET", EnvPrefix + "FORMER_CREDENTIALS_SECRETS",
	EnvPrefix + "STARTED_ANEW", EnvPrefix + "API_KEY",
}

// The environment variables that Kubernetes sets in every container for a service called moviola-something.
var (
	injectedName = regexp.MustCompile(`(_SERVICE_HOST|_SERVICE_PORT(_[A-Z0-9_]+)?|_PORT_[0-9]+_(TCP|UDP)(_[A-Z]+)?)$`)
	injectedPort = regexp.MustCompile(`^(tcp|udp)://`)
)

// CheckVariables checks the environment variables whose names begin with EnvPrefix and that no command knows, except those
// for tests and those that Kubernetes sets. A name close to a known one is probably mistyped: it is refused or reported,
// according to --config-unknown. Other unknown names are reported. known are the flags of all commands.
func CheckVariables(f *pflag.FlagSet, environment, known []string) error {
	how := f.Lookup(unknownFlag)
	if how == nil {
		return nil
	}
	if value := how.Value.String(); value != refuseUnknown && value != warnOfUnknown {
		return fmt.Errorf("--%s: %q is neither %s nor %s", unknownFlag, value, refuseUnknown, warnOfUnknown)
	}
	names := slices.Clone(otherVariables)
	for _, flag := range known {
		names = append(names, variableOf(flag))
	}
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, EnvPrefix) || strings.HasPrefix(name, EnvPrefix+"TEST_") || slices.Contains(names, name) ||
			injected(name, value) {
			continue
		}
		hint := near(name, names)
		if hint == "" {
			keep(how, fmt.Sprintf("there is no variable %s", name))
			continue
		}
		if err := unknown(f, fmt.Sprintf("there is no variable %s%s", name, hint)); err != nil {
			return err
		}
	}
	return nil
}

// injected reports whether Kubernetes has set an environment variable, to tell the container about a service.
func injected(name, value string) bool {
	return injectedName.MatchString(name) || strings.HasSuffix(name, "_PORT") && injectedPort.MatchString(value)
}

// distance returns the edit distance of two texts.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, before+1, row[j]+1)
		}
	}
	return row[len(b)]
}
