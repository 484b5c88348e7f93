package config

import (
	"github.com/spf13/pflag"

	"moviola/adapters/disk"
)

// Rooms are the bounds of what accounts store, per account and for all accounts together. 0: no bound.
type Rooms struct {
	AccountStorage, TotalStorage disk.Size // bounds of files that accounts store
	AccountRenders, TotalRenders disk.Size // bounds of rendered files
	AccountSources, TotalSources disk.Size // bounds of downloads on this host
	AccountCache, TotalCache     disk.Size // bounds of each cache on this host: rendered parts, speech, generated images

	// Bounds of numbers of files: stored files, rendered files, downloads, and the files of each cache.
	AccountFiles, TotalFiles, AccountRenderFiles, TotalRenderFiles, AccountSourceFiles, TotalSourceFiles,
	AccountCacheFiles, TotalCacheFiles int64
}

// bind adds the flags for these bounds and sets the defaults of the flags.
func (r *Rooms) bind(f *pflag.FlagSet) {
	for _, size := range []struct {
		to             *disk.Size
		fallback       disk.Size
		name, explains string
	}{
		{&r.AccountStorage, 100 << 30, "account-storage", "what one account may store: media library, uploads, documents, " +
			"templates and prepared assets; off, or as 500MB, 20GB"},
		{&r.TotalStorage, 0, "total-storage", "what all accounts together may store; off, or as 500GB or 2TB"},
		{&r.AccountRenders, 1 << 40, "account-renders", "what the rendered files of one account may take; off, or as 500GB, 2TB"},
		{&r.TotalRenders, 0, "total-renders", "what the rendered files of all accounts together may take; off, or as 20TB"},
		{&r.AccountSources, 20 << 30, "account-sources", "downloaded sources that are kept on this host for one account: 2GB " +
			"at least; off, or as 20GB"},
		{&r.TotalSources, 50 << 30, "total-sources", "downloaded sources that are kept on this host for all accounts: 2GB at " +
			"least; off, or as 50GB"},
		{&r.AccountCache, 10 << 30, "account-cache", "what is kept on this host for one account of rendered parts, of speech " +
			"and of generated images, each; off, or as 10GB"},
		{&r.TotalCache, 20 << 30, "total-cache", "what is kept of each of them for all accounts; off, or as 20GB"},
	} {
		*size.to = size.fallback
		f.Var(size.to, size.name, size.explains)
	}
	for _, files := range []struct {
		to             *int64
		fallback       int64
		name, explains string
	}{
		{&r.AccountFiles, 1_000_000, "account-files", "how many files --account-storage may be; 0: no bound"},
		{&r.TotalFiles, 0, "total-files", "how many files --total-storage may be; 0: no bound"},
		{&r.AccountRenderFiles, 3_000_000, "account-render-files", "how many files --account-renders may be; 0: no bound"},
		{&r.TotalRenderFiles, 0, "total-render-files", "how many files --total-renders may be; 0: no bound"},
		{&r.AccountSourceFiles, 100_000, "account-source-files", "how many files --account-sources may be: 1000 at least; 0: no bound"},
		{&r.TotalSourceFiles, 250_000, "total-source-files", "how many files --total-sources may be: 1000 at least; 0: no bound"},
		{&r.AccountCacheFiles, 100_000, "account-cache-files", "how many files --account-cache may be; 0: no bound"},
		{&r.TotalCacheFiles, 250_000, "total-cache-files", "how many files --total-cache may be; 0: no bound"},
	} {
		f.Int64Var(files.to, files.name, files.fallback, files.explains)
	}
}

// leastSources is the smallest permitted value of the bounds on sources, because a single source may have this size.
// leastSourceFiles is the smallest permitted number of files: enough for a few movies at a time.
const (
	leastSources     = 2 << 30
	leastSourceFiles = 1000
)

// check reports bounds on sources that are too small, and negative numbers of files.
func (r Rooms) check(complain complaint) {
	for flag, size := range map[string]disk.Size{"--account-sources": r.AccountSources, "--total-sources": r.TotalSources} {
		if size != 0 && size < leastSources {
			complain("%s %s: give 2GB at least, for a source may be as large, or off", flag, size.String())
		}
	}
	for flag, files := range map[string]int64{"--account-source-files": r.AccountSourceFiles,
		"--total-source-files": r.TotalSourceFiles} {
		if files != 0 && files < leastSourceFiles {
			complain("%s %d: give %d at least, or 0 for no bound", flag, files, leastSourceFiles)
		}
	}
	for flag, files := range map[string]int64{
		"--account-files": r.AccountFiles, "--total-files": r.TotalFiles, "--account-render-files": r.AccountRenderFiles,
		"--total-render-files": r.TotalRenderFiles, "--account-cache-files": r.AccountCacheFiles,
		"--total-cache-files": r.TotalCacheFiles,
	} {
		if files < 0 {
			complain("%s %d: give a number of files, or 0 for no bound", flag, files)
		}
	}
}
