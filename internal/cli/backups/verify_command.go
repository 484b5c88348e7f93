package backups

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"moviola/internal/accountkeys"
	"moviola/internal/backup"
)

// shownFlaws is the maximum number of damaged items that the report names.
const shownFlaws = 20

// verifying holds the flags of `moviola backup verify`, and what it has found.
type verifying struct {
	from, id, keysFile string
	archiveFlags

	keys   *accountkeys.Saved // encryption keys of accounts; nil: no file with keys was given
	items  int
	bytes  int64
	opened int // number of items that were decrypted with the keys of their accounts
	closed int // number of items that were not decrypted, because no file with keys was given
	erased int // number of items of accounts that were erased
	flaws  []string
	more   int // number of damaged items that flaws does not name
}

func verifyCommand() *cobra.Command {
	var v verifying
	cmd := &cobra.Command{
		Use:   "verify --from PLACE",
		Short: "Read a backup from end to end, and compare it with its hashes",
		Long: "Read a backup from end to end, and compare everything with its hashes. Nothing is restored. What is encrypted " +
			"under the\nkeys of accounts is compared as it is stored; with --account-keys it is decrypted, too. The exit status is " +
			"0 only for a\nbackup that is whole.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return v.run(cmd.Context(), cmd.OutOrStdout()) },
	}
	f := cmd.Flags()
	f.StringVar(&v.from, "from", "",
		"where the backups lie: a folder, or s3://bucket?region=…&prefix=backups/, gs://… or azblob://…")
	v.bindKeyFile(f)
	f.StringVar(&v.id, "backup", "", "which of them (default: the newest)")
	f.StringVar(&v.keysFile, "account-keys", "", "file of moviola accounts keys backup, to decrypt what is encrypted under keys of "+
		"accounts")
	f.StringToStringVar(&v.parts, "part", nil, "where a part lies that was kept apart, such as secrets=/other/place")
	f.StringVar(&v.passphraseFile, "passphrase-file", "", "file with the passphrase of the archive")
	f.StringVar(&v.identityFile, "identity", "", "identity file of age, of one of the recipients of the archive")
	return cmd
}

func (v *verifying) run(ctx context.Context, stdout io.Writer) (err error) {
	if v.from == "" {
		return errors.New("--from is missing: say where the backups lie")
	}
	defer func() { err = errors.Join(err, v.close()) }()
	cfg, err := v.config(ctx, v.from)
	if err != nil {
		return err
	}
	if v.keysFile != "" {
		saved, err := readSavedKeys(v.keysFile, cfg)
		if err != nil {
			return fmt.Errorf("--account-keys: %w", err)
		}
		v.keys = &saved
	}
	archive, err := backup.Open(ctx, cfg)
	if err != nil {
		return fmt.Errorf("open %s: %w", v.from, err)
	}
	s, err := archive.Snapshot(ctx, v.id)
	if err != nil {
		return fmt.Errorf("open %s: %w", v.from, err)
	}
	for _, part := range backup.Parts() {
		err := s.Walk(ctx, part, func(item backup.Item, content io.Reader) error {
			if err := v.item(item, content); err != nil {
				v.flaw(part, item, err)
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	return v.report(stdout, s.Manifest)
}

// item reads an item to its end.
func (v *verifying) item(item backup.Item, content io.Reader) error {
	v.items++
	v.bytes += item.Size
	want := item.Size
	if item.Account != "" {
		var open bool
		var err error
		if content, open, err = v.open(item, content); err != nil {
			return err
		}
		if open {
			want = accountkeys.OpenedSize(item.Size)
		}
	}
	n, err := io.Copy(io.Discard, content)
	if err == nil && n != want {
		err = fmt.Errorf("it has %d bytes, not %d", n, want)
	}
	return err
}

// open returns the decrypted content of an item that is encrypted under the key of its account, and true. Without a file of keys,
// or for an erased account, it returns the content as it is, and false.
func (v *verifying) open(item backup.Item, content io.Reader) (io.Reader, bool, error) {
	if v.keys == nil {
		v.closed++
		return content, false, nil
	}
	if _, erased := v.keys.Erased[item.Account]; erased {
		v.erased++
		return content, false, nil
	}
	key, err := v.keys.FileKey(item.Account)
	if err != nil {
		return nil, false, err
	}
	v.opened++
	return key.Open(item.Name, content), true, nil
}

func (v *verifying) flaw(part string, item backup.Item, err error) {
	if len(v.flaws) == shownFlaws {
		v.more++
		return
	}
	v.flaws = append(v.flaws, fmt.Sprintf("%s %s: %v", part, item.Name, err))
}

// report prints what was found, and returns an error when an item is damaged.
func (v *verifying) report(w io.Writer, m backup.Manifest) error {
	if n := len(v.flaws) + v.more; n > 0 {
		flaws := strings.Join(v.flaws, "; ")
		return fmt.Errorf("backup %s is damaged: %d of %d items cannot be read: %s", m.ID, n, v.items, flaws)
	}
	text := fmt.Sprintf("backup %s is whole: %d items, %d bytes, %d events up to position %d\n", m.ID, v.items, v.bytes, m.Events,
		m.Position)
	for _, row := range []struct {
		n   int
		say string
	}{
		{v.opened, "documents and files were decrypted with the keys of their accounts"},
		{v.closed, "documents and files are encrypted under keys of accounts, and were compared as they are stored: " +
			"--account-keys decrypts them"},
		{v.erased, "documents and files are of accounts that were erased since: nobody can read them"},
		{len(m.Elsewhere), "files stay in their bucket, and were not looked at"},
	} {
		if row.n > 0 {
			text += fmt.Sprintf("%d %s\n", row.n, row.say)
		}
	}
	_, err := io.WriteString(w, text)
	return err
}
