package background

import (
	"moviola/handlers/background/processors"

	"moviola/handlers/background/clearing"
)

// accountWork wires the work on accounts: unfinished openings, purges after a balance of zero, closings.
func (s *Background) accountWork() processors.Accounts {
	do, files := s.Do, s.Stores.Files
	return processors.Accounts{
		CompleteOpening: do.CompleteOpening,
		Purger:          do.PurgeAccount,
		Closer:          do.CloseAccount,
		Cleaners: []processors.Cleaner{
			clearing.RenderedFiles{Kept: s.Models.Work, Purge: do.PurgeFile, Files: files},
			clearing.SavedTemplates{Saved: s.Models.Templates, Delete: do.DeleteTemplate, Sweep: do.SweepTemplate},
			clearing.IssuedKeys{Issued: s.Models.Keys, Revoke: do.RevokeKey},
			clearing.SavedConnections{Saved: s.Models.Connections, Delete: do.DeleteConnection},
			clearing.StoredMedia{Library: s.Models.Library, Remove: do.DeleteMedia, Files: files},
		},
	}
}
