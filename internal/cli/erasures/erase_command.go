package erasures

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"moviola/domain"
	"moviola/domain/account"
	"moviola/eventstore"
	"moviola/internal/accountkeys"
	"moviola/internal/cli/eventstores"
	"moviola/internal/cli/exit"
	"moviola/internal/config"
	"moviola/internal/stores"
	"moviola/projections"
)

// erasing holds the flags of `moviola accounts erase`.
type erasing struct {
	cfg     config.Config
	sure    bool
	rebuild Rebuild
}

// Rebuild builds all read models of open stores again and writes the progress to stderr.
type Rebuild func(ctx context.Context, s *stores.Stores, cfg projections.Config, stderr io.Writer) (DropFormer, error)

// DropFormer drops the read models that were in use before the rebuild. It waits until no process reads them.
type DropFormer func(context.Context) error

// dropTime limits the wait for processes that read the former read models.
const dropTime = 3 * time.Minute

// EraseAccountCommand is `moviola accounts erase`.
func EraseAccountCommand(rebuild Rebuild) *cobra.Command {
	e := erasing{rebuild: rebuild}
	cmd := &cobra.Command{
		Use:   "erase ACCOUNT --yes",
		Short: "Destroy the key of a closed account, and make the read models again without its data",
		Long: "Destroy the key of a closed account: what is encrypted under it in the log, and in every backup of the log, can " +
			"never be\nread again. Its credits can still be audited. Then the read models are made again without its data, beside " +
			"those in\nuse; the service may run meanwhile. The account must be closed, and what is stored for it removed (moviola " +
			"accounts\nclose, and a day later). Give the flags and variables that the service has. The command says what it could " +
			"not erase;\ndocs/erasure.md tells the limits.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !e.sure {
				return errors.New("erasing an account cannot be undone: say --yes")
			}
			if err := e.cfg.Validate(); err != nil {
				return err
			}
			return e.run(cmd.Context(), domain.AccountID(args[0]), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	e.cfg.Bind(cmd.Flags())
	cmd.Flags().BoolVar(&e.sure, "yes", false, "really")
	return cmd
}

func (e *erasing) run(ctx context.Context, id domain.AccountID, stdout, stderr io.Writer) (err error) {
	logger, err := config.NewLog(stderr, e.cfg.LogLevel, e.cfg.LogFormat)
	if err != nil {
		return err
	}
	if err := e.cfg.RequireStores(); err != nil { // another store would be erased, and the account said to be
		return err
	}
	store, stop, err := eventstores.OpenLogWith(ctx, e.cfg.Data, e.cfg.EventStore, eventstores.HistoryAt(e.cfg), logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, eventstores.CloseStore(ctx, store), stop()) }()
	codec := eventstore.NewCodec()
	if err := requireDeparted(ctx, eventstore.NewLog(store, codec.WithoutPersonal()), id); err != nil {
		return err
	}
	s := stores.New(logger)
	if err := s.OpenDocuments(e.cfg); err != nil {
		return fmt.Errorf("open the read models: %w", err)
	}
	defer func() { err = errors.Join(err, s.CloseDocs(context.WithoutCancel(ctx))) }()
	if err := s.Keys.Store().Erase(ctx, id, time.Now()); err != nil {
		return fmt.Errorf("destroy the key of account %s: %w", id, err)
	}
	if _, err := fmt.Fprintf(stdout, "the key of account %s is destroyed\n", id); err != nil {
		return err
	}
	keys := accountkeys.NewRing(s.Keys.Store(), false, time.Now) // this ring is new: it has cached no key from before the erasure
	s.Log = eventstore.NewLog(store, codec.WithKeys(keys))
	drop, err := e.rebuild(ctx, s, s.ModelsConfig(e.cfg, logger), stderr)
	if err != nil {
		return err
	}
	var left []string
	versions := ""
	tells, failed := read(ctx, store, codec, id)
	if failed == nil {
		if versions, err = e.removeFiles(ctx, id, tells); err != nil {
			left = append(left, fmt.Sprintf("its files: %v", err))
		}
	}
	left = append(left, e.clean(ctx, s, drop)...)
	if failed != nil {
		return fmt.Errorf("the read models were made again; look for what the log has of the account: %w", failed)
	}
	return report(stdout, id, left, tells.clear, versions)
}

// clean drops the former read models, and scrubs from the SQLite files the bytes of deleted data. For each of the two that fails,
// left has a text.
func (e *erasing) clean(ctx context.Context, s *stores.Stores, drop DropFormer) (left []string) {
	limit, cancel := context.WithTimeout(ctx, dropTime)
	defer cancel()
	if err := drop(limit); err != nil {
		left = append(left, fmt.Sprintf("the former read models: %v", err))
	}
	if err := s.Scrub(ctx, e.cfg); err != nil {
		left = append(left, fmt.Sprintf("what data files have held before: %v", err))
	}
	return left
}

// requireDeparted refuses an account that is not closed, or of which files may still be stored.
func requireDeparted(ctx context.Context, log *eventstore.Log, id domain.AccountID) error {
	a := account.New(id)
	if _, err := log.Fold(ctx, account.Stream(id), a.Apply); err != nil {
		return fmt.Errorf("load account %s: %w", id, err)
	}
	switch {
	case !a.Exists():
		return fmt.Errorf("there is no account %q", id)
	case a.ClosedAt().IsZero():
		return fmt.Errorf("account %s is open: close it first, with moviola accounts close", id)
	case !a.Departed():
		return fmt.Errorf("what is stored for account %s is still being removed: it was closed at %s, and is removed twice, a day "+
			"(--clear-again) apart; try again then", id, a.ClosedAt().Format(time.RFC3339))
	}
	return nil
}

// notErased lists the data that the command cannot erase.
const notErased = `Not erased by this command:
- documents and files in backups that were made before the account had a key, or by an earlier version;
- caches of renderers, until --asset-cache-ttl has passed; hosts in spans that a collector has kept;
- the name of the account in the act of the operator who opened it, references of grants, and copies of the keys: write
  moviola accounts keys backup anew, in place of every older file.
`

// report prints what was erased and what was not. left describes what could not be removed from data files and from the
// storage. clear has the numbers of events in the log that still have unencrypted personal data of the account, by event
// type. versions is a text about the versions of its files in a bucket. If anything is left, report returns an error with
// the exit code exit.Findings.
func report(w io.Writer, id domain.AccountID, left []string, clear map[string]int, versions string) error {
	text := "the read models were made again without its data\n"
	if len(left) == 0 {
		text = "the read models were made again without its data; those from before, and what was removed from data files, are gone\n"
	}
	text += versions + notErased
	total, types := 0, []string{}
	for _, name := range slices.Sorted(maps.Keys(clear)) {
		total += clear[name]
		types = append(types, fmt.Sprintf("%s %d", name, clear[name]))
	}
	if total == 0 {
		text += "The log has no personal data of the account in clear.\n"
	}
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	if total > 0 {
		left = append(left, fmt.Sprintf("%d events of account %s were written before its data was encrypted, and still have it in "+
			"clear in the log, although the service no longer shows it: %s. A log that moviola eventstore copy --encrypt makes has "+
			"none of it", total, id, strings.Join(types, ", ")))
	}
	if len(left) == 0 {
		return nil
	}
	what := strings.Join(left, "; ")
	return exit.With(errors.New("left, run the command again for what is in files: "+what), exit.Findings)
}
