package projections

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/eventstore"
)

// Config is what Open needs. Documents and Log are required.
type Config struct {
	Documents Documents
	Log       *eventstore.Log
	// Project makes this process fold the log into the read models. Without it, the Reader of this process only follows
	// how far other processes have folded the log.
	Project bool
	// RenderTimeout is how long a movie may render from its first RenderStarted. Default: 15 minutes.
	RenderTimeout time.Duration
	// AbandonAfter is the age at which a hold without a movie is abandoned. Default: 10 minutes.
	AbandonAfter time.Duration
	// FileRetention is how long a rendered file is kept after the render's end. Default: 7 days.
	FileRetention time.Duration
	// TempRetention is how long files in the folder temp of a media library are kept. Default: 72 hours.
	TempRetention time.Duration
	// MoveAfter is the age at which a worker completes an unfinished move in a media library. Default: 10 seconds.
	MoveAfter time.Duration
	// BatchAfter is the age at which a worker completes a batch whose credits are not held yet. Default: 15 seconds.
	BatchAfter time.Duration
	// ZeroRetention is how long the files of an account are kept while its balance is zero. Default: 30 days.
	ZeroRetention time.Duration
	// ClearAgain is the time after which the files of a closed account are removed a second time. Default: 24 hours.
	ClearAgain time.Duration
	// Head returns the end of the log without a delay, and never a position before an event that was acknowledged
	// earlier. It is nil when the log is in another process: then the log is read, and callers that ask at about the
	// same time share a read.
	Head func() eventstore.Position
	// BatchEvents is the maximum of events in one commit at the end of the log. Default: 1,000.
	BatchEvents int
	// BehindEvents is the maximum of events in one commit until the end of the log is reached. Default: BatchEvents, or 10,000 when
	// that is not set.
	BehindEvents int
	// Thread starts a thread that folds and commits, so that it can run at a lower priority than the threads that answer clients.
	// nil: the calling goroutine does it.
	Thread func() Thread
	// MaxLag is the maximum age of an event that the read models lack: above it, lists return a *BehindError, and balances are
	// folded from the log. Zero: no limit. Decision 59.
	MaxLag time.Duration
	Now    func() time.Time   // default: time.Now; for boards, sweeping, intervals, lag, never for the content of documents
	Logger logrus.FieldLogger // nil: nothing is logged
}

// Thread runs functions one after the other. Do returns when the function has returned; Close is the last call.
type Thread interface {
	Do(do func())
	Close()
}

// onTheSpot is a Thread that runs functions in the calling goroutine.
type onTheSpot struct{}

func (onTheSpot) Do(do func()) { do() }
func (onTheSpot) Close()       {}

func (c Config) withDefaults() Config {
	c.RenderTimeout = orDefault(c.RenderTimeout, 15*time.Minute)
	c.AbandonAfter = orDefault(c.AbandonAfter, 10*time.Minute)
	c.FileRetention = orDefault(c.FileRetention, 7*24*time.Hour)
	c.TempRetention = orDefault(c.TempRetention, 72*time.Hour)
	c.MoveAfter = orDefault(c.MoveAfter, 10*time.Second)
	c.BatchAfter = orDefault(c.BatchAfter, 15*time.Second)
	c.ZeroRetention = orDefault(c.ZeroRetention, 30*24*time.Hour)
	c.ClearAgain = orDefault(c.ClearAgain, 24*time.Hour)
	if c.BatchEvents <= 0 {
		c.BatchEvents, c.BehindEvents = 1000, orDefault(c.BehindEvents, 10_000)
	}
	c.BehindEvents = orDefault(c.BehindEvents, c.BatchEvents)
	if c.Thread == nil {
		c.Thread = func() Thread { return onTheSpot{} }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		silent := logrus.New()
		silent.SetOutput(io.Discard)
		c.Logger = silent
	}
	return c
}

// head returns the function that reads the end of the log.
func (c Config) head() func(context.Context) (eventstore.Position, error) {
	if c.Head == nil {
		return newHeads(c.Log.Store()).now
	}
	return func(context.Context) (eventstore.Position, error) { return c.Head(), nil }
}

func orDefault[T ~int | ~int64](value, otherwise T) T {
	if value <= 0 {
		return otherwise
	}
	return value
}

// ReadModels are the queries of this process, and the Reader that keeps their documents current.
type ReadModels struct {
	Movies   *Movies
	Accounts *Accounts
	Keys     *Keys
	Balances *Balances
	// Statements are the queries for the entries of ledgers, Acts those for the acts of operators.
	Statements *Statements
	Acts       *Acts
	Library    *Library
	Preloads   *Preloads
	Batches    *MovieBatches
	Usage      *UsageDays
	// Connections are the queries for saved connections. Their answers contain no secrets.
	Connections *Connections
	Deliveries  *Deliveries
	Templates   *Templates
	Work        *Work
	Presence    *PresenceBoard
	Trouble     *TroubleBoard
	Processes   *ProcessBoard
	Reader      *Reader
}

// ModelNames returns the names of the read models, as `moviola rebuild` takes them.
func ModelNames() []string {
	var names []string
	for _, m := range allModels(Config{}) {
		names = append(names, m.name())
	}
	return names
}

// allModels returns the read models of this program.
func allModels(config Config) []model {
	return []model{
		movieModel, accountModel, keyModel, balanceModel, statementModel{}, actModel{},
		workModel{renderTimeout: config.RenderTimeout, abandonAfter: config.AbandonAfter, fileRetention: config.FileRetention,
			tempRetention: config.TempRetention, moveAfter: config.MoveAfter,
			zeroRetention: config.ZeroRetention, clearAgain: config.ClearAgain, batchAfter: config.BatchAfter},
		mediaModel{}, folderModel{}, preloadModel, connectionModel, templateModel, movieBatchModel, deliveryModel{},
		usageModel{}, termModel{},
	}
}

// Open opens the read models, creates their first generation if there is none, and returns the queries over them.
// Queries work at once on the stored documents, except that lists may be refused with a *BehindError; Reader.Run brings
// the documents up to the end of the log.
func Open(ctx context.Context, config Config) (*ReadModels, error) {
	if config.Documents == nil || config.Log == nil {
		return nil, errors.New("read models: a document store and a log are required")
	}
	config = config.withDefaults()
	at := &catalogue{docs: config.Documents, models: allModels(config)}
	reader, err := newReader(ctx, config, at)
	if err != nil {
		return nil, fmt.Errorf("open the read models: %w", err)
	}
	return &ReadModels{
		Movies:      &Movies{at: at, log: config.Log, reader: reader, head: config.head()},
		Accounts:    &Accounts{at: at, log: config.Log},
		Keys:        &Keys{at: at},
		Balances:    &Balances{at: at, log: config.Log},
		Statements:  &Statements{at: at},
		Acts:        &Acts{at: at},
		Library:     &Library{at: at, log: config.Log},
		Preloads:    &Preloads{at: at, log: config.Log},
		Batches:     &MovieBatches{at: at, log: config.Log},
		Usage:       &UsageDays{at: at},
		Connections: &Connections{at: at},
		Deliveries:  &Deliveries{at: at},
		Templates:   &Templates{at: at, log: config.Log},
		Work:        &Work{at: at, next: make(map[string]string)},
		Presence:    newPresenceBoard(config.Documents, config.Now),
		Trouble:     newTroubleBoard(at, config.Now),
		Processes:   newProcessBoard(config.Documents, config.Now),
		Reader:      reader,
	}, nil
}
