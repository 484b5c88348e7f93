package background

import "moviola/handlers/background/processors"

// accountWork wires the work on accounts: unfinished openings, purges after a balance of zero, closings.
func (s *Background) accountWork() processors.Accounts {
	do, files := s.Do, s.Stores.Files
	return processors.Accounts{
		CompleteOpening: do.CompleteOpening,
		Purger:          do.PurgeAccount,
		Closer:          do.CloseAccount,
		Cleaners: []processors.Cleaner{
			processors.RenderedFiles{Kept: s.Models.Work, Purge: do.PurgeFile, Files: files},
			processors.SavedTemplates{Saved: s.Models.Templates, Delete: do.DeleteTemplate, Sweep: do.SweepTemplate},
			processors.IssuedKeys{Issued: s.Models.Keys, Revoke: do.RevokeKey},
			processors.SavedConnections{Saved: s.Models.Connections, Delete: do.DeleteConnection},
			processors.StoredMedia{Library: s.Models.Library, Remove: do.DeleteMedia, Files: files},
		},
	}
}
