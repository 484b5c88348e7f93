package ledgers_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
	"moviola/eventstore/archived"
	"moviola/eventstore/memory"
	_ "moviola/tests/property"
)

// openingKey signs the opening balances of these tests.
var openingKey = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))

// shelves are archive files in memory. While closed is true they cannot be read.
type shelves struct {
	files  map[string][]byte
	closed bool
}

type shelved struct{ *bytes.Reader }

func (shelved) Close() error { return nil }

func (s *shelves) Put(_ context.Context, key string, r io.Reader) (err error) {
	s.files[key], err = io.ReadAll(r)
	return err
}

func (s *shelves) Open(_ context.Context, key string) (io.ReadSeekCloser, error) {
	if s.closed {
		return nil, errors.New("the shelves are closed")
	}
	return shelved{bytes.NewReader(s.files[key])}, nil
}

func (s *shelves) Delete(_ context.Context, key string) error {
	delete(s.files, key)
	return nil
}

// vault is a log with an archive, whose clock the test sets.
type vault struct {
	now   time.Time
	inner *memory.Store
	files *shelves
	store *archived.Store
	log   *eventstore.Log
}

func newVault() *vault {
	v := &vault{now: t0, files: &shelves{files: map[string][]byte{}}}
	v.inner = memory.New(memory.WithClock(v.clock))
	v.store = archived.New(v.inner, v.files, "movie", ledger.StreamCategory)
	v.log = eventstore.NewLog(v.store, eventstore.NewCodec())
	return v
}

func (v *vault) clock() time.Time { return v.now }

// process returns the ledgers of a process that has just started.
func (v *vault) process(options ...ledgers.Option) *ledgers.Ledgers {
	return ledgers.New(v.log, v.clock, options...)
}

// open makes an opening balance of alice and archives the events that it includes. It returns the revision of the last of
// them.
func (v *vault) open(ctx context.Context, before time.Time, least int) (eventstore.Revision, error) {
	process := v.process(ledgers.SignedWith(openingKey))
	defer process.Close()
	through, err := process.Open(ctx, alice, before, least)
	if err == nil && through >= 0 {
		_, err = v.store.ArchivePrefixes(ctx, []archived.Prefix{{Stream: ledgerStream, Through: through}})
	}
	return through, err
}

// ask calls the function question with the ledger as a process that has just started knows it; the last call counts.
func (v *vault) ask(ctx context.Context, question func(*ledger.Ledger), options ...ledgers.Option) error {
	process := v.process(options...)
	defer process.Close()
	return process.Ask(ctx, alice, func(own *ledger.Ledger) error {
		question(own)
		return nil
	})
}

// decision draws a random command of a ledger.
func decision(t *rapid.T) func(*ledger.Ledger, time.Time) ([]domain.Event, error) {
	subject := domain.ProjectID(fmt.Sprintf("project%d", rapid.IntRange(0, 9).Draw(t, "project")))
	amount := rapid.Int64Range(1, 20).Draw(t, "amount")
	reference := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "reference")
	kind := rapid.SampledFrom([]string{"", ledger.PackGrant}).Draw(t, "kind")
	draft := rapid.Bool().Draw(t, "draft")
	quota := ledger.Quota{Movies: 4, Drafts: 4}
	what := rapid.SampledFrom([]string{"grant", "hold", "hold", "change", "charge", "release", "count", "keep", "purge", "close"}).Draw(t, "command")
	return func(l *ledger.Ledger, at time.Time) ([]domain.Event, error) {
		switch what {
		case "grant":
			return l.Grant(reference, kind, amount, at)
		case "hold":
			return l.Hold(subject, amount, at)
		case "change":
			return l.ChangeHold(subject, int(amount)%3, amount, at)
		case "charge":
			return l.Settle(subject, ledger.Spend, "", at)
		case "release":
			return l.Settle(subject, ledger.GiveBack, "failed", at)
		case "count":
			return l.Count(subject, draft, quota, at)
		case "keep":
			return l.Settle(subject, ledger.KeepOnly, ledger.Cached, at)
		case "purge":
			return l.Purge(t0, time.Hour, at), nil
		}
		if amount == 1 { // seldom: little happens afterwards
			return l.Close(at), nil
		}
		return nil, nil
	}
}

// TestOpen_sameAnswers: after any history and horizon, a process that starts from the opening balance decides and refuses every
// command as one that folds all events, a repeated reference and project too; and it does so without the archive.
func TestOpen_sameAnswers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ctx, v := t.Context(), newVault()
		do := func(n int) {
			process := v.process(ledgers.SignedWith(openingKey))
			defer process.Close()
			for range n {
				v.now = v.now.Add(rapid.SampledFrom([]time.Duration{time.Minute, 30 * time.Hour, 400 * time.Hour}).Draw(t, "pause"))
				_, _ = process.Do(ctx, alice, decision(t))
			}
		}
		opened := eventstore.NoStream
		for range rapid.IntRange(1, 3).Draw(t, "rounds") {
			do(rapid.IntRange(0, 25).Draw(t, "commands"))
			before := v.now.Add(-time.Duration(rapid.IntRange(0, 500).Draw(t, "horizon")) * time.Hour)
			var err error
			if opened, err = v.open(ctx, before, rapid.IntRange(1, 4).Draw(t, "least")); err != nil {
				t.Fatal(err)
			}
		}
		do(rapid.IntRange(0, 5).Draw(t, "commands since"))
		var folded, begun *ledger.Ledger
		if err := v.ask(ctx, func(l *ledger.Ledger) { folded = l.Clone() }); err != nil {
			t.Fatal(err)
		}
		v.files.closed = opened >= 0
		if err := v.ask(ctx, func(l *ledger.Ledger) { begun = l.Clone() }, ledgers.SignedWith(openingKey)); err != nil {
			t.Fatalf("with an opening balance through %d and no archive: %v", opened, err)
		}
		for range 20 {
			if !reflect.DeepEqual(folded.State(), begun.State()) {
				t.Fatalf("folded from all events:\n%+v\nfrom the opening balance through %d:\n%+v", folded.State(), opened, begun.State())
			}
			v.now = v.now.Add(time.Minute)
			decide := decision(t)
			want, refused := decide(folded, v.now)
			got, err := decide(begun, v.now)
			if !reflect.DeepEqual(want, got) || fmt.Sprint(refused) != fmt.Sprint(err) {
				t.Fatalf("decided %v, %v; from the opening balance %v, %v", want, refused, got, err)
			}
			for _, event := range want {
				folded.Apply(event)
				begun.Apply(event)
			}
		}
	})
}

// grantMany grants alice credits n times, each with a reference of its own.
func (v *vault) grantMany(t *testing.T, n int) {
	t.Helper()
	for from := 0; from < n; from += 1000 {
		events := []domain.Event{}
		for i := from; i < min(from+1000, n); i++ {
			events = append(events, ledger.CreditsGranted{Reference: fmt.Sprintf("reference-of-a-grant-%06d", i), Amount: 1, At: v.now})
		}
		last, err := v.log.Last(t.Context(), ledgerStream)
		if err == nil {
			_, err = v.log.Append(t.Context(), ledgerStream, last.Revision, eventstore.Meta{Account: alice, Time: v.now}, events...)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestOpen_pages: a ledger with many references has an opening balance of several events, and only the newest one is kept.
func TestOpen_pages(t *testing.T) {
	t.Parallel()
	v := newVault()
	const references = 12_000
	open := func() {
		t.Helper()
		v.now = v.now.Add(time.Hour)
		if _, err := v.open(t.Context(), v.now, 1); err != nil {
			t.Fatal(err)
		}
	}
	v.grantMany(t, references)
	open()
	if _, err := v.log.Append(t.Context(), ledgerStream, references-1, eventstore.Meta{Account: alice, Time: v.now},
		ledger.CreditsGranted{Reference: "more", Amount: 1, At: v.now}); err != nil {
		t.Fatal(err)
	}
	open()
	var kinds []string
	for event, err := range v.store.ReadStream(t.Context(), ledger.OpeningStream(alice), eventstore.Forwards, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if len(event.Data) > 512<<10 {
			t.Errorf("%s has %d bytes", event.Type, len(event.Data))
		}
		kinds = append(kinds, event.Type)
	}
	if len(kinds) < 3 || kinds[len(kinds)-1] != "LedgerOpened" || kinds[0] != "LedgerOpeningPage" || kinds[len(kinds)-2] != "LedgerOpeningPage" {
		t.Errorf("the events %v", kinds)
	}
	v.files.closed = true
	var opened *ledger.Ledger
	if err := v.ask(t.Context(), func(l *ledger.Ledger) { opened = l.Clone() }, ledgers.SignedWith(openingKey)); err != nil {
		t.Fatal(err)
	}
	if got := len(opened.State().Grants); got != references+1 {
		t.Errorf("%d references", got)
	}
	if events, err := opened.Grant("reference-of-a-grant-000007", "", 5, v.now); err != nil || len(events) != 0 {
		t.Errorf("a reference that was granted before: %v, %v", events, err)
	}
}

// TestOpen_unsound: an opening balance that somebody else has signed, that was changed, or whose pages are missing is not used: all
// events are folded. The next one replaces it.
func TestOpen_unsound(t *testing.T) {
	t.Parallel()
	other := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{8}, ed25519.SeedSize))
	unsound := map[string]func(v *vault, o ledger.Opened) error{
		"another key": func(v *vault, o ledger.Opened) error {
			o.State.Granted = 1_000_000
			return v.log.AppendOpening(context.Background(), alice, eventstore.Meta{Time: v.now}, o, other)
		},
		"changed": func(v *vault, o ledger.Opened) error {
			o.State.Granted = 1_000_000
			o.First = 1
			_, err := v.log.Append(context.Background(), ledger.OpeningStream(alice), 0, eventstore.Meta{Time: v.now}, o)
			return err
		},
		"pages missing": func(v *vault, o ledger.Opened) error {
			o.First = -3
			_, err := v.log.Append(context.Background(), ledger.OpeningStream(alice), 0, eventstore.Meta{Time: v.now}, o)
			return err
		},
		"another event": func(v *vault, o ledger.Opened) error {
			o.Event, o.State.Granted = "8f14e45f-ceea-567a-9e2b-3a1c5d6e7f80", 1_000_000
			return v.log.AppendOpening(context.Background(), alice, eventstore.Meta{Time: v.now}, o, openingKey)
		},
	}
	for name, append := range unsound {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVault()
			v.grantMany(t, 20)
			v.now = v.now.Add(time.Hour)
			if through, err := v.open(t.Context(), v.now, 1); err != nil || through != 19 {
				t.Fatalf("opened through %d, %v", through, err)
			}
			sound, found, err := v.log.NewestOpening(t.Context(), alice)
			if err != nil || !found {
				t.Fatal(found, err)
			}
			if err := append(v, sound.Opened); err != nil {
				t.Fatal(err)
			}
			for _, closed := range []bool{false, true} {
				var got int64
				err := v.ask(t.Context(), func(l *ledger.Ledger) { got = l.Totals().Granted }, ledgers.SignedWith(openingKey))
				if got != 20 {
					t.Errorf("%d credits are granted", got)
				}
				if err != nil {
					t.Fatal(err)
				}
				if closed {
					break
				}
				if through, err := v.open(t.Context(), v.now, 1); err != nil || through != 19 {
					t.Errorf("opened again through %d, %v", through, err)
				}
				v.files.closed = true
			}
		})
	}
}
