package processors_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/commands"
	"moviola/commands/accounts"
	"moviola/commands/templates"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/eventstore"
	"moviola/handlers/background/clearing"
	"moviola/handlers/background/processors"
	"moviola/projections"
)

// estate is the templates and keys of an account, and what was done with them. Calls about "gone" find nothing, those about
// "used" have nothing to do, and those about "broken" fail.
type estate struct {
	owned, deleted, keys []string
	did                  []string
}

var errBroken = errors.New("the event store is away")

func (e *estate) do(what, id string) error {
	switch id {
	case "gone":
		return domain.Errorf(domain.NotFound, "not_found", "gone")
	case "used":
		return commands.ErrNothingToDo
	case "broken":
		return errBroken
	}
	e.did = append(e.did, what+" "+id)
	return nil
}

func (e *estate) Owned(context.Context, projections.TemplateList) ([]projections.Template, error) {
	return templatesOf(e.owned), nil
}

func (e *estate) Deleted(context.Context, domain.AccountID) ([]projections.Template, error) {
	return templatesOf(e.deleted), nil
}

func templatesOf(ids []string) []projections.Template {
	var out []projections.Template
	for _, id := range ids {
		out = append(out, projections.Template{ID: id})
	}
	return out
}

// List shows one key at a time.
func (e *estate) List(_ context.Context, list projections.KeyList) (projections.KeyPage, error) {
	for i, id := range e.keys {
		if list.KeyCursor == nil || id > list.ID {
			return projections.KeyPage{Keys: []projections.Key{{ID: id, IssuedAt: time.Unix(0, 0)}}, More: i < len(e.keys)-1}, nil
		}
	}
	return projections.KeyPage{}, nil
}

type (
	deleter struct{ *estate }
	sweeper struct{ *estate }
	revoker struct{ *estate }
)

func (d deleter) Handle(_ context.Context, cmd templates.DeleteTemplate) (eventstore.Position, error) {
	return eventstore.Position{}, d.do("delete", string(cmd.ID))
}

func (s sweeper) Handle(_ context.Context, cmd templates.SweepTemplate) error {
	if !cmd.Departed {
		return errors.New("kept for deliveries that nobody can ask for")
	}
	return s.do("sweep", string(cmd.ID))
}

func (r revoker) Handle(_ context.Context, cmd accounts.RevokeKey) (accounts.Revocation, error) {
	if cmd.Account != alice {
		return accounts.Revocation{}, errors.New("another account's")
	}
	return accounts.Revocation{}, r.do("revoke", cmd.ID)
}

// TestDeparted: the templates and keys of a closed account go with the first removal, what is stored of templates with the last. A balance
// at zero removes none.
func TestDeparted(t *testing.T) {
	t.Parallel()
	closed := accounts.Clearing{Account: alice, Reason: account.Departure}
	last := closed
	last.Last = true
	all := estate{owned: []string{"one", "gone", "two"}, deleted: []string{"old", "used", "older"}, keys: []string{"a", "gone", "k"}}
	tests := []struct {
		name  string
		given estate
		what  accounts.Clearing
		want  []string
		err   error
	}{
		{"a balance at zero", all, accounts.Clearing{Account: alice, Reason: account.Purged, Last: true}, nil, nil},
		{"the first removal", all, closed, []string{"delete one", "delete two", "revoke a", "revoke k"}, nil},
		{"the last removal", all, last, []string{"delete one", "delete two", "sweep old", "sweep older", "revoke a", "revoke k"}, nil},
		{"a deletion that fails", estate{owned: []string{"broken"}, keys: []string{"a"}}, last, nil, errBroken},
		{"a sweep that fails", estate{deleted: []string{"broken"}, keys: []string{"a"}}, last, nil, errBroken},
		{"a revocation that fails", estate{keys: []string{"a", "broken", "c"}}, last, []string{"revoke a"}, errBroken},
	}
	for _, tt := range tests {
		e := &tt.given
		var err error
		for _, cleaner := range []processors.Cleaner{
			clearing.SavedTemplates{Saved: e, Delete: deleter{e}, Sweep: sweeper{e}}, clearing.IssuedKeys{Issued: e, Revoke: revoker{e}},
		} {
			if err == nil {
				err = cleaner.Clear(t.Context(), tt.what)
			}
		}
		if diff := cmp.Diff(tt.want, e.did); diff != "" || !errors.Is(err, tt.err) {
			t.Errorf("%s: %v, did (-want +got):\n%s", tt.name, err, diff)
		}
	}
}
