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
	// Project makes this process keep the read models up to the log. Without it, its Reader watches how far others have come.
	Project bool
	// RenderTimeout is how long a movie may render from its first RenderStarted. Default: 15 minutes.
	RenderTimeout time.Duration
	// AbandonAfter is the age at which a hold whose movie has not come is given up. Default: 10 minutes.
	AbandonAfter time.Duration
	// FileRetention is how long a rendered file is kept after the render's end. Default: 7 days.
	FileRetention time.Duration
	// TempRetention is how long files in the folder temp of a media library are kept. Default: 72 hours.
	TempRetention time.Duration
	// MoveAfter is the age at which a move in a media library that has not ended is completed by work. Default: 10 seconds.
	MoveAfter time.Duration
	// BatchAfter is the age at which a batch whose credits are not held is completed by work. Default: 15 seconds.
	BatchAfter time.Duration
	// ZeroRetention is how long what is stored for an account is kept while its balance is zero. Default: 30 days.
	ZeroRetention time.Duration
	// ClearAgain is how long after the first time what is stored for a closed account is removed once more. Default: 24 hours.
	ClearAgain time.Duration
	// Head returns where the log ends, at once, and never less than what was acknowledged before the question. Without one, which is how
	// it is with a log elsewhere, the log is asked, once for all who ask meanwhile.
	Head func() eventstore.Position
	// BatchEvents is how many events one commit covers at most. Default: 1,000.
	BatchEvents int
	// Thread starts a thread that folds and commits, so that it may stand behind what answers clients. Default: there is none, and it is
	// done where it is called.
	Thread func() Thread
	// MaxLag is the age of an event from which on its absence from the read models makes lists an error (*BehindError), and balances come from
	// the log. Default: lists are answered from what is there. Decision 59.
	MaxLag time.Duration
	Now    func() time.Time   // default: time.Now; for presence, sweeping and waits, never for what a document says
	Logger logrus.FieldLogger // default: nothing is logged
}

// Thread does one thing after the other. Do returns when the function has ended; Close comes last.
type Thread interface {
	Do(do func())
	Close()
}

// onTheSpot is no thread at all.
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
	c.BatchEvents = orDefault(c.BatchEvents, 1000)
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

// head returns how to find out where the log ends.
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

// ReadModels are the queries of this process, and the Reader that keeps what they read up to date.
type ReadModels struct {
	Movies   *Movies
	Accounts *Accounts
	Keys     *Keys
	Balances *Balances
	// Statements are the entries of the ledgers, Acts those of the operators.
	Statements *Statements
	Acts       *Acts
	Library    *Library
	Preloads   *Preloads
	Batches    *MovieBatches
	Usage      *UsageDays
	// Connections are the saved connections, without their secrets.
	Connections *Connections
	Templates   *Templates
	Work        *Work
	Presence    *PresenceBoard
	Trouble     *TroubleBoard
	Reader      *Reader
}

// allModels are the read models of this program.
func allModels(config Config) []model {
	return []model{
		movieModel, accountModel, keyModel, balanceModel, statementModel{}, actModel{},
		workModel{renderTimeout: config.RenderTimeout, abandonAfter: config.AbandonAfter, fileRetention: config.FileRetention,
			tempRetention: config.TempRetention, moveAfter: config.MoveAfter,
			zeroRetention: config.ZeroRetention, clearAgain: config.ClearAgain, batchAfter: config.BatchAfter},
		mediaModel{}, folderModel{}, preloadModel, connectionModel, templateModel, movieBatchModel, deliveryModel{}, usageModel{}, termModel{},
	}
}

// Open finds the current generation of the read models, or begins the first, and returns the queries over it. Queries
// answer at once, from what is there; Reader.Run brings it up to the log.
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
		Templates:   &Templates{at: at, log: config.Log},
		Work:        &Work{at: at, next: make(map[string]string)},
		Presence:    newPresenceBoard(config.Documents, config.Now),
		Trouble:     newTroubleBoard(at, config.Now),
		Reader:      reader,
	}, nil
}
