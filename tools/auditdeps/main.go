// Command auditdeps checks what the product contains and runs: the licences of the Go modules in the program and of the
// files under third_party against a list of allowed ones, known vulnerabilities (if there is a copy of their database),
// and the versions of the system's packages beside those that were tested. It ends with 1 when, for example, a licence is
// unknown or not allowed, or a vulnerability is reached. Run it in the repository's root.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// allowed are the licences, by their SPDX ids, under which others' code may be part of the program, whatever the licence of the
// program is. Most demand that their notice is passed on. MPL-2.0 also demands that the source of its files, changed ones too, is
// available. CC-BY-4.0 and FTL also demand that the authors are named: answers and documents name them.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "BSL-1.0", "CC-BY-4.0", "CC0-1.0", "FTL", "ISC",
	"MIT", "MPL-2.0", "OFL-1.1", "Unlicense", "Zlib"}

// judged are the licence files that a person has read, by module and name, with the licence that holds for what the program
// contains.
var judged = map[string]string{
	// The package may be used under either of two licences, as its file states above their texts: BSD-3-Clause is chosen.
	"kernel.org/pub/linux/libs/security/libcap/psx License": "BSD-3-Clause",
	// The package may be used under either of two licences: the FreeType License is chosen. docs/fonts.md gives the credit that
	// this licence requires.
	"github.com/golang/freetype LICENSE": "FTL",
	// The file is the Open Font License, with different line ends.
	"third_party/fonts/lato LICENSE": "OFL-1.1",
	// The file is the logo of the module's authors, which is not part of the program.
	"modernc.org/memory LICENSE-LOGO": "BSD-3-Clause",
}

// enough is the percentage of a licence file that must be the text of known licences.
const enough = 75

// vulnerabilities is the name of an environment variable. Its value is the path of a copy of the Go vulnerability database.
const vulnerabilities = "MOVIOLA_VULNDB"

func main() {
	var failures []error
	for _, part := range []func() error{modules, thirdParty, known, packages} {
		failures = append(failures, part())
	}
	if err := errors.Join(failures...); err != nil {
		fmt.Fprintf(os.Stderr, "\nauditdeps:\n%v\n", err)
		os.Exit(1)
	}
}

// modules checks the licence of every module that is linked into the program.
func modules() error {
	fmt.Println("Go modules in the program")
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} "+
		"{{.Dir}}{{end}}{{end}}", ".")
	list.Env = append(os.Environ(), "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("list the modules: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	var failures []error
	for _, line := range slices.Compact(lines) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			continue
		}
		failures = append(failures, report(fields[0]+" "+fields[1], fields[2]))
	}
	return errors.Join(failures...)
}

// thirdParty checks the licences and the sources of files that lie in the repository.
func thirdParty() error {
	fmt.Println("\nFiles under third_party")
	folders, err := filepath.Glob("third_party/*")
	if err != nil {
		return err
	}
	var failures []error
	for _, folder := range folders {
		parts, err := licensed(folder)
		if err != nil {
			return err
		}
		for _, part := range parts {
			failures = append(failures, report(part, part))
		}
		readme, err := os.ReadFile(filepath.Join(folder, "README.md"))
		if err != nil || !bytes.Contains(readme, []byte("https://")) {
			failures = append(failures, fmt.Errorf("%s: README.md does not name the source", folder))
		}
	}
	return errors.Join(failures...)
}

// licensed returns the folders that must have a licence file, folder itself or folders below it. If folder has a licence
// file or no subfolders, licensed returns folder. Otherwise it returns the subfolders of folder. In place of a subfolder
// whose name begins with @ it returns the folders that licensed returns for that subfolder.
func licensed(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var below []string
	for _, entry := range entries {
		if licenceFile.MatchString(entry.Name()) {
			return []string{folder}, nil
		}
		switch path := filepath.Join(folder, entry.Name()); {
		case entry.IsDir() && strings.HasPrefix(entry.Name(), "@"): // a folder whose subfolders are packages
			inner, err := licensed(path)
			if err != nil {
				return nil, err
			}
			below = append(below, inner...)
		case entry.IsDir():
			below = append(below, path)
		}
	}
	return append(below, folder)[:max(1, len(below))], nil
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)([-.].*)?$`)

// report prints the licences in a folder. It returns an error for the first mistake that it finds: a file that cannot be read
// or is not the text of a known licence, no licence at all, or a licence that is not allowed.
func report(name, folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var found []string
	for _, entry := range entries {
		if entry.IsDir() || !licenceFile.MatchString(entry.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		module, _, _ := strings.Cut(name, " ")
		if licence := judged[module+" "+entry.Name()]; licence != "" {
			found = append(found, licence)
			continue
		}
		coverage := licensecheck.Scan(text)
		if coverage.Percent < enough {
			return fmt.Errorf("%s: %s is not the text of a known licence (%.0f %% of it)", name, entry.Name(), coverage.Percent)
		}
		for _, match := range coverage.Match {
			found = append(found, match.ID)
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	fmt.Printf("  %-70s %s\n", name, strings.Join(found, ", "))
	if len(found) == 0 {
		return fmt.Errorf("%s: there is no licence", name)
	}
	for _, id := range found {
		if !slices.Contains(allowed, id) {
			return fmt.Errorf("%s: %s is not among the allowed licences", name, id)
		}
	}
	return nil
}

// known looks for known vulnerabilities that the program reaches.
func known() error {
	fmt.Println("\nKnown vulnerabilities")
	database := os.Getenv(vulnerabilities)
	if database == "" {
		fmt.Printf("  skipped: set %s to the folder of a copy of https://vuln.go.dev (vulndb.zip)\n", vulnerabilities)
		return nil
	}
	absolute, err := filepath.Abs(database)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(absolute, "index", "db.json")); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %s has no index/db.json", vulnerabilities, absolute)
	}
	check := exec.Command("go", "tool", "-modfile=tools/go.mod", "govulncheck", "-db", "file://"+absolute, ".")
	check.Stdout, check.Stderr = os.Stdout, os.Stderr
	if err := check.Run(); err != nil {
		return fmt.Errorf("known vulnerabilities: %w", err)
	}
	return nil
}

var wanted = regexp.MustCompile(`^\s*want \S+ "?([^"#]+)"?`)

// packages prints the versions of the system's packages beside those that the tests have run with.
func packages() error {
	fmt.Println("\nPackages of the system: installed, and tested with (scripts/tested-packages.txt)")
	script, err := os.ReadFile("scripts/deps.sh")
	if err != nil {
		return err
	}
	tested := map[string]string{}
	list, err := os.ReadFile("scripts/tested-packages.txt")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(list)) {
		if name, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			tested[name] = version
		}
	}
	var names []string
	for lines := bufio.NewScanner(bytes.NewReader(script)); lines.Scan(); {
		if m := wanted.FindStringSubmatch(lines.Text()); m != nil {
			names = append(names, strings.Fields(m[1])...)
		}
	}
	slices.Sort(names)
	var failures []error
	for _, name := range slices.Compact(names) {
		version, err := exec.Command("dpkg-query", "-W", "-f", "${Version}", name).Output()
		installed := strings.TrimSpace(string(version))
		if err != nil || installed == "" {
			installed = "not installed"
		}
		mark := ""
		switch {
		case tested[name] == "":
			failures = append(failures, fmt.Errorf("%s is installed by scripts/deps.sh and has no tested version in "+
				"scripts/tested-packages.txt", name))
		case installed != tested[name]:
			mark = "  differs"
		}
		fmt.Printf("  %-26s %-34s %s%s\n", name, installed, tested[name], mark)
	}
	return errors.Join(failures...)
}
