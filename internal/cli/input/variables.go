package input

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"moviola/domain/document"
)

// Variables are the variables of a movie whose values the command line gives.
type Variables struct {
	Each []string // variables given as name=value
	File string   // file with a JSON object of variables
}

// Bind declares the flags for the variables of a movie.
func (v *Variables) Bind(f *pflag.FlagSet) {
	f.StringArrayVar(&v.Each, "var", nil, "set a variable of the movie, as name=value; repeatable")
	f.StringVar(&v.File, "vars", "", "file with a JSON object of variables")
}

// read returns all variables. When the file has a variable that is also given as name=value, the latter value applies.
func (v Variables) read() (map[string]any, error) {
	all := map[string]any{}
	if v.File != "" {
		raw, err := os.ReadFile(v.File)
		if err != nil {
			return nil, fmt.Errorf("--vars: %w", err)
		}
		if all, err = document.Tree(raw); err != nil {
			return nil, fmt.Errorf(`--vars %s: the file is not a JSON object such as {"name": "Ada"}`, v.File)
		}
	}
	for _, one := range v.Each {
		name, value, ok := strings.Cut(one, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, fmt.Errorf("--var %q: write name=value", one)
		}
		all[name] = valueOf(value)
	}
	return all, nil
}

// valueOf parses a value as JSON if it is a number, true, false, an object, a list or a quoted text, and if nothing is lost by
// that. Everything else is taken as text.
func valueOf(text string) any {
	trimmed := strings.TrimSpace(text)
	if n, err := strconv.ParseFloat(trimmed, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) &&
		strconv.FormatFloat(n, 'f', -1, 64) == trimmed {
		return json.Number(trimmed)
	}
	if trimmed == "true" || trimmed == "false" {
		return trimmed == "true"
	}
	if trimmed != "" && strings.ContainsRune(`{["`, rune(trimmed[0])) {
		decoder := json.NewDecoder(strings.NewReader(trimmed))
		decoder.UseNumber()
		var value any
		if decoder.Decode(&value) == nil {
			if _, err := decoder.Token(); err == io.EOF { // nothing follows the value
				return value
			}
		}
	}
	return text
}

// Over sets the variables in a movie; they replace variables of the same names. Without variables the movie is returned
// unchanged, byte for byte.
func (v Variables) Over(movie []byte) ([]byte, error) {
	given, err := v.read()
	if err != nil || len(given) == 0 {
		return movie, err
	}
	tree, err := document.Tree(movie)
	if err != nil {
		return nil, err
	}
	merged := document.Merge(tree, map[string]any{"variables": given})
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err = encoder.Encode(merged)
	return out.Bytes(), err
}
