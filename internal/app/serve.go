package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/sqlite"
	"moviola/internal/app/observing"
	"moviola/internal/config"
	"moviola/internal/host"
	"moviola/internal/stores"
)

// httpGrace is how long a shutdown waits for running requests.
const httpGrace = 5 * time.Second

// handBack is the part of the drain timeout that is reserved for releasing unfinished work; half of the timeout, if that is
// less.
const handBack = 3 * time.Second

// Serve runs one process of an installation until ctx ends or a part of the process fails, and then drains it. When the
// database of the read models is damaged, it restarts the program in the same process, unless the last restart was too
// recent; the start sets the damaged file aside.
func Serve(ctx context.Context, cfg config.Config, log *logrus.Logger, stdout io.Writer) error {
	host.Tune(log)
	err := serveOnce(ctx, cfg, log, stdout)
	if errors.Is(err, sqlite.ErrDamaged) && ctx.Err() == nil {
		return host.StartAnew(log, err)
	}
	return err
}

func serveOnce(ctx context.Context, cfg config.Config, log *logrus.Logger, stdout io.Writer) error {
	// The event store is examined first: a start that fails here must neither create files nor print anything.
	if err := stores.ExamineEventStore(ctx, cfg, log); err != nil {
		return err
	}
	s, err := newService(ctx, cfg, log)
	if err != nil {
		return err
	}
	err = s.run(ctx, stdout)
	return errors.Join(err, s.close(context.WithoutCancel(ctx)))
}

// actors are the long-running parts of a process. When one ends by itself, the process ends.
type actors struct {
	ended   chan error // errors of parts that have ended by themselves
	running sync.WaitGroup
}

// start runs the function run, a long-running part of the process, in a goroutine of its own. what names the part in its
// error. When the part is the first to end, a.ended receives its error, or nil.
func (a *actors) start(what string, run func() error) {
	a.running.Go(func() {
		err := run()
		if err != nil {
			err = fmt.Errorf("%s: %w", what, err)
		}
		select {
		case a.ended <- err:
		default: // another part has ended before: only the error of the first part that has ended is reported
		}
	})
}

// run starts all parts, waits for ctx or for a part that fails, and shuts down in order.
func (s *service) run(ctx context.Context, stdout io.Writer) error {
	listeners, err := s.listen(ctx) // the listeners are opened first: if that fails, no key is issued that nobody would see
	if err != nil {
		return err
	}
	key, err := s.openFirstAccount(ctx)
	if err != nil {
		for _, ln := range listeners {
			err = errors.Join(err, ln.Close())
		}
		return err
	}
	parts := &actors{ended: make(chan error, 1)}
	reading, stopReading := context.WithCancel(context.WithoutCancel(ctx))
	defer stopReading()
	if s.Stores.Server != nil {
		parts.start("event store", func() error { return s.Stores.WatchServer(reading) })
	}
	if s.Stores.Damaged != nil {
		parts.start("file of the read models", func() error { return s.Stores.WatchDocuments(reading) })
	}
	parts.start("read models", func() error { return s.Models.Reader.Run(reading) })
	if s.front != nil {
		parts.start("keys", func() error { return s.front.Keys.Run(reading) })
	}
	if s.background.Work != nil {
		parts.start("work", func() error { return s.background.Work.Run(context.WithoutCancel(ctx)) })
	}
	parts.start("disk", func() error { s.Disk.Run(reading); return nil })
	parts.start("processes", func() error { return (&observing.Observing{Parts: s.Parts}).TellOthers(reading) })
	parts.start("chores", func() error { return s.background.Chores.Run(reading) })
	if s.background.Curator != nil {
		parts.start("library", func() error { return s.background.Curator.Run(reading) })
	}
	if s.background.Anchors != nil {
		parts.start("anchors", func() error { return s.background.Anchors.Run(reading) })
	}
	if s.certificate != nil {
		parts.start("certificate", func() error { return s.watchCertificate(reading) })
	}
	for server, ln := range listeners {
		parts.start("http", func() error { return serveHTTP(server, ln) })
	}

	err = s.announce(stdout, key)
	if err == nil {
		select {
		case <-ctx.Done():
			s.Logger.Info("draining: no new work is started, and work that does not end soon is handed back")
		case err = <-parts.ended:
			s.Logger.WithError(err).Error("a part of the service failed; the process stops")
		}
	}
	err = errors.Join(err, s.drain(context.WithoutCancel(ctx)))
	stopReading() // the reader of the log commits what it has read, and then ends
	parts.running.Wait()
	return err
}

// drain stops accepting requests and work, and waits for the requests and the work that are running. It waits for requests
// for at most httpGrace, and for work until the drain timeout, less the part of it that handBack reserves, has passed.
// Work that is still running then is released.
func (s *service) drain(ctx context.Context) error {
	s.Host.Drain()
	var all sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	do := func(limit time.Duration, step func(context.Context) error) {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, limit)
			defer cancel()
			err := step(ctx)
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
		})
	}
	for _, server := range []*http.Server{s.public, s.ops} {
		if server != nil {
			do(httpGrace, func(ctx context.Context) error { return shutdownHTTP(ctx, server) })
		}
	}
	if s.background.Work != nil {
		do(s.Config.DrainTimeout-min(s.Config.DrainTimeout/2, handBack), s.background.Work.Drain)
	}
	all.Wait()
	return errors.Join(errs...)
}

func serveHTTP(server *http.Server, ln net.Listener) error {
	if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// shutdownHTTP waits for running requests. It cuts off those that take too long, which is no error.
func shutdownHTTP(ctx context.Context, server *http.Server) error {
	if err := server.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return server.Close()
}
