package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// nearLetters is how many letters a variable's name may be away from a known one to count as that, mistyped.
const nearLetters = 2

// otherVariables are those that are no flags.
var otherVariables = []string{
	AdminTokenEnv, EnvPrefix + "SECRET", EnvPrefix + "CREDENTIALS_SECRET", EnvPrefix + "FORMER_CREDENTIALS_SECRETS",
	EnvPrefix + "STARTED_ANEW",
}

// What Kubernetes puts into the variables of every container for a service called moviola-something.
var (
	injectedName = regexp.MustCompile(`(_SERVICE_HOST|_SERVICE_PORT(_[A-Z0-9_]+)?|_PORT_[0-9]+_(TCP|UDP)(_[A-Z]+)?)$`)
	injectedPort = regexp.MustCompile(`^(tcp|udp)://`)
)

// CheckVariables looks for variables of an environment that begin as ours do and that no command knows. One that is nearly a
// known one is mistyped, and refused; others are warned of. known are the flags of all commands.
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

// injected says whether a variable is one that Kubernetes makes for a service.
func injected(name, value string) bool {
	return injectedName.MatchString(name) || strings.HasSuffix(name, "_PORT") && injectedPort.MatchString(value)
}

// distance is how many letters have to be put in, taken out or changed to make b of a.
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
