package ledger

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"moviola/domain"
)

// itemMark separates the id of a preload batch from the number of an item. No project id contains it.
const itemMark = "/"

// Item returns the id under which credits for one item of a preload batch are held, in place of a project id: <preload
// id>/<number>. Number is the item's index in the batch, from 0. Decision 38.
func Item(preload domain.PreloadID, number int) domain.ProjectID {
	return domain.ProjectID(string(preload) + itemMark + strconv.Itoa(number))
}

// ParseItem returns the batch and the index from an id that Item has made. It returns false when the id is that of a
// project.
func ParseItem(subject domain.ProjectID) (preload domain.PreloadID, number int, ok bool) {
	id, digits, ok := strings.Cut(string(subject), itemMark)
	if !ok {
		return "", 0, false
	}
	number, err := strconv.Atoi(digits)
	return domain.PreloadID(id), number, err == nil && number >= 0 && strconv.Itoa(number) == digits
}

// ItemAmount is the price of generating one item of a preload batch, in credits.
type ItemAmount struct {
	Number int
	Amount int64 // price in credits; 0: no credits are held
}

// HoldItems holds credits for each item of a preload batch that costs something, for all such items or for none. A sum of
// more credits than are available is refused with 402 (spec: POST /preloads; decision 38). Suspension itself is no reason
// for a refusal (decision 16). Items whose hold is open are skipped, so HoldItems may be repeated. An item whose hold has
// ended is the error ErrHoldEnded.
func (l *Ledger) HoldItems(preload domain.PreloadID, items []ItemAmount, now time.Time) ([]domain.Event, error) {
	var events []domain.Event
	var sum int64
	for _, item := range items {
		subject := Item(preload, item.Number)
		_, open := l.open[subject]
		_, ended := l.ended[subject]
		_, counted := l.counts.open[subject]
		switch {
		case item.Amount < 0 || item.Amount > MaxGrant:
			return nil, fmt.Errorf("hold %d credits for %s: from 0 to %d", item.Amount, subject, MaxGrant)
		case ended:
			return nil, fmt.Errorf("hold credits for %s: %w", subject, ErrHoldEnded)
		case counted:
			return nil, fmt.Errorf("hold credits for %s: %w", subject, ErrOtherwise)
		case open || item.Amount == 0:
			continue
		}
		sum += item.Amount
		events = append(events, CreditsHeld{Project: subject, Amount: item.Amount, At: now})
	}
	switch {
	case len(events) == 0:
		return nil, nil
	case l.closed:
		return nil, errClosed()
	case sum > l.Totals().Available:
		return nil, domain.Errorf(domain.PaymentRequired, "insufficient_asset_credits",
			"Insufficient credits to generate the AI assets of this batch: %d are needed, %d are available", sum, l.Totals().Available)
	}
	return events, nil
}
