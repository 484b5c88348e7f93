package backups

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/spf13/cobra"

	"moviola/adapters/blobs"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/eventstore/embedded/logfile"
	"moviola/eventstore/eventstoredb"
	"moviola/internal/accountkeys"
	"moviola/internal/backup"
	"moviola/internal/cli/eventstores"
	"moviola/internal/config"
	"moviola/internal/secret"
	"moviola/internal/stores"
)

// bringingBack holds the flags of `moviola restore`.
type bringingBack struct {
	from, id, data, eventStore, blobs, blobsKey, level string

	keysFile, mongo    string
	lost, outdatedKeys bool
	saved              accountkeys.Saved // the encryption keys of accounts, read by openKeys
	left               int               // number of documents and files that were left out, because their accounts are erased
	archiveFlags
}

// RestoreCommand is `moviola restore`.
func RestoreCommand() *cobra.Command {
	var r bringingBack
	cmd := &cobra.Command{
		Use:   "restore",
		Short: "Bring an installation back from a backup, into a new data folder",
		Long: "Bring an installation back from a backup, into a data folder that is empty or not there yet. Everything is " +
			"verified, and stands\n" +
			"there whole or not at all. The read models are made by the first start of the service. Run `moviola audit` then.\n" +
			"docs/backup.md tells the steps.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return r.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.from, "from", "",
		"where the backups lie: a folder, or s3://bucket?region=…&prefix=backups/, gs://… or azblob://…")
	r.bindKeyFile(f)
	f.StringVar(&r.id, "backup", "", "which of them (default: the newest)")
	f.StringVar(&r.data, "data", "", "the new data folder, empty or not there yet")
	f.StringVar(&r.eventStore, "eventstore", "", "empty event store to bring the log into, esdb://… or unix://… (default: "+
		"the data folder)")
	config.BindBlobs(f, &r.blobs, &r.blobsKey, "where the files are, s3://bucket?…, gs://… or azblob://… (default: the data folder)")
	config.BindBlobsKeyFile(f)
	f.StringVar(&r.keysFile, "account-keys", "", "file of moviola accounts keys backup, for an installation that encrypts the data "+
		"of accounts")
	f.StringVar(&r.mongo, "mongo", "",
		"MongoDB that is to hold the keys of accounts, mongodb://…/database (default: the data folder)")
	f.BoolVar(&r.outdatedKeys, "outdated-account-keys", false,
		"take --account-keys also if it is older than the backup; accounts that were erased in between come back")
	f.BoolVar(&r.lost, "erase-accounts-without-key", false,
		"treat accounts whose keys are lost as erased: nothing can be read that is encrypted under them")
	f.StringToStringVar(&r.parts, "part", nil, "where a part lies that was kept apart, such as secrets=/other/folder")
	f.StringVar(&r.passphraseFile, "passphrase-file", "", "file with the passphrase of the archive")
	f.StringVar(&r.identityFile, "identity", "", "identity file of age, of one of the recipients of the archive")
	f.StringVar(&r.level, "log-level", "warn", "trace, debug, info, warn or error")
	return cmd
}

// run restores a backup and prints the next steps.
func (r *bringingBack) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	logger, err := config.NewLog(stderr, r.level, "text")
	if err != nil {
		return err
	}
	if r.from == "" || r.data == "" {
		return errors.New("say with --from where the backup lies, and with --data which folder to make")
	}
	if err := emptyFolder(r.data); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	r.key = r.blobsKey
	place, err := r.config(ctx, r.from)
	if err != nil {
		return err
	}
	archive, err := backup.Open(ctx, place)
	if err != nil {
		return fmt.Errorf("open %s: %w", r.from, err)
	}
	s, err := archive.Snapshot(ctx, r.id)
	if err != nil {
		return fmt.Errorf("open %s: %w", r.from, err)
	}
	if len(s.Manifest.Elsewhere) > 0 && r.blobs == "" {
		return errors.New("the files of this installation are in a bucket: say with --blobs where they are")
	}
	if err := r.openKeys(s.Manifest, place); err != nil {
		return err
	}
	work := filepath.Join(r.data, stores.Restoring)
	if err := os.MkdirAll(work, 0o700); err != nil {
		return err
	}
	if err := r.restore(ctx, s, work, logger); err != nil {
		return errors.Join(fmt.Errorf("restore backup %s: %w", s.Manifest.ID, err), os.RemoveAll(work))
	}
	if err := moveUp(work, r.data); err != nil {
		return fmt.Errorf("restore backup %s: %w", s.Manifest.ID, err)
	}
	return r.report(stdout, s.Manifest)
}

// emptyFolder refuses a folder with content. It removes what an interrupted restore has left.
func emptyFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) == 1 && entries[0].Name() == stores.Restoring:
		return os.RemoveAll(filepath.Join(dir, stores.Restoring))
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty (there is %s): nothing is restored over what is there", dir, entries[0].Name())
	}
	return nil
}

// restore restores all parts into a folder.
func (r *bringingBack) restore(ctx context.Context, s *backup.Snapshot, work string, logger *logrus.Logger) error {
	if err := r.restoreFiles(ctx, s, work); err != nil {
		return err
	}
	for part, mayHold := range map[string]func(string) bool{
		backup.Secrets: func(name string) bool {
			return slices.Contains([]string{secret.File, secret.CredentialsFile, secret.FormerCredentialsFile}, name)
		},
		backup.Settings: func(name string) bool { return name == plansFile || filepath.Dir(name) == config.FlagFolder },
	} {
		err := s.Walk(ctx, part, func(item backup.Item, content io.Reader) error {
			if !mayHold(item.Name) {
				return errors.New("no backup holds this")
			}
			return writeNew(filepath.Join(work, filepath.FromSlash(item.Name)), content)
		})
		if err != nil {
			return err
		}
	}
	if err := r.noteStores(work); err != nil {
		return err
	}
	if err := r.restoreKeys(ctx, work); err != nil {
		return err
	}
	return r.restoreLog(ctx, s, filepath.Join(work, "events"), logger)
}

// noteStores changes what the processes of the service had noted about their stores to where the restore puts them.
func (r *bringingBack) noteStores(work string) error {
	noted, err := config.Noted(work)
	if err != nil {
		return err
	}
	changed := map[string]string{"blobs": r.blobs}
	if r.eventStore != "" || config.LogElsewhere(noted, r.data) != "" {
		changed["eventstore"] = r.eventStore
	}
	if r.mongo != "" || r.keysFile != "" {
		changed["mongo"] = r.mongo
	}
	return config.Renote(work, changed)
}

// assemble writes the log from its pieces.
func assemble(ctx context.Context, s *backup.Snapshot, dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	log, err := logfile.Assemble(dir)
	if err != nil {
		return err
	}
	err = s.Walk(ctx, backup.Log, func(item backup.Item, content io.Reader) error { return log.Add(item.Name, content) })
	return errors.Join(err, log.Close())
}

// restoreLog writes and verifies the log, and copies it into another event store if one is named.
func (r *bringingBack) restoreLog(ctx context.Context, s *backup.Snapshot, dir string, logger *logrus.Logger) error {
	if err := assemble(ctx, s, dir); err != nil {
		return err
	}
	report, err := logfile.Verify(ctx, dir)
	if err != nil {
		return err
	}
	if len(report.Problems) > 0 {
		return fmt.Errorf("the log is not sound: %s", report.Problems[0])
	}
	if report.Events != s.Manifest.Events || report.Last != s.Manifest.Position {
		return fmt.Errorf("the log has %d events up to position %d; the backup says %d up to %d",
			report.Events, report.Last, s.Manifest.Events, s.Manifest.Position)
	}
	if r.eventStore == "" {
		return nil
	}
	files := stores.NewHistoryFiles(filepath.Dir(dir), r.blobs, r.blobsKey)
	err = eventstores.WithLogAt(ctx, dir, logger, func(source eventstoredb.Config, open eventstores.OpenStore) error {
		return eventstores.CopyLog(ctx, io.Discard, source, stores.EventStoreAt(r.eventStore), files, open)
	})
	return errors.Join(err, os.RemoveAll(dir))
}

// restoreFiles restores documents and files. It writes them into a folder or into the bucket that is named, where they
// replace files of the same names. Documents and files of erased accounts are left out. Files that the backup only lists
// must be in the bucket already, unless their account was erased.
func (r *bringingBack) restoreFiles(ctx context.Context, s *backup.Snapshot, work string) (err error) {
	where := r.blobs
	if where == "" {
		where = filepath.Join(work, "files")
	}
	files, err := blobs.OpenWithKey(ctx, where, r.blobsKey, blobkey.DocumentPrefixes()...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	for _, part := range []string{backup.Documents, backup.Files} {
		err := s.Walk(ctx, part, func(item backup.Item, content io.Reader) error {
			content, err := r.opened(item, content)
			if err != nil || content == nil {
				return err
			}
			if err := files.Put(ctx, item.Name, content); err != nil || r.blobs != "" || part == backup.Documents {
				return err
			}
			path := filepath.Join(where, filepath.FromSlash(item.Name))
			// The file keeps its time, because retention counts from the original time.
			return os.Chtimes(path, item.Written, item.Written)
		})
		if err != nil {
			return err
		}
	}
	return lost(ctx, files, s.Manifest.Elsewhere, r.saved.Erased)
}

// lost returns an error when files are no longer where the backup left them, and names one of these files. Files of erased
// accounts may be missing.
func lost(
	ctx context.Context, files *blobs.Bucket, elsewhere []backup.Elsewhere, erased map[domain.AccountID]time.Time,
) error {
	if len(elsewhere) == 0 {
		return nil
	}
	there := map[string]bool{}
	err := files.Walk(ctx, "", func(key string, _ time.Time) error {
		there[key] = true
		return nil
	})
	if err != nil {
		return err
	}
	var missing []string
	for _, one := range elsewhere {
		if _, gone := erased[one.Account]; !gone && !there[one.Name] {
			missing = append(missing, one.Name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("%d of the %d files that the backup lists are not there, %s among them", len(missing), len(elsewhere),
		missing[0])
}

// writeNew creates a file that only its owner may read.
func writeNew(path string, content io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Sync(), file.Close())
}

// moveUp moves the content of a folder into its parent. The log is moved last: without a log there is no installation.
func moveUp(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	slices.SortStableFunc(entries, func(a, b os.DirEntry) int {
		order := map[string]int{"events": 1}
		return order[a.Name()] - order[b.Name()]
	})
	for _, entry := range entries {
		if err := os.Rename(filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())); err != nil {
			return err
		}
	}
	return os.Remove(from)
}

// report prints what was restored, and how to start the restored service.
func (r *bringingBack) report(w io.Writer, m backup.Manifest) error {
	text := fmt.Sprintf("backup %s was restored into %s: %d events, %d documents, %d files\n",
		m.ID, r.data, m.Events, len(m.Parts[backup.Documents]), len(m.Parts[backup.Files]))
	if r.left > 0 {
		text += fmt.Sprintf("%d of these documents and files were left out: the keys of their accounts are destroyed or lost, so "+
			"nobody can read them\n", r.left)
	}
	if len(m.Environment) > 0 {
		text += "Set these variables, which are not in the backup: " + strings.Join(m.Environment, ", ") + "\n"
	}
	replaced := map[string]string{"data": r.data}
	if _, err := os.Stat(filepath.Join(r.data, plansFile)); err == nil {
		replaced["plans"] = filepath.Join(r.data, plansFile)
	}
	for flag, value := range map[string]string{"eventstore": r.eventStore, "blobs": r.blobs, "mongo": r.mongo} {
		if value != "" {
			replaced[flag] = config.WithoutSecret(flag, value)
		}
	}
	noted, err := config.Noted(r.data)
	if err != nil {
		return err
	}
	if len(noted) == 0 {
		noted[""] = config.Settings{}
	}
	text += "Start it with\n"
	names := make([]string, 0, len(noted))
	for name := range noted {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		text += "    " + noted[name].CommandLine(replaced) + "\n"
	}
	_, err = io.WriteString(w, text)
	return err
}
