package roads

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"moviola/adapters/outbound"
	"moviola/commands/connections"
	"moviola/domain"
	"moviola/domain/connection"
	"moviola/domain/document"
	"moviola/domain/lint"
	"moviola/internal/config"
)

// MovieChecks checks for the validator what depends on the installation: addresses, providers and destinations. It implements
// movies.Outside.
type MovieChecks struct {
	cfg         config.Config
	guard       *outbound.Guard
	connections connections.Connections
	emails      func(ctx context.Context, account domain.AccountID) error // returns the reason why the account may not send mail
	failed      *error                                                    // the first error that prevented a check
}

// NewMovieChecks returns the checks. emails returns the reason for which an account may not send mail.
func NewMovieChecks(
	cfg config.Config, guard *outbound.Guard, saved connections.Connections, emails func(context.Context, domain.AccountID) error,
) MovieChecks {
	return MovieChecks{cfg: cfg, guard: guard, connections: saved, emails: emails}
}

// Of implements movies.Outside.
func (c MovieChecks) Of(ctx context.Context, account domain.AccountID) lint.Outside {
	c.failed = new(error)
	return lint.Outside{
		Failed:      func() error { return *c.failed },
		Address:     c.address,
		Provider:    func(s document.Source) string { return c.provider(ctx, account, s) },
		Destination: func(d document.Destination) string { return c.destination(ctx, account, d) },
	}
}

// address returns the reason for which the guard refuses an address. Names are not resolved.
func (c MovieChecks) address(address string) string {
	if own, ok := strings.CutPrefix(address, c.cfg.PublicURL); ok && (own == "" || own[0] == '/') {
		return "" // no refusal: the service reads its own files directly. Decision 8
	}
	if parsed, err := url.Parse(address); err == nil {
		if _, inbox := connection.InboxAt(parsed); inbox {
			return "" // no refusal: an inbox receives messages in this process, without a connection. Decision 83
		}
	}
	_, err := c.guard.CheckURL(address)
	var refused *outbound.Refused
	if errors.As(err, &refused) {
		return refused.Error()
	}
	return ""
}

// provider returns the reason for which no provider can make a source.
func (c MovieChecks) provider(ctx context.Context, account domain.AccountID, s document.Source) string {
	saved, model, configured, what := "", "", false, ""
	switch {
	case s.Prompt != nil:
		saved, configured, what = s.Prompt.Connection, c.cfg.Images.URL != "", "Images of a 'prompt' need an image provider"
	case s.Voice != nil:
		saved, model = s.Voice.Connection, s.Voice.Model
		configured = c.cfg.Speech.URL != "" || !strings.HasPrefix(model, "elevenlabs")
		what = fmt.Sprintf("The voice model '%.60s' needs a speech provider", model)
	case s.Kind == document.KindCaptions:
		saved, configured, what = s.Key, c.cfg.Transcription.URL != "", "Subtitles of what is said in files need a provider "+
			"that listens"
	default:
		return ""
	}
	if saved == "" {
		if configured {
			return ""
		}
		return what + ", and none is configured"
	}
	opened, why, found := c.open(ctx, account, saved)
	if !found {
		return why
	}
	if opened.Kind != connection.APIKey {
		why = fmt.Sprintf("The connection '%.60s' is of type %s, and no provider", saved, opened.Kind)
	}
	if err := opened.Settings.NeedOpenAI(saved); why == "" && s.Voice == nil && err != nil {
		why = err.Error()
	}
	return why
}

// open opens a saved connection of an account. found is false when it could not be opened, and why is then the reason: a
// mistake in the movie, such as the id of a connection that does not exist. why is empty when the service has failed,
// which is no mistake in the movie: open stores that error in c.failed.
func (c MovieChecks) open(ctx context.Context, account domain.AccountID, id string) (
	opened connections.OpenedConnection, why string, found bool,
) {
	opened, err := c.connections.Open(ctx, account, id)
	return opened, c.reason(err), err == nil
}

// reason returns the message of err if err is a refusal that is not a fault of the service, such as a mistake in the
// movie. Any other error means that the service could not make the check: then reason returns an empty text, and stores
// the first such error in c.failed. For nil it returns an empty text.
func (c MovieChecks) reason(err error) string {
	var refusal *domain.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &refusal) && refusal.Kind.Family() != "service":
		return refusal.Message
	case *c.failed == nil:
		*c.failed = err
	}
	return ""
}

// destination returns the reason for which nothing can be delivered to an entry, as far as that is known before the render.
func (c MovieChecks) destination(ctx context.Context, account domain.AccountID, d document.Destination) string {
	kind, unknown := connection.ParseKind(d.Type)
	switch {
	case d.Type == "" && d.ID == "":
		return "The destination has neither a type nor the id of a saved connection"
	case d.Type != "" && (unknown != nil || !kind.IsDestination()):
		return "Unknown destination type " + d.Type
	case d.Endpoint != "" && kind == connection.Webhook:
		if why := c.address(d.Endpoint); why != "" {
			return "The endpoint cannot be called: " + why
		}
		return ""
	case d.ID != "":
		return c.saved(ctx, account, d, kind)
	case kind == connection.Webhook:
		return "The webhook has no endpoint"
	case kind.SavedOnly():
		return "A destination of type " + d.Type + " needs the id of a saved connection"
	}
	if _, err := kind.Inline(d.Given); err != nil {
		return err.Error()
	}
	return c.entitled(ctx, account, kind)
}

// saved checks a destination that names a saved connection.
func (c MovieChecks) saved(ctx context.Context, account domain.AccountID, d document.Destination, kind connection.Kind) string {
	opened, why, found := c.open(ctx, account, d.ID)
	switch {
	case !found:
		return why
	case d.Type != "" && kind != opened.Kind:
		return fmt.Sprintf("Connection %s is of type %s, not %s", d.ID, opened.Kind, d.Type)
	case !opened.Kind.IsDestination():
		return fmt.Sprintf("Connection %s is a provider, not a destination", d.ID)
	}
	return c.entitled(ctx, account, opened.Kind)
}

// entitled returns the reason for which the account's plan excludes a kind of destination. Decision 55.
func (c MovieChecks) entitled(ctx context.Context, account domain.AccountID, kind connection.Kind) string {
	if !kind.HasRecipients() {
		return ""
	}
	return c.reason(c.emails(ctx, account))
}
