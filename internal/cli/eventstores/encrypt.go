package eventstores

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"time"

	"moviola/eventstore"
	"moviola/eventstore/eventstoredb"
	"moviola/internal/accountkeys"
	"moviola/internal/config"
	"moviola/internal/stores"
)

// encrypted is a log whose events are encrypted under the keys of their accounts while they are read.
type encrypted struct {
	eventstoredb.Source
	codec *eventstore.Codec

	events int64 // number of events that encryption has changed since the last call of ReadEverything
}

// ReadStream implements eventstoredb.Source.
func (e *encrypted) ReadStream(
	ctx context.Context, stream string, dir eventstore.Direction, from eventstore.Revision,
) iter.Seq2[eventstore.Recorded, error] {
	return e.through(e.Source.ReadStream(ctx, stream, dir, from), nil)
}

// ReadEverything implements eventstoredb.Source.
func (e *encrypted) ReadEverything(
	ctx context.Context, dir eventstore.Direction, from eventstore.Position,
) iter.Seq2[eventstore.Recorded, error] {
	e.events = 0
	return e.through(e.Source.ReadEverything(ctx, dir, from), func() { e.events++ })
}

// through encrypts the personal data in events, and calls counted for each event that differs from the stored one.
func (e *encrypted) through(all iter.Seq2[eventstore.Recorded, error], counted func()) iter.Seq2[eventstore.Recorded, error] {
	return func(yield func(eventstore.Recorded, error) bool) {
		for event, err := range all {
			differs := false
			if err == nil {
				event, differs, err = e.codec.Encrypt(event)
			}
			if differs && counted != nil {
				counted()
			}
			if !yield(event, err) || err != nil {
				return
			}
		}
	}
}

// keyStore opens the keys of the accounts of the installation whose log is copied: in its data folder, which is above the folder
// of the log, or in its MongoDB.
func keyStore(logFolder, mongo string) (accountkeys.KeyStore, func(context.Context) error, error) {
	folder := filepath.Dir(filepath.Clean(logFolder))
	if mongo == "" {
		if _, err := os.Stat(folder); err != nil {
			return nil, nil, fmt.Errorf("the keys of accounts lie in the data folder of the installation: name its log with --data, or "+
				"say with --mongo where they are: %w", err)
		}
	}
	return stores.OpenKeyStore(config.Config{Data: folder, Mongo: mongo})
}

// copyEncrypted copies the log as c.run does, but encrypts personal data in the copied events under the keys of their
// accounts. The keys come from the installation's key store. An account without a key gets a new one in that store.
func copyEncrypted(ctx context.Context, w io.Writer, c copying, logFolder, mongo string) (err error) {
	store, closeStore, err := keyStore(logFolder, mongo)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore(context.WithoutCancel(ctx))) }()
	if err := store.Prepare(ctx); err != nil {
		return err
	}
	codec := eventstore.NewCodec().WithKeys(accountkeys.NewRing(store, true, time.Now))
	var sealing *encrypted
	c.through = func(from eventstoredb.Source) eventstoredb.Source {
		sealing = &encrypted{Source: from, codec: codec}
		return sealing
	}
	if err := c.run(ctx, w); err != nil {
		return err
	}
	saved, err := accountkeys.Save(ctx, store, time.Now())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%d events with personal data in clear are encrypted in the target, or have none where their account "+
		"was erased; %d accounts have keys: save them now, with moviola accounts keys backup --to …\n", sealing.events, len(saved.Keys))
	return err
}
