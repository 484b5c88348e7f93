package audits

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/ledger"
	"moviola/eventstore"
	"moviola/handlers/http/web"
	"moviola/internal/cli/eventstores"
	"moviola/internal/config"
	"moviola/internal/stores"
	"moviola/projections"
	"moviola/projections/audit"
)

// errDifference is the error of an audit with findings.
var errDifference = errors.New("the ledgers are not as they have to be")

// auditing holds the flags of `moviola audit`.
type auditing struct {
	data, eventStore, mongo string
	blobs, blobsKey         string
	logOnly, full           bool
	until                   uint64
	grace                   time.Duration
	key                     PublicKey

	account, from, to, format string
	level                     string
}

// PublicKey is a function that returns the public key of the installation, with which the signatures of opening balances of
// ledgers are checked. It returns nil when this host does not know the secret of the installation, from which the key is
// derived. data is the data folder. When shared is true, the event store is not in the data folder. A secret in the data
// folder is not used then, because it may be that of another installation.
type PublicKey func(data string, shared bool) (ed25519.PublicKey, error)

// AuditCommand is `moviola audit`. below are its subcommands. Another package provides the subcommands and the function key.
func AuditCommand(key PublicKey, below ...*cobra.Command) *cobra.Command {
	a := auditing{key: key}
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Recompute every credit from the raw events; with --account, print a statement",
		Long: "Recompute every credit from the raw events, hold the ledgers against the movies and the read models, and " +
			"print a sealed\n" +
			"report. The exit status is 0 only when nothing differs. It reads only, and may run beside the service. With " +
			"--account, that\n" +
			"account's ledger alone is read, its statement printed and the report goes to the standard error; --full audits the whole " +
			"log\nbeside it. docs/audit.md explains the seal.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&a.data, "data", "./data", "data folder of the service")
	f.StringVar(&a.eventStore, "eventstore", "",
		"event store to audit, esdb://… or unix://… (default: the log in the data folder)")
	f.StringVar(&a.mongo, "mongo", "", "MongoDB of the read models, mongodb://…/database (default: the SQLite file in the "+
		"data folder)")
	config.BindBlobs(f, &a.blobs, &a.blobsKey, "where archived movies are, s3://bucket?…, gs://… or azblob://… (default: what the "+
		"service was started with)")
	config.BindBlobsKeyFile(f)
	f.BoolVar(&a.logOnly, "log-only", false, "do not compare the read models")
	f.Uint64Var(&a.until, "until", 0, "commit position of the last event to look at, from an earlier report (default: the "+
		"end of the log)")
	f.DurationVar(&a.grace, "grace", time.Hour, "how long something may stay unsettled, in the time of the log")
	f.StringVar(&a.account, "account", "", "print the statement of this account")
	f.BoolVar(&a.full, "full", false, "with --account: audit the whole log, not that account's ledger alone")
	f.StringVar(&a.from, "from", "", "first moment of the statement: a date or date-time, UTC without a zone")
	f.StringVar(&a.to, "to", "", "last moment of the statement; a date means its end")
	f.StringVar(&a.format, "format", "csv", "of the statement: csv or json (one object a line)")
	f.StringVar(&a.level, "log-level", "warn", "trace, debug, info, warn or error")
	cmd.AddCommand(below...)
	return cmd
}

// unanchored is the text of a report for an audit without an anchor: nothing outside the installation confirms the log.
const unanchored = "unanchored: whoever can write to the log can rewrite all of it; see moviola audit verify --against"

// run audits the ledgers and prints the findings.
func (a *auditing) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	statement, err := a.statement(stdout)
	if err != nil {
		return err
	}
	store, stop, err := a.open(ctx, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, eventstores.CloseStore(ctx, store), stop()) }()
	if statement != nil {
		if err := requireAccount(ctx, store, statement.account); err != nil {
			return err
		}
	}
	cfg := audit.Config{
		Store: store, Codec: eventstore.NewCodec().WithoutPersonal(), Grace: a.grace,
		Until: eventstore.Position{Commit: a.until, Prepare: a.until},
	}
	if cfg.Key, err = a.key(a.data, a.eventStore != ""); err != nil {
		return err
	}
	reportTo := stdout
	if statement != nil {
		cfg.Line, reportTo = statement.line, stderr
		if !a.full {
			cfg.Account = statement.account
		}
	}
	if !a.logOnly {
		books, closeBooks, err := a.books(ctx, store, stderr)
		if err != nil {
			return fmt.Errorf("open the read models (say --log-only to audit without them): %w", err)
		}
		defer closeBooks()
		cfg.Books = books
	}
	report, err := audit.Run(ctx, cfg)
	if statement != nil {
		err = errors.Join(err, statement.flush())
	}
	if err != nil {
		return err
	}
	encoded, err := json.MarshalIndent(struct {
		audit.Report
		Anchor string `json:"anchor"`
	}{report, unanchored}, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(reportTo, "%s\n", encoded)
	}
	if err == nil && report.Difference != nil {
		err = errDifference
	}
	return err
}

// requireAccount returns an error for an account that is not in the log: a mistyped id must not print an empty statement.
func requireAccount(ctx context.Context, store eventstore.Store, id domain.AccountID) error {
	log := eventstore.NewLog(store, eventstore.NewCodec())
	for _, stream := range []string{account.Stream(id), ledger.Stream(id)} {
		last, err := log.Last(ctx, stream)
		if err != nil || last.Revision != eventstore.NoStream {
			return err
		}
	}
	return fmt.Errorf("--account: there is no account %q", id)
}

// open opens the log: that of the event store at --eventstore or, without this flag, that of the data folder, whether a service
// runs there or not.
func (a *auditing) open(ctx context.Context, stderr io.Writer) (*eventstores.Log, func() error, error) {
	log, err := config.NewLog(stderr, a.level, "text")
	if err != nil {
		return nil, nil, err
	}
	if a.blobs == "" {
		return eventstores.OpenLog(ctx, a.data, a.eventStore, log)
	}
	files := stores.NewHistoryFiles(a.data, a.blobs, a.blobsKey)
	return eventstores.OpenLogWith(ctx, a.data, a.eventStore, files, log)
}

// books opens the read models for reading.
func (a *auditing) books(ctx context.Context, store eventstore.Store, stderr io.Writer) (*projections.Books, func(), error) {
	noted, err := config.Noted(a.data)
	if err = errors.Join(err, config.RequireSame(noted, "mongo", a.mongo)); err != nil {
		return nil, nil, err
	}
	if a.mongo == "" { // without this check, opening the read models would create their file
		if _, err := os.Stat(filepath.Join(a.data, stores.ReadModelsFile)); err != nil {
			return nil, nil, err
		}
	}
	logger, err := config.NewLog(stderr, a.level, "text")
	if err != nil {
		return nil, nil, err
	}
	s := stores.New(logger)
	if err := s.OpenDocuments(config.Config{Data: a.data, Mongo: a.mongo}); err != nil {
		return nil, nil, err
	}
	books, err := projections.OpenBooks(ctx, s.Docs)
	if err != nil {
		return nil, nil, errors.Join(err, s.CloseDocs(ctx))
	}
	// Closing documents that were only read loses nothing.
	return books, func() { _ = s.CloseDocs(context.WithoutCancel(ctx)) }, nil
}

// statement returns the statement that the flags request; nil when they request none.
func (a *auditing) statement(w io.Writer) (*statement, error) {
	if a.account == "" {
		if a.from != "" || a.to != "" || a.full {
			return nil, errors.New("--from, --to and --full are of a statement: say whose with --account")
		}
		return nil, nil
	}
	s := &statement{account: domain.AccountID(a.account), out: bufio.NewWriter(w)}
	var ok bool
	if a.from != "" {
		if s.from, ok = web.ParseTime(a.from, false); !ok {
			return nil, fmt.Errorf("--from: %q is neither a date nor a date-time", a.from)
		}
	}
	if a.to != "" {
		if s.to, ok = web.ParseTime(a.to, true); !ok {
			return nil, fmt.Errorf("--to: %q is neither a date nor a date-time", a.to)
		}
	}
	switch a.format {
	case "json":
		return s, nil
	case "csv":
		s.csv = csv.NewWriter(s.out)
		return s, s.csv.Write([]string{
			"account", "number", "at", "event", "subject", "amount", "granted", "held", "charged", "kind", "reason", "period", "draft",
			"granted_total", "charged_total", "held_total", "balance", "available",
		})
	}
	return nil, fmt.Errorf("--format: %q is neither csv nor json", a.format)
}

// statement prints the entries of one account's ledger, each with the balance after it.
type statement struct {
	account  domain.AccountID
	from, to time.Time
	out      *bufio.Writer
	csv      *csv.Writer // writes the statement as CSV; nil: it is written as JSON
}

func (s *statement) line(l audit.Line) error {
	if l.Account != s.account || l.At.Before(s.from) || !s.to.IsZero() && l.At.After(s.to) {
		return nil
	}
	if s.csv == nil {
		encoded, err := json.Marshal(l)
		if err == nil {
			_, err = s.out.Write(append(encoded, '\n'))
		}
		return err
	}
	whole := func(n int64) string { return strconv.FormatInt(n, 10) }
	return s.csv.Write([]string{
		string(l.Account), whole(l.Number), web.Stamp(l.At), l.Event, web.CSVText(l.Subject), whole(l.Amount),
		whole(l.Granted), whole(l.Held), whole(l.Charged), web.CSVText(l.Kind), web.CSVText(l.Reason), l.Period,
		strconv.FormatBool(l.Draft),
		whole(l.GrantedTotal), whole(l.ChargedTotal), whole(l.HeldTotal), whole(l.Balance), whole(l.Available),
	})
}

func (s *statement) flush() error {
	if s.csv != nil {
		s.csv.Flush()
		if err := s.csv.Error(); err != nil {
			return err
		}
	}
	return s.out.Flush()
}
