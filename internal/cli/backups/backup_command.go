package backups

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"moviola/adapters/archive"
	"moviola/adapters/blobs"
	"moviola/domain/blobkey"
	"moviola/eventstore/embedded/logfile"
	"moviola/internal/backup"
	"moviola/internal/cli/eventstores"
	"moviola/internal/config"
	"moviola/internal/secret"
)

// archiveFlags are the flags for the location and the encryption of an archive.
type archiveFlags struct {
	parts          map[string]string
	passphraseFile string
	recipients     []string
	identityFile   string
	keyFile        string // file with the credential for buckets at gs:// and azblob://

	key  string // credential for the buckets; config reads it from keyFile if that is set
	open []*blobs.Bucket
}

// config reads the places, passphrase and keys that the flags name.
func (f *archiveFlags) config(ctx context.Context, where string) (cfg backup.Config, err error) {
	if f.keyFile != "" {
		if f.key, err = config.ReadSecretFile(f.keyFile); err != nil {
			return cfg, fmt.Errorf("--"+archiveKeyFile+": %w", err)
		}
	}
	if cfg.Place, err = f.place(ctx, where); err != nil {
		return cfg, err
	}
	cfg.Recipients, cfg.Apart = f.recipients, map[string]backup.Place{}
	for part, where := range f.parts {
		if !slices.Contains(backup.Parts(), part) {
			return cfg, fmt.Errorf("--part %s: the parts are %s", part, strings.Join(backup.Parts(), ", "))
		}
		if cfg.Apart[part], err = f.place(ctx, where); err != nil {
			return cfg, fmt.Errorf("--part %s: %w", part, err)
		}
	}
	keys, err := f.readKeys()
	cfg.Passphrase, cfg.Identities = keys.Passphrase, keys.Identities
	return cfg, err
}

// readKeys sets the recipients from their flag, and reads the passphrase and the identities from the files that flags name.
func (f *archiveFlags) readKeys() (cfg backup.Config, err error) {
	cfg.Recipients = f.recipients
	if f.passphraseFile != "" {
		text, err := os.ReadFile(f.passphraseFile)
		if err != nil {
			return cfg, fmt.Errorf("--passphrase-file: %w", err)
		}
		if cfg.Passphrase = strings.TrimRight(string(text), "\r\n"); cfg.Passphrase == "" {
			return cfg, fmt.Errorf("--passphrase-file: %s is empty", f.passphraseFile)
		}
	}
	if f.identityFile != "" {
		text, err := os.ReadFile(f.identityFile)
		if err != nil {
			return cfg, fmt.Errorf("--identity: %w", err)
		}
		cfg.Identities = string(text)
	}
	return cfg, nil
}

// bucketExample is an address of a place for backups.
const bucketExample = "a bucket such as s3://bucket?region=eu-central-1&prefix=backups/, gs://… or azblob://…"

// nearBucket matches what begins like the address of a bucket. An address without :// is mistyped, and would be taken for a
// folder.
var nearBucket = regexp.MustCompile(`^(s3|gs|azblob):`)

// place opens a folder or a bucket.
func (f *archiveFlags) place(ctx context.Context, where string) (backup.Place, error) {
	scheme, rest, isURL := strings.Cut(where, "://")
	switch {
	case !isURL && (nearBucket.MatchString(where) || where == ""):
		return nil, fmt.Errorf("%q: give a folder, or %s", where, bucketExample)
	case !isURL:
		return archive.NewFolder(where)
	case !nearBucket.MatchString(where) || rest == "" || strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "?"):
		return nil, fmt.Errorf("%s://…: give a folder, or %s", scheme, bucketExample)
	}
	key := f.key
	if scheme == "s3" {
		key = ""
	} else if key == "" {
		return nil, fmt.Errorf("%s://…: a key is missing: give the file that holds it with --%s", scheme, archiveKeyFile)
	}
	bucket, err := blobs.OpenWithKey(ctx, where, key)
	if err != nil {
		return nil, err
	}
	f.open = append(f.open, bucket)
	return bucketPlace{bucket}, nil
}

// archiveKeyFile is the flag for the file with the credential that opens the archive's buckets, not with an encryption key.
const archiveKeyFile = "archive-key-file"

// bindKeyFile declares the flag --archive-key-file.
func (f *archiveFlags) bindKeyFile(flags *pflag.FlagSet) {
	flags.StringVar(&f.keyFile, archiveKeyFile, "",
		"file with the key of the bucket, for gs:// and azblob:// (default: that of --blobs)")
}

// close closes the buckets that the method place has opened (f.open).
func (f *archiveFlags) close() error {
	var errs []error
	for _, bucket := range f.open {
		errs = append(errs, bucket.Close())
	}
	return errors.Join(errs...)
}

// backingUp holds the flags of `moviola backup`.
type backingUp struct {
	cfg config.Config
	to  string
	archiveFlags
}

// BackupCommand is `moviola backup`.
func BackupCommand() *cobra.Command {
	var b backingUp
	cmd := &cobra.Command{
		Use:   "backup",
		Short: "Save the whole installation, also while it runs",
		Long: "Save the whole installation, while it runs or when it is stopped: the event log, documents, files, secrets, " +
			"plans and flags.\n" +
			"Where an earlier backup lies, only what is new is written. Everything is read back before the backup counts. Give the\n" +
			"flags and variables that the service has. The archive holds the secret of the installation; docs/backup.md says how to\n" +
			"keep that apart, how to encrypt, and how to restore.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b.cfg.Given = config.Given(cmd.Flags())
			for _, own := range []string{"to", "part", "passphrase-file", "recipient", archiveKeyFile} {
				delete(b.cfg.Given, own)
			}
			if err := b.cfg.Validate(); err != nil {
				return err
			}
			return b.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	b.cfg.Bind(f)
	f.StringVar(&b.to, "to", "", "where backups lie: a folder, or s3://bucket?region=…&prefix=backups/, gs://… or azblob://…")
	b.bindKeyFile(f)
	f.StringToStringVar(&b.parts, "part", nil,
		"keep a part elsewhere, such as secrets=/other/folder; parts: "+strings.Join(backup.Parts(), ", "))
	f.StringVar(&b.passphraseFile, "passphrase-file", "", "encrypt with the passphrase in this file")
	f.StringSliceVar(&b.recipients, "recipient", nil, "encrypt to this recipient of age, age1…; may be repeated")
	cmd.AddCommand(verifyCommand())
	return cmd
}

// run makes one backup and prints a summary.
func (b *backingUp) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	logger, err := config.NewLog(stderr, b.cfg.LogLevel, b.cfg.LogFormat)
	if err != nil {
		return err
	}
	if b.to == "" {
		return errors.New("--to is missing: say where the backup is to lie, a folder or a bucket")
	}
	noted, err := b.check()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	b.key = b.cfg.BlobsKey
	place, err := b.config(ctx, b.to)
	if err != nil {
		return err
	}
	target, err := backup.Create(ctx, place)
	if err != nil {
		return fmt.Errorf("open %s: %w", b.to, err)
	}
	w, err := target.Begin(ctx, time.Now(), config.Version)
	if err != nil {
		return err
	}
	if err := b.save(ctx, w, noted, logger); err != nil {
		return fmt.Errorf("back up %s: %w", b.cfg.Data, err)
	}
	done, err := w.Finish(ctx)
	if err != nil {
		return err
	}
	return b.report(stdout, done, w.Manifest)
}

// check returns the settings that the processes of the service have noted in the data folder. It returns an error when the
// backup would be incomplete: when the data folder is missing, or when the service was started with --blobs or --eventstore,
// or encrypts and was started with --mongo, but this command was not. If --plans was not given, check sets it to the value
// that the service has noted.
func (b *backingUp) check() (map[string]config.Settings, error) {
	if _, err := os.Stat(b.cfg.Data); err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	noted, err := config.Noted(b.cfg.Data)
	if err != nil {
		return nil, err
	}
	err = errors.Join(config.RequireSame(noted, "blobs", b.cfg.Blobs), config.RequireLog(noted, b.cfg.Data, b.cfg.EventStore))
	if b.encrypts(noted) {
		err = errors.Join(err, config.RequireSame(noted, "mongo", b.cfg.Mongo))
	}
	if err != nil {
		return nil, err
	}
	for _, one := range noted {
		if b.cfg.Plans == "" {
			b.cfg.Plans = one.Flags["plans"]
		}
	}
	return noted, nil
}

// save adds the log, documents, files, secrets and settings to the backup. It copies the log first, as the log is at one
// moment, and the files after that. Every file is stored before the log names it, so each file that the copied log names
// is there to be copied, unless it was deleted meanwhile.
func (b *backingUp) save(
	ctx context.Context, w *backup.Writer, noted map[string]config.Settings, logger *logrus.Logger,
) (err error) {
	work, err := os.MkdirTemp("", "moviola-backup-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	file := filepath.Join(work, "events.db")
	report, err := eventstores.CopyOfLog(ctx, b.cfg, work, file, logger)
	if err != nil {
		return err
	}
	w.Manifest.Events, w.Manifest.Position = report.Events, report.Last
	err = logfile.Pieces(ctx, file, func(name string, content []byte) error {
		return w.Add(ctx, backup.Log, name, w.Manifest.At, bytes.NewReader(content))
	})
	if err != nil {
		return err
	}
	files, err := OpenFiles(ctx, b.cfg)
	if err != nil {
		return err
	}
	err = b.withKeys(ctx, w, noted, file, func(keys *fileKeys) error {
		return saveFiles(ctx, w, files, keys, files.InBucket(), b.cfg.EventStore != "")
	})
	if err = errors.Join(err, files.Close()); err != nil {
		return err
	}
	if err := b.saveSecrets(ctx, w, noted); err != nil {
		return err
	}
	return b.saveSettings(ctx, w, noted)
}

// OpenFiles opens the file storage of an existing installation.
func OpenFiles(ctx context.Context, cfg config.Config) (*blobs.Bucket, error) {
	where := cfg.Blobs
	if where == "" {
		where = filepath.Join(cfg.Data, "files")
		// without this check, opening the database would create its file
		if _, err := os.Stat(filepath.Join(where, "documents.db")); err != nil {
			return nil, fmt.Errorf("the documents of the installation: %w", err)
		}
	}
	return blobs.OpenWithKey(ctx, where, cfg.BlobsKey, blobkey.DocumentPrefixes()...)
}

// saveSecrets adds the secrets in the data folder, and the names of the environment variables that hold further secrets.
func (b *backingUp) saveSecrets(ctx context.Context, w *backup.Writer, noted map[string]config.Settings) error {
	names := config.SecretVariables()
	for _, one := range noted {
		names = append(names, one.Environment...)
	}
	slices.Sort(names)
	w.Manifest.Environment = slices.Compact(names)
	for _, name := range []string{secret.File, secret.CredentialsFile, secret.FormerCredentialsFile} {
		err := addFile(ctx, w, backup.Secrets, name, filepath.Join(b.cfg.Data, name))
		if errors.Is(err, fs.ErrNotExist) {
			if name == secret.File && !slices.Contains(w.Manifest.Environment, secret.Env) {
				return fmt.Errorf("there is no secret: neither %s nor %s", filepath.Join(b.cfg.Data, secret.File), secret.Env)
			}
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// saveSettings adds the plans file and the flags of the processes.
func (b *backingUp) saveSettings(ctx context.Context, w *backup.Writer, noted map[string]config.Settings) error {
	if b.cfg.Plans != "" {
		if err := addFile(ctx, w, backup.Settings, plansFile, b.cfg.Plans); err != nil {
			return fmt.Errorf("the plans of the service (give the file with --plans): %w", err)
		}
	}
	names := make([]string, 0, len(noted))
	for name := range noted {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		name = config.FlagFolder + "/" + name
		if err := addFile(ctx, w, backup.Settings, name, filepath.Join(b.cfg.Data, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	return nil
}

// addFile adds a file to a part.
func addFile(ctx context.Context, w *backup.Writer, part, name, path string) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	return w.Add(ctx, part, name, info.ModTime(), file)
}

// report prints the summary of a backup.
func (b *backingUp) report(w io.Writer, done backup.Summary, m backup.Manifest) error {
	text := fmt.Sprintf("backup %s lies in %s\n", done.ID, b.to)
	text += fmt.Sprintf("%-10s %d events, up to position %d\n", backup.Log, m.Events, m.Position)
	for _, part := range []string{backup.Documents, backup.Files, backup.Secrets, backup.Settings} {
		text += fmt.Sprintf("%-10s %d, %d bytes\n", part, done.Items[part], done.Bytes[part])
	}
	if n := len(m.Elsewhere); n > 0 {
		text += fmt.Sprintf("%d files stay in their bucket and are only listed: save the bucket too\n", n)
	}
	text += encrypted(m)
	if n := len(m.Keyed); n > 0 {
		text += fmt.Sprintf("The keys of %d accounts are not in the backup: save them now, with moviola accounts keys backup --to …\n",
			n)
	}
	if m.Gone > 0 {
		text += fmt.Sprintf("%d files were deleted meanwhile, or belong to erased accounts\n", m.Gone)
	}
	text += fmt.Sprintf("%d bytes were written", done.Written)
	if done.Verified {
		text += "; everything was read back\n"
	} else {
		text += "; what was written was read back; what earlier backups left cannot be decrypted here and was only seen to be there\n"
	}
	secrets := "The archive holds the secret of the installation: keep it as you keep passwords, or keep the part apart with " +
		"--part secrets=…\n"
	if where := b.parts[backup.Secrets]; where != "" {
		secrets = "The secret of the installation lies apart, in " + where + ": nothing can be restored without it.\n"
	}
	text += secrets
	if len(m.Environment) > 0 {
		text += "Not in the backup, because variables carry them: " + strings.Join(m.Environment, ", ") + ". Keep their values.\n"
	}
	_, err := io.WriteString(w, text)
	return err
}
