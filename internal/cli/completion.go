package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"moviola/domain/key"
	"moviola/domain/movie"
	"moviola/domain/operator"
	"moviola/eventstore/embedded/entry"
	"moviola/internal/config"
	"moviola/internal/jail"
	"moviola/projections"
)

// values are the words that the shell offers as values of flags; some of these flags also take other values. Keys are
// command and flag, or the flag alone if it has the same values in all commands.
var values = map[string][]string{
	"log-level":      config.LogLevels,
	"log-format":     config.LogFormats,
	"sandbox":        {string(jail.Require), string(jail.Best), string(jail.Off)},
	"encoder":        config.Encoders,
	"roles":          config.AllRoles,
	"config-unknown": config.UnknownWays,
	"disk-reserve":   {"auto", "off"},
	"render-slots":   {"auto"},
	"legacy":         {"primary", "secondary"},

	"keys issue role":          texts(key.Viewer, key.Render, key.Editor, key.Manager, key.Admin),
	"operators add role":       texts(operator.Observer, operator.Acting, operator.Owner),
	"eventstore user add role": texts(entry.Roles...),
	"movies list status":       texts(movie.Pending, movie.Running, movie.Done, movie.Failed, movie.Timeout),
	"export format":            {"csv", "jsonl", "parquet"},
	"audit format":             {"csv", "json"},
}

// folders are the flags that name a folder.
var folders = []string{"data", "root"}

func texts[T ~string](all ...T) []string {
	out := make([]string, len(all))
	for i, one := range all {
		out[i] = string(one)
	}
	return out
}

// offerValues lets the shell complete the values of flags, and the names of read models.
func offerValues(cmd *cobra.Command) {
	cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
		words := valuesOf(cmd, flag.Name)
		switch {
		case slices.Contains(folders, flag.Name):
			_ = cmd.MarkFlagDirname(flag.Name) // the call cannot fail: each flag is one of the command
		case words != nil:
			// the call fails for a flag that has a function already
			_ = cmd.RegisterFlagCompletionFunc(flag.Name, listed(words))
		}
	})
	if cmd.Name() == "rebuild" {
		cmd.ValidArgsFunction = func(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
			names := slices.DeleteFunc(projections.ModelNames(), func(name string) bool { return slices.Contains(given, name) })
			return names, cobra.ShellCompDirectiveNoFileComp
		}
	}
	for _, sub := range cmd.Commands() {
		offerValues(sub)
	}
}

// valuesOf returns the fixed values of a command's flag; nil: it has none.
func valuesOf(cmd *cobra.Command, flag string) []string {
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	if words := values[path+" "+flag]; words != nil {
		return words
	}
	return values[flag]
}

// listed completes a word, also the last one of a list separated by commas.
func listed(words []string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		before := begun[:strings.LastIndex(begun, ",")+1]
		offered := make([]string, len(words))
		for i, word := range words {
			offered[i] = before + word
		}
		return offered, cobra.ShellCompDirectiveNoFileComp
	}
}
