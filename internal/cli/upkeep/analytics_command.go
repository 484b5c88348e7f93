package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"moviola/adapters/mongodb"
	"moviola/handlers/http/web"
	"moviola/internal/config"
	"moviola/internal/extract"
	"moviola/internal/stores"
	"moviola/projections"
)

// readingModels holds the flags that name the store of the read models.
type readingModels struct{ data, mongo string }

func (m *readingModels) bind(f *pflag.FlagSet) {
	f.StringVar(&m.data, "data", "./data", "data folder of the service")
	f.StringVar(&m.mongo, "mongo", "",
		"MongoDB of the read models, mongodb://…/database (default: the SQLite file in the data folder)")
}

// use calls do with the stored read models. It writes warnings to stderr.
func (m *readingModels) use(ctx context.Context, stderr io.Writer, do func(*projections.Extract) error) (err error) {
	noted, err := config.Noted(m.data)
	if err = errors.Join(err, config.RequireSame(noted, "mongo", m.mongo)); err != nil {
		return err
	}
	if m.mongo == "" { // without this check, opening the read models would create their file
		if _, err := os.Stat(filepath.Join(m.data, stores.ReadModelsFile)); err != nil {
			return fmt.Errorf("look for the read models (say --data, or --mongo): %w", err)
		}
	}
	logger, err := config.NewLog(stderr, "warn", "text")
	if err != nil {
		return err
	}
	s := stores.New(logger)
	if err := s.OpenAsStored(config.Config{Data: m.data, Mongo: m.mongo}); err != nil {
		return fmt.Errorf("open the read models: %w", err)
	}
	defer func() { err = errors.Join(err, s.CloseDocs(context.WithoutCancel(ctx))) }()
	from, err := projections.OpenExtract(ctx, s.Docs)
	if err != nil {
		return err
	}
	return do(from)
}

// AnalyticsCommand is `moviola analytics`: it exports read models into a SQLite file, or makes views of them in MongoDB.
func AnalyticsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "analytics", Short: "Give analysts something to read"}
	cmd.AddCommand(snapshotCommand(), viewsCommand())
	return cmd
}

func snapshotCommand() *cobra.Command {
	var from readingModels
	var to string
	var withPersonal bool
	cmd := &cobra.Command{
		Use:   "snapshot --to FILE",
		Short: "Write movies, deliveries, ledgers and daily usage into an SQLite file",
		Long: "Write movies, deliveries, ledgers and daily usage into an SQLite file that `sqlite3` and others read, also while the " +
			"service runs.\n" +
			"From the SQLite read models all of it is of one moment. docs/read-models.md names tables and columns and has example " +
			"queries.\n" +
			"There is no key and no address of a file in it.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to == "" {
				return errors.New("name the file to write with --to")
			}
			return from.use(cmd.Context(), cmd.ErrOrStderr(), func(models *projections.Extract) error {
				rows, err := extract.Snapshot(cmd.Context(), models, to, withPersonal, time.Now())
				if err != nil {
					return fmt.Errorf("write the snapshot: %w", err)
				}
				var said []string
				for _, table := range extract.Tables() {
					said = append(said, fmt.Sprintf("%d rows of %s", rows[table.Name], table.Name))
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s holds %s\n", to, strings.Join(said, ", "))
				return err
			})
		},
	}
	from.bind(cmd.Flags())
	cmd.Flags().StringVar(&to, "to", "", "file to write; it must not be there")
	cmd.Flags().BoolVar(&withPersonal, "with-personal", false,
		"fill the columns that are about people too: messages, names of connections, references of grants")
	return cmd
}

func viewsCommand() *cobra.Command {
	var address string
	cmd := &cobra.Command{
		Use:   "views --mongo mongodb://…/database",
		Short: "Make the views movies, deliveries and usage_daily in MongoDB, or point them to the read models that are current",
		Long: "Make the views movies, deliveries and usage_daily in MongoDB, without keys of files and what is about people. Say it " +
			"again after an\n" +
			"upgrade that builds read models, and after `moviola rebuild`. docs/read-models.md has the user that analysts need.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if address == "" {
				return errors.New("name the MongoDB of the read models with --mongo")
			}
			docs, err := mongodb.Open(address)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, docs.Close(context.WithoutCancel(cmd.Context()))) }()
			models, err := projections.OpenExtract(cmd.Context(), docs)
			if err != nil {
				return err
			}
			made, err := docs.MakeViews(cmd.Context(), models.Collections())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "made the views %s\n", strings.Join(made, ", "))
			return err
		},
	}
	cmd.Flags().StringVar(&address, "mongo", "", "MongoDB of the read models, mongodb://…/database")
	return cmd
}

// exported maps the arguments of `moviola export` to tables.
var exported = map[string]string{"movies": "movies", "ledger": "ledger", "deliveries": "deliveries", "usage": "usage_daily"}

// ExportCommand is `moviola export`, which writes one table into a file.
func ExportCommand() *cobra.Command {
	var from readingModels
	var to, format, since string
	var withPersonal bool
	cmd := &cobra.Command{
		Use:   "export movies|ledger|deliveries|usage --to FILE",
		Short: "Write one table as CSV, as JSON lines or as Parquet",
		Long: "Write one table as CSV, as JSON lines or as Parquet, also while the service runs. What was cut short goes on where it " +
			"was when the same\n" +
			"is said again: the rows so far lie in FILE.part, and FILE.mark says how far they are. docs/read-models.md names the columns.",
		Args:      cobra.ExactArgs(1),
		ValidArgs: []string{"movies", "ledger", "deliveries", "usage"},
		RunE: func(cmd *cobra.Command, args []string) error {
			table, ok := extract.Named(exported[args[0]])
			if !ok {
				return fmt.Errorf("there is no table %q: name movies, ledger, deliveries or usage", args[0])
			}
			e := extract.Export{Table: table, Path: to, Want: extract.Want{WithPersonal: withPersonal}}
			var err error
			if e.Format, err = extract.ParseFormat(format); err != nil {
				return fmt.Errorf("--format: %w", err)
			}
			if since != "" {
				if e.Want.Since, ok = web.ParseTime(since, false); !ok {
					return fmt.Errorf("--since: %q is neither a date nor a date-time", since)
				}
			}
			if to == "" {
				return errors.New("name the file to write with --to")
			}
			return from.use(cmd.Context(), cmd.ErrOrStderr(), func(models *projections.Extract) error {
				return export(cmd.Context(), e, models, cmd.OutOrStdout())
			})
		},
	}
	from.bind(cmd.Flags())
	cmd.Flags().StringVar(&to, "to", "", "file to write; it must not be there")
	cmd.Flags().StringVar(&format, "format", "csv", "csv, jsonl or parquet")
	cmd.Flags().StringVar(&since, "since", "",
		"the earliest row: a date or date-time, UTC without a zone; of movies by created_at, of days by their end")
	cmd.Flags().BoolVar(&withPersonal, "with-personal", false,
		"fill the columns that are about people too: messages, names of connections, references of grants")
	return cmd
}

func export(ctx context.Context, e extract.Export, from *projections.Extract, stdout io.Writer) error {
	rows, err := e.Run(ctx, from)
	if err != nil {
		return fmt.Errorf("export %s, %d rows so far: %w", e.Table.Name, rows, err)
	}
	_, err = fmt.Fprintf(stdout, "%s holds %d rows of %s\n", e.Path, rows, e.Table.Name)
	return err
}
