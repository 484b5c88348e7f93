// Package plan holds the plans of accounts: how long and how large movies may be, which rights an account has, and, on
// counted plans, how many movies it may have. Plans are data; another package reads them from a file.
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

// Plan is a set of limits for the accounts on it. Decision 36.
type Plan struct {
	Name string
	// Length is the maximum length of a movie.
	Length time.Duration
	// PackLength is the maximum length of a movie if the account was granted a credit pack, unless Length is greater.
	PackLength time.Duration
	// Width and Height are the maximum size of a movie in pixels. The longer side of a movie is compared with the greater of
	// the two, its shorter side with the smaller.
	Width, Height int
	// Counted says that the plan counts movies and drafts, and that accounts on the plan need no credits.
	Counted bool
	Movies  int64 // maximum number of movies per calendar month (UTC), on counted plans
	Drafts  int64 // maximum number of drafts per calendar month (UTC), on counted plans
	// Email reports whether movies may be sent to e-mail destinations. Decision 55.
	Email bool
	// EmailRecipients is the maximum number of recipients of e-mails per day (UTC), if Email is true; 0:
	// DefaultEmailRecipients.
	EmailRecipients int
	// Previews is the maximum number of previews of unrendered movies per hour; 0: DefaultPreviews.
	Previews int
	// Outputs is the maximum number of outputs that a movie may have beside its MP4; 0: none. Decision 61.
	Outputs int
	// History is how long the events of a movie that has ended, and old entries of the ledger, stay in the log; 0: as long
	// as the installation says; Forever: they are never archived. Decision 96.
	History History
}

// History is a time for which the events of a movie that has ended, and old entries of the ledger, stay in the log.
type History time.Duration

// Forever says that the events of movies and the entries of ledgers are never archived.
const Forever History = -1

// LeastHistory is the minimum of a History.
const LeastHistory = time.Hour

const forever = "forever"

// UnmarshalText reads a duration, such as 2160h, or the word forever.
func (h *History) UnmarshalText(text []byte) error {
	if string(text) == forever {
		*h = Forever
		return nil
	}
	age, err := time.ParseDuration(string(text))
	if err != nil || age < LeastHistory {
		return fmt.Errorf("history %q: give a duration of %s or more, such as 2160h, or %s", text, LeastHistory, forever)
	}
	*h = History(age)
	return nil
}

// Kept returns how long the events of ended movies and old entries of ledgers stay in the log: the plan's History or, if
// that is 0, the time that the installation sets. The result 0 means for ever.
func (p Plan) Kept(installation time.Duration) time.Duration {
	switch p.History {
	case 0:
		return installation
	case Forever:
		return 0
	}
	return time.Duration(p.History)
}

// DefaultPreviews is the maximum number of previews per hour on a plan that does not set a maximum: one every six seconds.
const DefaultPreviews = 600

// DefaultEmailRecipients is the maximum number of recipients per day on a plan with e-mail that does not set a maximum.
const DefaultEmailRecipients = 200

// The names of the built-in plans.
const (
	Free    = "free"
	Paid    = "paid"
	Counted = "counted"
)

// Prices are the prices in credits of one generated item of a preload batch. Decision 38.
type Prices struct {
	BuiltIn     int64 // price of an item that the program itself generates, of any type
	Image       int64 // price of an image that a provider generates
	VoiceSecond int64 // price of each started second of a speech that a provider generates
}

// BuiltInPrices are the prices of decision 38.
var BuiltInPrices = Prices{Image: 10, VoiceSecond: 1}

// Plans holds the plans and prices of an installation. The zero Plans has the built-in plans and prices.
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

// Prices returns the prices of generated items.
func (p Plans) Prices() Prices {
	if p.prices == nil {
		return BuiltInPrices
	}
	return *p.prices
}

// Names returns the names of all plans, sorted.
func (p Plans) Names() []string {
	plans := p.byName
	if plans == nil {
		plans = builtInByName
	}
	return slices.Sorted(maps.Keys(plans))
}

// Parse returns the plan with the given name; an empty name is the free plan. An unknown name is refused.
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
	{Name: Free, Length: time.Minute, PackLength: 30 * time.Minute, Width: 1920, Height: 1080, Outputs: 2},
	{Name: Paid, Length: 30 * time.Minute, Width: 3840, Height: 3840, Email: true, EmailRecipients: DefaultEmailRecipients,
		Previews: 3600, Outputs: 10},
	{
		Name: Counted, Length: 30 * time.Minute, Width: 3840, Height: 3840, Counted: true, Movies: 100, Drafts: 400,
		Email: true, EmailRecipients: DefaultEmailRecipients, Previews: 3600, Outputs: 10,
	},
}

var builtInByName = func() map[string]Plan {
	byName := make(map[string]Plan, len(builtIn))
	for _, p := range builtIn {
		byName[p.Name] = p
	}
	return byName
}()

// New returns the built-in plans together with the given ones, which replace built-in plans of the same name. The error names
// one mistake of every given plan that has mistakes, and plans that are given twice.
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
	case p.Outputs < 0:
		return fmt.Errorf("plan %q: the number of outputs must not be negative", p.Name)
	case !p.History.valid():
		return fmt.Errorf("plan %q: history must be %s or more, or %s", p.Name, LeastHistory, forever)
	case p.EmailRecipients < 0 || p.EmailRecipients > 0 && !p.Email:
		return fmt.Errorf("plan %q: the number of e-mail recipients must not be negative, and needs email: true", p.Name)
	}
	return nil
}

// valid reports whether the history is not set, is for ever, or is long enough.
func (h History) valid() bool { return h == 0 || h == Forever || h >= History(LeastHistory) }

// Histories returns the names of the plans that have a History of their own, sorted.
func (p Plans) Histories() []string {
	return slices.DeleteFunc(p.Names(), func(name string) bool { return p.Of(name).History == 0 })
}

// Of returns the plan with a name. For an unknown name it returns the free plan.
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

// Known reports whether a plan with the name exists.
func (p Plans) Known(name string) bool { return p.Of(name).Name == name }

// LongestFor returns the maximum length of a movie of an account. pack reports whether the account was granted a credit
// pack.
func (p Plan) LongestFor(pack bool) time.Duration {
	if pack && p.PackLength > p.Length {
		return p.PackLength
	}
	return p.Length
}

// Recipients returns the maximum number of e-mail recipients per day.
func (p Plan) Recipients() int {
	switch {
	case !p.Email:
		return 0
	case p.EmailRecipients == 0:
		return DefaultEmailRecipients
	}
	return p.EmailRecipients
}

// PreviewsAnHour returns the maximum number of previews per hour.
func (p Plan) PreviewsAnHour() int {
	if p.Previews == 0 {
		return DefaultPreviews
	}
	return p.Previews
}

// CheckEmail refuses e-mails on a plan without e-mail. Decision 55.
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

// CheckLength refuses a movie that is longer than the account may render. seconds is the movie's length in seconds, rounded
// up. pack reports whether the account was granted a credit pack, so that PackLength applies. Decision 17.
func (p Plan) CheckLength(seconds int64, pack bool) error {
	longest := p.LongestFor(pack)
	if seconds <= int64(longest/time.Second) {
		return nil
	}
	return domain.Errorf(domain.Invalid, "movie_too_long",
		"Movie duration (%d seconds) is longer than the service plan allowance (%d seconds). Please upgrade the service plan "+
			"to continue.",
		seconds, int64(longest/time.Second))
}

// CheckCredits refuses a movie that costs more than its client accepts; most 0: any price. Decision 75.
func CheckCredits(credits, most int64) error {
	if most == 0 || credits <= most {
		return nil
	}
	return domain.Errorf(domain.Invalid, "max_credits_exceeded",
		"The movie costs %d credits, more than max_credits (%d). Make it shorter, or raise max_credits.", credits, most)
}

// OutputsMessage returns the message that tells why a movie has fewer outputs than it asks for.
func (p Plan) OutputsMessage() string {
	if p.Outputs == 0 {
		return "The account's plan makes nothing but the MP4 of a movie"
	}
	return fmt.Sprintf("The account's plan allows a movie %d outputs beside its MP4", p.Outputs)
}
