package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// TestCompletion: the shell is offered the values of flags and arguments that take one of a few words.
func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ line, want string }{
		{"serve --log-level ", "trace debug info warn error"},
		{"serve --roles ", "api projector renderer deliverer keeper"},
		{"serve --roles api,", "api,api api,projector api,renderer api,deliverer api,keeper"},
		{"serve --sandbox ", "require best off"},
		{"render --encoder ", "x264 auto nvenc vaapi qsv"},
		{"serve --config-unknown ", "refuse warn"},
		{"eventstore serve --log-format ", "text json"},
		{"keys issue --role ", "viewer render editor manager admin"},
		{"operators add --role ", "observer operator owner"},
		{"eventstore user add --role ", "full user read-only"},
		{"movies list --status ", "pending running done error timeout"},
		{"export ", "movies ledger deliveries usage"},
		{"export movies --format ", "csv jsonl parquet"},
		{"audit --format ", "csv json"},
		{"rebuild movies bal", "balances"},
	} {
		var out bytes.Buffer
		root := rootCommand()
		root.SetOut(&out)
		root.SetErr(&bytes.Buffer{})
		args := strings.Split(tt.line, " ")
		root.SetArgs(append([]string{"__completeNoDesc"}, args...))
		if err := root.Execute(); err != nil {
			t.Errorf("%s: %v", tt.line, err)
		}
		offered := strings.Fields(out.String())
		for _, word := range strings.Fields(tt.want) {
			if !slices.Contains(offered, word) {
				t.Errorf("%q is offered %q, want %s among them", tt.line, offered, word)
			}
		}
	}
}

// TestCompletion_theTable: every row of the table of values is a flag of a command.
func TestCompletion_theTable(t *testing.T) {
	t.Parallel()
	known := allFlags(rootCommand())
	for name := range values {
		path, flag := "", name
		if cut := strings.LastIndex(name, " "); cut >= 0 {
			path, flag = name[:cut], name[cut+1:]
		}
		cmd, _, err := rootCommand().Find(strings.Fields(path))
		if err != nil || path != "" && cmd.Flags().Lookup(flag) == nil || !slices.Contains(known, flag) {
			t.Errorf("there is no flag %s of %q (%v)", flag, path, err)
		}
	}
}
