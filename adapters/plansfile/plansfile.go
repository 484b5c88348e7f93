// Package plansfile reads the plans of an installation from a YAML file. A plan in the file replaces the built-in plan of
// its name as a whole; a plan with another name is added. Plans and prices that the file does not name are the built-in
// ones. Unknown fields are errors: a misspelt field must not be ignored silently.
package plansfile

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"go.yaml.in/yaml/v3"

	"moviola/domain/plan"
)

// Default is a plans file with the built-in plans. An operator can copy and change it.
//
//go:embed plans.yaml
var Default []byte

// file is the structure of a plans file.
type file struct {
	Plans    []row   `yaml:"plans"`
	AIPrices *prices `yaml:"ai_prices"`
}

type row struct {
	Name       string        `yaml:"name"`
	Length     time.Duration `yaml:"length"`
	PackLength time.Duration `yaml:"pack_length"`
	Width      int           `yaml:"width"`
	Height     int           `yaml:"height"`
	Counted    bool          `yaml:"counted"`
	Movies     int64         `yaml:"movies"`
	Drafts     int64         `yaml:"drafts"`

	Email           bool `yaml:"email"`
	EmailRecipients int  `yaml:"email_recipients"`

	Previews int `yaml:"previews_per_hour"`
	Outputs  int `yaml:"outputs"`

	History plan.History `yaml:"history"`
}

type prices struct {
	BuiltIn int64 `yaml:"built_in"`
	Image   int64 `yaml:"image"`
	Voice   int64 `yaml:"voice"`
}

// Read reads the plans of a file. An empty path means the built-in plans.
func Read(path string) (plan.Plans, error) {
	if path == "" {
		return plan.Plans{}, nil
	}
	text, err := os.ReadFile(path) //nolint:gosec // the operator names it
	if err != nil {
		return plan.Plans{}, fmt.Errorf("read the plans: %w", err)
	}
	plans, err := Parse(text)
	if err != nil {
		return plan.Plans{}, fmt.Errorf("read the plans in %s: %w", path, err)
	}
	return plans, nil
}

// Parse parses a plans file. An error about the plans lists every mistake in them.
func Parse(text []byte) (plan.Plans, error) {
	standard := plan.BuiltInPrices
	f := file{AIPrices: &prices{BuiltIn: standard.BuiltIn, Image: standard.Image, Voice: standard.VoiceSecond}}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return plan.Plans{}, err
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return plan.Plans{}, errors.New("there is more than one document in it")
	}
	rows := make([]plan.Plan, len(f.Plans))
	for i, r := range f.Plans {
		rows[i] = plan.Plan(r)
	}
	plans, err := plan.New(rows...)
	if err != nil || f.AIPrices == nil { // AIPrices is nil if the file has no section ai_prices
		return plans, err
	}
	return plans.WithPrices(plan.Prices{BuiltIn: f.AIPrices.BuiltIn, Image: f.AIPrices.Image, VoiceSecond: f.AIPrices.Voice})
}
