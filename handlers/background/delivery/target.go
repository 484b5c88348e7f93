package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"moviola/domain"
	"moviola/domain/connection"
	"moviola/domain/document"
	"moviola/domain/movie"
)

// Messages for the movie's owner in destinations_result. Decision 33.
const (
	noVideoMessage  = "No video was produced"
	tooLongMessage  = "Skipped: the destinations of the movie took too long together"
	noTypeMessage   = "The destination has neither a type nor the id of a saved connection"
	noTargetMessage = "The webhook has no endpoint"
	goneMessage     = "The file of the movie is not there any more"
)

// target is one destination with everything that is needed to send to it.
type target struct {
	kind     connection.Kind
	settings connection.Settings
	id       string           // id of the saved connection; empty: the destination has its own settings
	version  int              // version of the saved connection
	signing  []string         // secrets that sign a webhook
	hostKey  string           // host key that the server has shown before
	file     movie.OutputFile // file that is sent; empty: the MP4
}

// verdict is the reason why nothing is sent to a destination. It implements error only so that
// functions can return a verdict as an error.
type verdict struct {
	status  movie.DeliveryStatus
	message string
}

func (v verdict) Error() string { return v.message }

func refused(format string, args ...any) error {
	return verdict{movie.DeliveryError, fmt.Sprintf(format, args...)}
}

// resolve determines the target of a destination. A verdict means that nothing is sent there. Other errors are faults of
// this service: the delivery is tried again later.
func (d *delivery) resolve(ctx context.Context, to destination) (target, error) {
	kind, unknown := connection.ParseKind(to.Type)
	if problem := cmp.Or(to.problem, to.Problem); problem != "" {
		return target{}, refused("%s", problem)
	}
	switch {
	case to.Type == "" && to.ID == "":
		return target{}, refused(noTypeMessage)
	case to.Type != "" && (unknown != nil || !kind.IsDestination()):
		return target{}, refused("Unknown destination type %s", to.Type)
	case kind.TakesFiles() && !d.claim.Success:
		return target{kind: kind}, verdict{movie.DeliverySkipped, noVideoMessage}
	case to.ID != "" && !inlineWebhook(to):
		return d.resolveSaved(ctx, to)
	}
	return d.resolveInline(kind, to)
}

// resolveInline reads a destination that names no saved connection.
func (d *delivery) resolveInline(kind connection.Kind, to destination) (target, error) {
	t := target{kind: kind}
	switch {
	case kind == connection.Webhook && to.Endpoint == "":
		return t, refused(noTargetMessage)
	case kind.SavedOnly():
		return t, refused("A destination of type %s needs the id of a saved connection", to.Type)
	case kind == connection.Webhook:
		t.settings = connection.Settings{"endpoint": to.Endpoint, "content-type": to.ContentType}
		return t, nil
	}
	var err error
	if t.settings, err = kind.Inline(to.Given); err != nil {
		return t, wrong(err)
	}
	return t, d.fileThere()
}

// inlineWebhook reports whether a destination is a webhook with an endpoint of its own. An id of such a destination is the
// client's own name for it, not the id of a saved connection.
func inlineWebhook(to destination) bool {
	return to.Type == string(connection.Webhook) && to.Endpoint != ""
}

// resolveSaved opens the saved connection that a destination names, and applies the properties that the movie has set for this
// destination.
func (d *delivery) resolveSaved(ctx context.Context, to destination) (target, error) {
	opened, err := d.config.Connections.Open(ctx, d.claim.Account, to.ID)
	switch {
	case err != nil:
		return target{}, wrong(err)
	case to.Type != "" && to.Type != string(opened.Kind):
		return target{}, refused("Connection %s is of type %s, not %s", to.ID, opened.Kind, to.Type)
	case !opened.Kind.IsDestination():
		return target{kind: opened.Kind}, refused("Connection %s is a provider, not a destination", to.ID)
	case opened.Kind.TakesFiles() && !d.claim.Success:
		return target{kind: opened.Kind}, verdict{movie.DeliverySkipped, noVideoMessage}
	}
	t := target{kind: opened.Kind, id: to.ID, version: opened.Version, signing: opened.Signing, hostKey: opened.HostKey}
	if t.kind.SavedOnly() {
		if err := checkSaved(t.kind, to.Given); err != nil {
			return t, err
		}
	}
	if t.settings, err = t.kind.Override(opened.Settings, to.Given); err != nil {
		return t, wrong(err)
	}
	if !t.kind.TakesFiles() {
		return t, nil
	}
	return t, d.fileThere()
}

// savedFields are the only properties that a movie may set for a destination of a kind that needs a saved connection. Spec:
// Export destination entries.
var savedFields = []string{"type", "id", "remote-path", "file"}

func checkSaved(kind connection.Kind, given map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(savedFields, name) {
			return refused("A destination of type %s may only have id, remote-path and file: remove %s", kind, name)
		}
	}
	return nil
}

// choose selects the output with the given format, which is sent instead of the MP4. Decision 61.
func (d *delivery) choose(t *target, format string) error {
	if !t.kind.TakesFiles() || format == "" {
		return nil
	}
	name, known := document.ReadOutputFormat(format)
	o, made := d.claim.File.OutputOf(name)
	switch {
	case known && name == document.MovieFormat:
		return nil
	case !known, !made:
		return refused("The movie has no output %s: name it in 'format' of the export object too", document.Shorten(format))
	case o.Status != movie.OutputDone || len(o.Files) == 0:
		return refused("The output %s was not made: %s", name, o.Message)
	case len(o.Files) > 1:
		return refused("The output %s has several files: it cannot be sent to a destination", name)
	}
	t.file = o.Files[0]
	return nil
}

// fileThere returns a verdict when the file no longer exists.
func (d *delivery) fileThere() error {
	if d.claim.FileGone || d.claim.File == nil || d.claim.File.Key == "" {
		return verdict{movie.DeliverySkipped, goneMessage}
	}
	return nil
}

// wrong converts a refusal (a *domain.Error, whose message is for the owner of the movie) to a verdict: the reason why
// nothing is sent to a destination. It returns every other error as it is.
func wrong(err error) error {
	var refusal *domain.Error
	if errors.As(err, &refusal) {
		return verdict{movie.DeliveryError, refusal.Message}
	}
	return err
}
