package config

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// The flag --config-unknown, which says what becomes of names that this version does not know, and its values.
const (
	unknownFlag    = "config-unknown"
	refuseUnknown  = "refuse"
	warnOfUnknown  = "warn"
	warningsOfFile = "warnings" // name of the annotation of that flag which has the warnings
)

// UnknownWays are the values of --config-unknown.
var UnknownWays = []string{refuseUnknown, warnOfUnknown}

// bindFile declares --config.
func bindFile(f *pflag.FlagSet) {
	f.String("config", "", "YAML `file` with flags by their names, such as listen: \":8080\"; flags and variables win over it")
	f.String(unknownFlag, refuseUnknown, "what becomes of names in --config, and of MOVIOLA_… variables, that this version "+
		"does not know: refuse or warn")
}

// FromFile sets flags from the file of --config, except those that the command line or an environment variable has set. A
// secret counts as set, too, when the other one of its two flags (--NAME and --NAME-file) is. Without --config it does
// nothing.
func FromFile(f *pflag.FlagSet) error {
	file := f.Lookup("config")
	if file == nil || file.Value.String() == "" {
		return nil
	}
	content, err := os.ReadFile(file.Value.String())
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")), &document); err != nil {
		return fmt.Errorf("--config %s: %w", file.Value, err)
	}
	if len(document.Content) == 0 {
		return nil
	}
	top := document.Content[0]
	if top.Kind != yaml.MappingNode {
		return fmt.Errorf("--config %s: give names of flags with their values, such as `listen: \":8080\"`", file.Value)
	}
	if err := top.Decode(&map[string]any{}); err != nil { // decoding into a map fails for duplicate names
		return fmt.Errorf("--config %s: %w", file.Value, err)
	}
	var errs []error
	for i := 0; i+1 < len(top.Content); i += 2 {
		if err := setFromFile(f, top.Content[i], top.Content[i+1]); err != nil {
			errs = append(errs, fmt.Errorf("--config %s, line %d: %w", file.Value, top.Content[i].Line, err))
		}
	}
	return errors.Join(errs...)
}

func setFromFile(f *pflag.FlagSet, key, value *yaml.Node) error {
	name := key.Value
	flag := f.Lookup(name)
	if flag == nil || name == "config" || name == "help" || name == unknownFlag {
		return unknown(f, fmt.Sprintf("there is no flag %q%s", name, near(name, flagNames(f))))
	}
	if flag.Changed || givenOtherwise(f, name) {
		return nil
	}
	if value.Kind == yaml.AliasNode {
		value = value.Alias
	}
	values, err := scalars(value)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	text := strings.Join(values, "")
	if value.Kind == yaml.SequenceNode {
		if _, ok := flag.Value.(pflag.SliceValue); !ok {
			return fmt.Errorf("%s: give one value", name)
		}
		if text, err = commaSeparated(values); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := set(f, name, text); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	mark(flag, fromFile)
	return nil
}

// givenOtherwise reports whether a secret is given by the other one of its two flags: for --NAME by --NAME-file, for --NAME-file
// by --NAME. The file of --config does not count.
func givenOtherwise(f *pflag.FlagSet, name string) bool {
	other, isFile := strings.CutSuffix(name, fileSuffix)
	if !isFile {
		other = name + fileSuffix
	}
	flag := f.Lookup(other)
	return flag != nil && flag.Changed && sourceOf(flag) != fromFile
}

// commaSeparated joins values in the form that list flags parse.
func commaSeparated(values []string) (string, error) {
	if len(values) == 0 {
		return "", nil
	}
	var line strings.Builder
	w := csv.NewWriter(&line)
	if err := w.Write(values); err != nil {
		return "", err
	}
	w.Flush()
	return strings.TrimSuffix(line.String(), "\n"), w.Error()
}

// scalars returns the text of a value, or the texts of a list.
func scalars(value *yaml.Node) ([]string, error) {
	switch {
	case value.Kind == yaml.ScalarNode && value.Tag != "!!null":
		return []string{value.Value}, nil
	case value.Kind == yaml.SequenceNode:
		texts := []string{}
		for _, one := range value.Content {
			if one.Kind != yaml.ScalarNode || one.Tag == "!!null" {
				return nil, errors.New("give a list of plain values")
			}
			texts = append(texts, one.Value)
		}
		return texts, nil
	default:
		return nil, errors.New("give a plain value, or a list of them")
	}
}

// unknown refuses a name that this version does not know, or keeps it as a warning, according to --config-unknown.
func unknown(f *pflag.FlagSet, what string) error {
	how := f.Lookup(unknownFlag)
	if how == nil || how.Value.String() != warnOfUnknown {
		return errors.New(what)
	}
	keep(how, what)
	return nil
}

// keep stores a warning in an annotation of the flag, where Warnings finds it.
func keep(flag *pflag.Flag, warning string) {
	if flag.Annotations == nil {
		flag.Annotations = map[string][]string{}
	}
	flag.Annotations[warningsOfFile] = append(flag.Annotations[warningsOfFile], warning)
}

// Warnings returns the warnings about the file of --config and about variables. They do not prevent the start.
func Warnings(f *pflag.FlagSet) []string {
	how := f.Lookup(unknownFlag)
	if how == nil {
		return nil
	}
	return slices.Clone(how.Annotations[warningsOfFile])
}

func flagNames(f *pflag.FlagSet) []string {
	var names []string
	f.VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	return names
}

// near returns a suggestion for a name that is probably mistyped.
func near(name string, known []string) string {
	for _, other := range known {
		if distance(name, other) <= nearLetters {
			return fmt.Sprintf("; did you mean %q?", other)
		}
	}
	return ""
}
