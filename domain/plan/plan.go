// Package plan holds what accounts may do: how long and how large their movies may be, and, on counted plans, how many. Plans
// are data; where they are read from is not known here.
package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"moviola/domain"
)

// Plan is what the accounts on it may do. Decision 36.
type Plan struct {
	Name string
	// Length is the longest movie.
	Length time.Duration
	// PackLength is the longest movie of an account that was granted a credit pack; 0: Length.
	PackLength time.Duration
	// Width and Height are the largest movie in pixels: its long side is compared with the longer of them, its short side
	// with the other.
	Width, Height int
	// Counted plans count movies and drafts and hold no credits.
	Counted bool
	Movies  int64 // per calendar month (UTC), on counted plans
	Drafts  int64 // per calendar month (UTC), on counted plans
	// Email lets movies be sent to e-mail destinations. Decision 55.
	Email bool
	// EmailRecipients is how many recipients a day (UTC) may be written to; 0: DefaultEmailRecipients.
	EmailRecipients int
	// Previews is how many previews of movies that are not rendered may be asked for in an hour; 0: DefaultPreviews.
	Previews int
}

// DefaultPreviews is how many previews an hour a plan allows that does not say it: one every six seconds.
const DefaultPreviews = 600

// DefaultEmailRecipients is how many recipients a day a plan with e-mail allows that does not say it.
const DefaultEmailRecipients = 200

// The names of the built-in plans.
const (
	Free    = "free"
	Paid    = "paid"
	Counted = "counted"
)

// Prices are what one item of a preload batch costs in credits when it is generated. Decision 38.
type Prices struct {
	BuiltIn     int64 // by what is part of the program, whatever it makes
	Image       int64 // by a provider
	VoiceSecond int64 // by a provider, per started second
}

// BuiltInPrices are the prices of decision 38.
var BuiltInPrices = Prices{Image: 10, VoiceSecond: 1}

// Plans are the plans and prices of an installation. The zero Plans are the built-in ones.
type Plans struct {
	byName map[string]Plan
	prices *Prices
}

// WithPrices returns the same plans with other prices.
func (p Plans) WithPrices(prices Prices) (Plans, error) {
	for what, price := range map[string]int64{"built_in": prices.BuiltIn, "image": prices.Image, "voice": prices.VoiceSecond} {
		if price < 0 || price > maxPrice {
			return p, fmt.Errorf("the price of %s must be a whole number of credits from 0 to %d", what, maxPrice)
		}
	}
	p.prices = &prices
	return p, nil
}

const maxPrice = 1_000_000

// Prices are what generated items cost.
func (p Plans) Prices() Prices {
	if p.prices == nil {
		return BuiltInPrices
	}
	return *p.prices
}

// Names are the names of all plans, sorted.
func (p Plans) Names() []string {
	plans := p.byName
	if plans == nil {
		plans = builtInByName
	}
	return slices.Sorted(maps.Keys(plans))
}

// Parse returns the plan of a name; an empty name is the free plan. An unknown one is refused.
func (p Plans) Parse(name string) (Plan, error) {
	if name == "" {
		name = Free
	}
	if !p.Known(name) {
		return Plan{}, domain.Errorf(domain.Invalid, "plan_invalid", "plan must be one of %s", strings.Join(p.Names(), ", "))
	}
	return p.Of(name), nil
}

var builtIn = []Plan{
	{Name: Free, Length: time.Minute, PackLength: 30 * time.Minute, Width: 1920, Height: 1080},
	{Name: Paid, Length: 30 * time.Minute, Width: 3840, Height: 3840, Email: true, EmailRecipients: DefaultEmailRecipients, Previews: 3600},
	{
		Name: Counted, Length: 30 * time.Minute, Width: 3840, Height: 3840, Counted: true, Movies: 100, Drafts: 400,
		Email: true, EmailRecipients: DefaultEmailRecipients, Previews: 3600,
	},
}

var builtInByName = func() map[string]Plan {
	byName := make(map[string]Plan, len(builtIn))
	for _, p := range builtIn {
		byName[p.Name] = p
	}
	return byName
}()

// New returns these plans: the built-in ones, replaced and added to. It returns every mistake in them.
func New(plans ...Plan) (Plans, error) {
	out := Plans{byName: maps.Clone(builtInByName)}
	var problems []error
	seen := make(map[string]bool)
	for _, p := range plans {
		if seen[p.Name] {
			problems = append(problems, fmt.Errorf("plan %q is there twice", p.Name))
		}
		seen[p.Name] = true
		problems = append(problems, p.check())
		out.byName[p.Name] = p
	}
	return out, errors.Join(problems...)
}

func (p Plan) check() error {
	switch {
	case p.Name == "":
		return errors.New("a plan has no name")
	case p.Length < time.Second || p.PackLength < 0:
		return fmt.Errorf("plan %q: the length must be at least one second", p.Name)
	case p.Width < 1 || p.Height < 1:
		return fmt.Errorf("plan %q: width and height must be positive", p.Name)
	case p.Counted && (p.Movies < 0 || p.Drafts < 0):
		return fmt.Errorf("plan %q: the numbers of movies and drafts must not be negative", p.Name)
	case p.Previews < 0:
		return fmt.Errorf("plan %q: the number of previews an hour must not be negative", p.Name)
	case p.EmailRecipients < 0 || p.EmailRecipients > 0 && !p.Email:
		return fmt.Errorf("plan %q: the number of e-mail recipients must not be negative, and needs email: true", p.Name)
	}
	return nil
}

// Of returns the plan of a name. An account of no known plan is on the free one.
func (p Plans) Of(name string) Plan {
	plans := p.byName
	if plans == nil {
		plans = builtInByName
	}
	if found, ok := plans[name]; ok {
		return found
	}
	return plans[Free]
}

// Known says whether there is a plan of a name.
func (p Plans) Known(name string) bool { return p.Of(name).Name == name }

// LongestFor is the longest movie of an account, which may have been granted a credit pack.
func (p Plan) LongestFor(pack bool) time.Duration {
	if pack && p.PackLength > p.Length {
		return p.PackLength
	}
	return p.Length
}

// Recipients is how many recipients a day may be written to.
func (p Plan) Recipients() int {
	switch {
	case !p.Email:
		return 0
	case p.EmailRecipients == 0:
		return DefaultEmailRecipients
	}
	return p.EmailRecipients
}

// PreviewsAnHour is how many previews may be asked for in an hour.
func (p Plan) PreviewsAnHour() int {
	if p.Previews == 0 {
		return DefaultPreviews
	}
	return p.Previews
}

// CheckEmail refuses e-mails where the plan has none. Decision 55.
func (p Plan) CheckEmail() error {
	if p.Email {
		return nil
	}
	return domain.Errorf(domain.QuotaExceeded, "email_not_in_plan",
		"E-mail destinations are not part of the service plan. Upgrade the service plan, or use a destination of another type")
}

// CheckSize refuses a movie that is larger than the plan allows. Decision 17.
func (p Plan) CheckSize(width, height int) error {
	if max(width, height) <= max(p.Width, p.Height) && min(width, height) <= min(p.Width, p.Height) {
		return nil
	}
	return domain.Errorf(domain.QuotaExceeded, "movie_too_large",
		"Movie is larger (%dx%d) than the service plan allowance (%dx%d)", width, height, p.Width, p.Height)
}

// CheckLength refuses a movie whose length, in started seconds, is beyond the longest of the account. Decision 17.
func (p Plan) CheckLength(seconds int64, pack bool) error {
	longest := p.LongestFor(pack)
	if time.Duration(seconds)*time.Second <= longest.Truncate(time.Second) {
		return nil
	}
	return domain.Errorf(domain.Invalid, "movie_too_long",
		"Movie duration (%d seconds) is longer than the service plan allowance (%d seconds). Please upgrade the service plan to continue.",
		seconds, int64(longest/time.Second))
}
