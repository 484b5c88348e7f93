// Command manual writes the man pages of the program, and completions for common shells, for a release.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"moviola/internal/cli"
)

func main() {
	version := flag.String("version", "", "version of the release, named on the pages")
	date := flag.String("date", "", "date of the release, as 2026-11-26")
	to := flag.String("to", "", "folder to write into")
	flag.Parse()
	if err := write(*to, *version, *date); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "manual:", err) // when stderr fails there is no other place to report it
		os.Exit(1)
	}
}

func write(to, version, date string) error {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil || to == "" || version == "" {
		return errors.New("give -to FOLDER, -version VERSION and -date YYYY-MM-DD")
	}
	root := cli.Command()
	root.DisableAutoGenTag = true // no date: the same release always gives the same files
	man, shells := filepath.Join(to, "man", "man1"), filepath.Join(to, "completions")
	for _, folder := range []string{man, shells} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	header := &doc.GenManHeader{Section: "1", Source: "Moviola " + version, Manual: "Moviola", Date: &day}
	if err := doc.GenManTree(root, header, man); err != nil {
		return fmt.Errorf("write the man pages: %w", err)
	}
	return completions(root, shells)
}

// completions writes one completion file for each shell, with the file name that the shell expects.
func completions(root *cobra.Command, to string) error {
	const described = true
	return errors.Join(
		root.GenBashCompletionFileV2(filepath.Join(to, "moviola.bash"), described),
		root.GenZshCompletionFile(filepath.Join(to, "_moviola")),
		root.GenFishCompletionFile(filepath.Join(to, "moviola.fish"), described),
	)
}
