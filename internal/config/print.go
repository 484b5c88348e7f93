package config

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// Setting is a flag with its value and where that comes from.
type Setting struct{ Name, Value, Source string }

// List returns every setting. Secrets are hidden.
func List(f *pflag.FlagSet) []Setting {
	var all []Setting
	eachSetting(f, func(flag *pflag.Flag) {
		all = append(all, Setting{Name: flag.Name, Value: shown(flag), Source: sourceOf(flag)})
	})
	return all
}

func eachSetting(f *pflag.FlagSet, use func(*pflag.Flag)) {
	f.VisitAll(func(flag *pflag.Flag) {
		if flag.Name != "help" && flag.Name != "config" && flag.Name != unknownFlag {
			use(flag)
		}
	})
}

// Print writes every setting, with its value and where that comes from, as a file for --config. Secrets are hidden.
func Print(w io.Writer, f *pflag.FlagSet) error {
	var err error
	eachSetting(f, func(flag *pflag.Flag) {
		if err != nil {
			return
		}
		var encoded []byte
		if encoded, err = yaml.Marshal(printed(flag)); err == nil {
			_, err = fmt.Fprintf(w, "%s: %s # %s\n", flag.Name, strings.TrimSpace(string(encoded)), sourceOf(flag))
		}
	})
	return err
}

// printed returns a flag's value as a YAML node on one line.
func printed(flag *pflag.Flag) *yaml.Node {
	scalar := func(text string) *yaml.Node {
		switch flag.Value.Type() {
		case "bool", "int", "int64", "duration":
			return &yaml.Node{Kind: yaml.ScalarNode, Value: text}
		default:
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: WithoutSecret(flag.Name, text)}
		}
	}
	list, ok := flag.Value.(pflag.SliceValue)
	if !ok {
		return scalar(flag.Value.String())
	}
	all := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, text := range list.GetSlice() {
		all.Content = append(all.Content, scalar(text))
	}
	return all
}
