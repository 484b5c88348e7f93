package rest

import (
	"time"

	"moviola/domain"
	"moviola/handlers/web"
)

// cursor is a place in a list and the list it is a place in. Decision 14.
type cursor struct {
	Account domain.AccountID `json:"a"`
	From    time.Time        `json:"f"`
	To      time.Time        `json:"t"`
	Limit   int              `json:"l"`
	// The movie that the page before ended with: lists are in the order of creation time, then project.
	CreatedAt time.Time        `json:"c"`
	Project   domain.ProjectID `json:"p"`
}

// readCursor reads a cursor that was handed out to the same account. Every other text is refused alike.
func (a *API) readCursor(text string, account domain.AccountID) (cursor, error) {
	var at cursor
	if err := a.cursors.Decode(text, &at); err != nil {
		return cursor{}, err
	}
	if at.Account != account {
		return cursor{}, web.ErrCursor
	}
	return at, nil
}
