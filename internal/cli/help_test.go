package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestHelp_valueNames: the help shows one word for the value of each flag. pflag takes what stands in backticks for that word.
func TestHelp_valueNames(t *testing.T) {
	t.Parallel()
	seen := 0
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
			seen++
			if name, _ := pflag.UnquoteUsage(flag); strings.Contains(name, " ") {
				t.Errorf("%s --%s: the help names its value %q", cmd.CommandPath(), flag.Name, name)
			}
		})
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(rootCommand())
	if seen < 100 {
		t.Errorf("only %d flags were looked at", seen)
	}
}
