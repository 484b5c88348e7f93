package mailing_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/mailing"
)

var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// TestDay_Count: decision 55.
func TestDay_Count(t *testing.T) {
	t.Parallel()
	counted := func(mail string, recipients int) domain.Event {
		return mailing.RecipientsCounted{Mail: mail, Recipients: recipients, At: noon}
	}
	tests := []struct {
		name    string
		given   []domain.Event
		mail    string
		count   int
		want    []domain.Event
		refused bool
	}{
		{name: "the first", mail: "a", count: 10, want: []domain.Event{counted("a", 10)}},
		{name: "up to the bound", given: []domain.Event{counted("a", 10)}, mail: "b", count: 2, want: []domain.Event{counted("b", 2)}},
		{name: "beyond it", given: []domain.Event{counted("a", 10)}, mail: "b", count: 3, refused: true},
		{name: "a smaller one after that", given: []domain.Event{counted("a", 10), counted("b", 1)}, mail: "c", count: 1, want: []domain.Event{counted("c", 1)}},
		{name: "tried again", given: []domain.Event{counted("a", 10)}, mail: "a", count: 10},
		{name: "tried again when nothing is left", given: []domain.Event{counted("a", 10), counted("b", 2)}, mail: "a", count: 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var d mailing.Day
			for _, event := range tt.given {
				d.Apply(event)
			}
			got, err := d.Count(tt.mail, tt.count, 12, noon)
			var refusal *domain.Error
			if tt.refused != errors.As(err, &refusal) || !tt.refused && err != nil {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// TestStream: a day is one of UTC.
func TestStream(t *testing.T) {
	t.Parallel()
	late := time.Date(2026, 11, 25, 23, 30, 0, 0, time.FixedZone("west", -3600))
	if got := mailing.Stream("acct", late); got != "mailing-acct.20261126" {
		t.Error(got)
	}
}
