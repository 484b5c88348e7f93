package processors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"moviola/domain"
	"moviola/domain/connection"
	"moviola/domain/movie"
)

// What the owner reads in destinations_result. Decision 33.
const (
	noVideoMessage  = "No video was produced"
	tooLongMessage  = "Skipped: the destinations of the movie took too long together"
	noTypeMessage   = "The destination has neither a type nor the id of a saved connection"
	noTargetMessage = "The webhook has no endpoint"
	goneMessage     = "The file of the movie is not there any more"
)

// target is where one delivery goes, with everything that is needed to get there.
type target struct {
	kind     connection.Kind
	settings connection.Settings
	id       string   // of the saved connection; empty: none
	signing  []string // secrets to sign a webhook with
	hostKey  string   // that the server showed before
}

// verdict is why a destination gets nothing. It is an error only to travel as one.
type verdict struct {
	status  movie.DeliveryStatus
	message string
}

func (v verdict) Error() string { return v.message }

func refused(format string, args ...any) error {
	return verdict{movie.DeliveryError, fmt.Sprintf(format, args...)}
}

// resolve finds out where a destination leads. A verdict says that it leads nowhere; another error passes.
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

// resolveInline reads an entry that has everything in itself.
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

// inlineWebhook says whether an entry is complete without the connection that it may name: an id beside an endpoint is one of the
// sender's own.
func inlineWebhook(to destination) bool {
	return to.Type == string(connection.Webhook) && to.Endpoint != ""
}

// resolveSaved opens the saved connection that an entry names, and lays the entry's own properties over it.
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
	t := target{kind: opened.Kind, id: to.ID, signing: opened.Signing, hostKey: opened.HostKey}
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

// savedFields are all that a movie may say of a destination that is a saved connection only. Spec: Export destination entries.
var savedFields = []string{"type", "id", "remote-path", "file"}

func checkSaved(kind connection.Kind, given map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(savedFields, name) {
			return refused("A destination of type %s may only have id, remote-path and file: remove %s", kind, name)
		}
	}
	return nil
}

// fileThere refuses to send what is not there any more.
func (d *delivery) fileThere() error {
	if d.claim.FileGone || d.claim.File == nil || d.claim.File.Key == "" {
		return verdict{movie.DeliverySkipped, goneMessage}
	}
	return nil
}

// wrong makes what is meant for the owner a verdict, and leaves other errors as they are.
func wrong(err error) error {
	var refusal *domain.Error
	if errors.As(err, &refusal) {
		return verdict{movie.DeliveryError, refusal.Message}
	}
	return err
}
