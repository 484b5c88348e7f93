package background

import (
	"time"

	"moviola/commands"
	"moviola/commands/accounts"
	"moviola/commands/connections"
	"moviola/commands/templates"
	"moviola/handlers/background/processors"
)

// accountWork wires what becomes of accounts: openings that were cut short, balances at zero for too long, closings.
func (s *Background) accountWork() processors.Accounts {
	log, files, now := s.Stores.Log, s.Stores.Files, time.Now
	return processors.Accounts{
		CompleteOpening: s.Completer(),
		Purger: accounts.NewPurgeAccountHandler(accounts.PurgeAccountConfig{
			Log: log, Ledgers: s.Ledgers, Plans: s.Plans, Now: now, After: s.Config.ZeroRetention, Again: s.Config.ClearAgain,
		}),
		Closer: accounts.NewCloseAccountHandler(log, s.Ledgers, now),
		Cleaners: []processors.Cleaner{
			processors.RenderedFiles{Kept: s.Models.Work, Purge: commands.NewPurgeFileHandler(log, files, now), Files: files},
			processors.SavedTemplates{
				Saved: s.Models.Templates, Delete: templates.NewDeleteTemplateHandler(s.TemplateConfig()), Sweep: s.Sweeper(),
			},
			processors.IssuedKeys{Issued: s.Models.Keys, Revoke: accounts.NewRevokeKeyHandler(log, now)},
			processors.SavedConnections{Saved: s.Models.Connections, Delete: connections.NewDeleteConnectionHandler(log, now)},
			processors.StoredMedia{Library: s.Models.Library, Remove: s.Media.Remove, Files: files},
		},
	}
}
