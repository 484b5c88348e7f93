package parts

import (
	"time"

	"moviola/commands"
)

// Standings returns the reader of what accounts may do.
func (s *Parts) Standings() *commands.Standings {
	return commands.NewStandings(s.Stores.Log, s.Ledgers, s.Plans, time.Now)
}
