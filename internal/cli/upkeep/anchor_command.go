package upkeep

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"moviola/adapters/anchorage"
	"moviola/eventstore"
	"moviola/internal/app/roads"
	"moviola/internal/cli/eventstores"
	"moviola/internal/cli/exit"
	"moviola/internal/config"
	"moviola/internal/secret"
	"moviola/projections/audit"
)

// anchoring holds the flags of the commands for anchors.
type anchoring struct {
	data, eventStore, level string
	against, publicKey      string
	to                      []string
	smtp, smtpFrom          string
}

func (a *anchoring) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&a.data, "data", "./data", "data folder of the service")
	f.StringVar(&a.eventStore, "eventstore", "", "event store to read, esdb://… or unix://… (default: the log in the data folder)")
	f.StringVar(&a.level, "log-level", "warn", "trace, debug, info, warn or error")
}

// withLog calls do with the log.
func (a *anchoring) withLog(ctx context.Context, stderr io.Writer, do func(eventstore.Store) error) (err error) {
	log, err := config.NewLog(stderr, a.level, "text")
	if err != nil {
		return err
	}
	store, stop, err := eventstores.OpenLog(ctx, a.data, a.eventStore, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, eventstores.CloseStore(ctx, store), stop()) }()
	return do(store)
}

// AnchorCommand is `moviola audit anchor`: it writes an anchor, the signed digests of all ledgers.
func AnchorCommand() *cobra.Command {
	var a anchoring
	cmd := &cobra.Command{
		Use:   "anchor",
		Short: "Write down, signed, what every ledger is now",
		Long: "Write down, signed, what every ledger is now: number of events and digests. A file, a folder and a bucket also\n" +
			"get the list, 32 bytes for each event. Keep both, and the public key that is printed, where nobody can write who\n" +
			"can write to the log: docs/audit.md. moviola serve --anchor-to takes anchors on a schedule.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.anchor(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	a.bind(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&a.to, "to", nil, "new `file` of the anchor, or a place as of serve --anchor-to: s3://bucket?…, "+
		"file:///folder, https://… or mailto:address; repeatable (required)")
	f.StringVar(&a.smtp, "smtp", "", "mail server, for mailto:, smtp://user:password@host:587 or smtps://…")
	f.StringVar(&a.smtpFrom, "smtp-from", "", "sender's address, for mailto:")
	config.BindSMTPFile(f)
	return cmd
}

// split sorts the values of --to into files, the paths of new files for the anchor, and places, the addresses to which the
// anchor is sent. It returns an error if a value was given twice or a file exists already.
func (a *anchoring) split() (files, places []string, err error) {
	if len(a.to) == 0 {
		return nil, nil, errors.New("--to: say where the anchor is kept")
	}
	given := map[string]bool{}
	for i, to := range a.to {
		isPlace := strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:")
		same := filepath.Clean(to)
		if isPlace {
			address, err := anchorage.Parse(to)
			if err != nil {
				return nil, nil, fmt.Errorf("--to: %w", err)
			}
			same = config.AnchorPlace(address)
		}
		if given[same] { // an address may hold a secret, so the message has its number
			return nil, nil, fmt.Errorf("--to: place %d of %d was given before: give each place once", i+1, len(a.to))
		}
		given[same] = true
		if isPlace {
			places = append(places, to)
			continue
		}
		files = append(files, to)
		for _, path := range []string{to, to + audit.ListSuffix} {
			if _, err := os.Lstat(path); err == nil {
				return nil, nil, fmt.Errorf("--to: %s is there already: an anchor is never written over", path)
			}
		}
	}
	return files, places, nil
}

func (a *anchoring) anchor(ctx context.Context, stdout, stderr io.Writer) error {
	files, addresses, err := a.split()
	if err != nil {
		return err
	}
	places, err := roads.AnchorPlaces(ctx, addresses, a.smtp, a.smtpFrom)
	if err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	return a.withLog(ctx, stderr, func(store eventstore.Store) error {
		sheet, err := a.take(ctx, store)
		if err != nil {
			return err
		}
		var problems []error
		for _, path := range files {
			problems = append(problems, anchorage.WriteNew(path+audit.ListSuffix, sheet.List), anchorage.WriteNew(path, sheet.Content))
		}
		for _, place := range places {
			if err := place.Put(ctx, sheet); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", place.Label(), err))
			}
		}
		if err := errors.Join(problems...); err != nil {
			return fmt.Errorf("the anchor is not everywhere: %w", err)
		}
		_, err = fmt.Fprintf(stdout, "%s: %d ledgers, %d events, taken at %s\npublic key %s\n", sheet.Name, sheet.Ledgers,
			sheet.Events, sheet.TakenAt.Format(time.RFC3339), base64.StdEncoding.EncodeToString(sheet.PublicKey))
		return err
	})
}

// take makes an anchor of the log now, signed with the key of the installation.
func (a *anchoring) take(ctx context.Context, store eventstore.Store) (audit.Sheet, error) {
	master, known, err := secret.Known(a.data, a.eventStore != "")
	if err == nil && !known {
		err = fmt.Errorf("the secret of the installation, with which anchors are signed, is not known here: set %s as the "+
			"service has it", secret.Env)
	}
	if err != nil {
		return audit.Sheet{}, err
	}
	key, err := roads.AnchorKey(master)
	if err != nil {
		return audit.Sheet{}, err
	}
	return audit.Make(ctx, store, key, time.Now())
}

// PublicKey returns the public key of the installation, with which its signatures of anchors and opening balances are
// checked. It returns nil when this host does not know the secret of the installation. data and shared are those of
// secret.Known.
func PublicKey(data string, shared bool) (ed25519.PublicKey, error) {
	master, known, err := secret.Known(data, shared)
	if err != nil || !known {
		return nil, err
	}
	key, err := roads.AnchorKey(master)
	if err != nil {
		return nil, err
	}
	return key.Public().(ed25519.PublicKey), nil
}

// VerifyCommand is `moviola audit verify`: it compares the log with an anchor that was kept elsewhere.
func VerifyCommand() *cobra.Command {
	var a anchoring
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Hold the log against an anchor that was kept elsewhere",
		Long: "Hold the log against an anchor that was kept elsewhere, from the first event on, and name the first event of a\n" +
			"ledger that was changed, added or removed since. Without FILE" + audit.ListSuffix +
			", the stretch of 1,000 events is named.\n" +
			"The exit status is 0 only when nothing was.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.verify(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	a.bind(cmd)
	cmd.Flags().StringVar(&a.against, "against", "", "`file` of the anchor (required)")
	cmd.Flags().StringVar(&a.publicKey, "public-key", "", "`key` that moviola audit anchor has printed, kept apart from the host")
	return cmd
}

// verification is the report of `moviola audit verify`.
type verification struct {
	audit.Verified
	TakenAt time.Time `json:"taken_at"`
	Anchor  string    `json:"anchor"` // "anchored" if --public-key was given; otherwise a text that the signer is unknown
}

func (a *anchoring) verify(ctx context.Context, stdout, stderr io.Writer) error {
	if a.against == "" {
		return errors.New("--against: say which file holds the anchor")
	}
	anchor, list, standing, err := a.load()
	if err != nil {
		return err
	}
	return a.withLog(ctx, stderr, func(store eventstore.Store) error {
		found, err := audit.Verify(ctx, store, anchor, list)
		if err != nil {
			return err
		}
		encoded, err := json.MarshalIndent(verification{found, anchor.TakenAt, standing}, "", "  ")
		if err == nil {
			_, err = fmt.Fprintf(stdout, "%s\n", encoded)
		}
		if err == nil && found.Difference != nil {
			err = exit.With(fmt.Errorf("the log is not what the anchor says: %w", found.Difference), exit.Findings)
		}
		return err
	})
}

// load reads the anchor and the list of its event digests; list is nil when the list's file does not exist. standing is the value
// of the field Anchor of verification.
func (a *anchoring) load() (anchor audit.Anchor, list []byte, standing string, err error) {
	content, err := os.ReadFile(a.against)
	if err != nil {
		return anchor, nil, "", fmt.Errorf("--against: %w", err)
	}
	var signed audit.Signed
	if err := json.Unmarshal(content, &signed); err != nil {
		return anchor, nil, "", fmt.Errorf("--against: %s is no anchor: %w", a.against, err)
	}
	standing = "unanchored: without --public-key nobody knows who has signed the anchor"
	var key ed25519.PublicKey
	if a.publicKey != "" {
		if key, err = base64.StdEncoding.DecodeString(a.publicKey); err != nil || len(key) != ed25519.PublicKeySize {
			return anchor, nil, "", errors.New("--public-key: it is not what moviola audit anchor prints")
		}
		standing = "anchored"
	}
	if anchor, err = signed.Open(key); err != nil {
		return anchor, nil, "", fmt.Errorf("--against: %s: %w", a.against, err)
	}
	list, err = os.ReadFile(a.against + audit.ListSuffix)
	if errors.Is(err, os.ErrNotExist) {
		return anchor, nil, standing, nil
	}
	return anchor, list, standing, err
}
