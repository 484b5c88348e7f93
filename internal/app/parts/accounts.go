package parts

import (
	"crypto/rand"
	"time"

	"moviola/commands"
	"moviola/commands/accounts"
	"moviola/commands/deliveries"
)

// Standings tell what accounts may do.
func (s *Parts) Standings() *commands.Standings {
	return commands.NewStandings(s.Stores.Log, s.Ledgers, s.Plans, time.Now)
}

// Emails counts the recipients of e-mails, within what plans allow.
func (s *Parts) Emails() deliveries.CountRecipientsHandler {
	return deliveries.NewCountRecipientsHandler(s.Stores.Log, s.Plans, time.Now)
}

// Opener opens accounts.
func (s *Parts) Opener() accounts.OpenAccountHandler {
	return accounts.NewOpenAccountHandler(accounts.OpenAccountConfig{
		Log: s.Stores.Log, Complete: s.Completer(), Plans: s.Plans, Random: rand.Reader, Now: time.Now,
	})
}

// Completer finishes openings.
func (s *Parts) Completer() accounts.CompleteOpeningHandler {
	return accounts.NewCompleteOpeningHandler(accounts.CompleteOpeningConfig{
		Log: s.Stores.Log, Ledgers: s.Ledgers, FirstKeys: s.FirstKeys, Now: time.Now,
	})
}
