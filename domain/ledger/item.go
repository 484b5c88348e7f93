package ledger

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"moviola/domain"
)

// itemMark stands between a preload batch and the number of one of its items. No project id has it.
const itemMark = "/"

// Item is what credits for one item of a preload batch are booked under, in the place of a project: <preload id>/<number>.
// Number is the item's place in the batch, from 0. Decision 38.
func Item(preload domain.PreloadID, number int) domain.ProjectID {
	return domain.ProjectID(string(preload) + itemMark + strconv.Itoa(number))
}

// ParseItem returns the batch and the number behind what credits are booked under: false when that is a movie.
func ParseItem(subject domain.ProjectID) (preload domain.PreloadID, number int, ok bool) {
	id, digits, ok := strings.Cut(string(subject), itemMark)
	if !ok {
		return "", 0, false
	}
	number, err := strconv.Atoi(digits)
	return domain.PreloadID(id), number, err == nil && number >= 0 && strconv.Itoa(number) == digits
}

// ItemAmount is what one item of a batch costs when it is generated, in credits.
type ItemAmount struct {
	Number int
	Amount int64 // 0: nothing is held for it
}

// HoldItems sets an amount aside for each item of a preload batch that costs something, all or none. More than is available is
// refused with 402 (spec: POST /preloads; decision 38); suspension is not asked for, for it refuses movies only (decision 16).
// Items whose hold is open are passed over, so that it may be repeated; one whose hold has ended is ErrHoldEnded.
func (l *Ledger) HoldItems(preload domain.PreloadID, items []ItemAmount, now time.Time) ([]domain.Event, error) {
	var events []domain.Event
	var sum int64
	for _, item := range items {
		subject := Item(preload, item.Number)
		_, open := l.open[subject]
		_, ended := l.ended[subject]
		_, counted := l.counts.open[subject]
		switch {
		case item.Amount < 0 || item.Amount > maxGrant:
			return nil, fmt.Errorf("hold %d credits for %s: from 0 to %d", item.Amount, subject, maxGrant)
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
