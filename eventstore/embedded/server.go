package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/persistent"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/sirupsen/logrus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"moviola/eventstore/embedded/entry"
	"moviola/eventstore/embedded/logfile"
)

// Config says where a server keeps its log and where it listens.
type Config struct {
	// Dir is the data folder. It is created when missing. Only one server at a time can have it open.
	Dir string
	// Listen is a host:port; port 0 picks a free port. Empty means a unix socket that serves this user (and root) only.
	// Without UsersFile a port has no authentication. An address other than loopback needs TLS and users.
	Listen string
	// NeedsPass requires calls through the unix socket to contain the pass, a token made at each start and written beside
	// the socket (eventstore.PassFile). Calls that ask what the server can do need none.
	NeedsPass bool
	// CertFile and KeyFile are the PEM files of the server's certificate; empty: no TLS. UsersFile lists who may connect
	// (AddUser); it needs TLS. Changed files are read again.
	CertFile, KeyFile, UsersFile string
	// Refresh is the time between two checks of the certificate and users files for changes; 0: five seconds.
	Refresh time.Duration
	// Log receives messages for the operator; nil discards them.
	Log logrus.FieldLogger
	// Scavenge is the time between two rounds that remove the events excluded by $maxCount, $maxAge, $tb or deletion; 0: ten
	// seconds.
	Scavenge time.Duration
}

// maxMessageBytes is the maximum size of one gRPC message in bytes: the protocol's own limit, far above that of an append.
const maxMessageBytes = 17 << 20

// Server is an open log and its listener.
type Server struct {
	addr     string
	listener net.Listener
	grpc     *grpc.Server
	writer   *writer
	tail     *tail
	log      logfile.Storage
	folder   *logfile.Folder
	access   *entry.Access
	groups   *groups
	closing  chan struct{} // closed when subscriptions have to end
	tidy     sync.WaitGroup
	tidyEnd  context.CancelFunc

	closeOnce sync.Once
	closeErr  error
}

// Open opens the listener, and the log in the data folder. After that clients can connect; they are served when Serve runs. The
// time that Open takes does not depend on the length of the log.
func Open(config Config) (*Server, error) {
	return open(config, tailRecords, func(path string) (logfile.Storage, error) { return logfile.Open(path) })
}

// open is Open with any storage, and with the number of records kept in memory.
func open(config Config, records int, openLog func(path string) (logfile.Storage, error)) (_ *Server, err error) {
	s := &Server{closing: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("open the event store in %s: %w", config.Dir, err), s.release())
		}
	}()
	settings := entry.Settings{
		Listen: config.Listen, CertFile: config.CertFile, KeyFile: config.KeyFile, UsersFile: config.UsersFile,
	}
	if err := settings.Check(); err != nil {
		return nil, err
	}
	if s.access, err = entry.NewAccess(settings, orDiscard(config.Log)); err != nil {
		return nil, err
	}
	if s.folder, err = logfile.OpenFolder(config.Dir); err != nil {
		return nil, err
	}
	log, err := openLog(s.folder.Path())
	if err != nil {
		return nil, err
	}
	s.log = log
	if err := s.folder.Sync(); err != nil {
		return nil, err
	}
	last, err := log.LastPosition(context.Background())
	if err != nil {
		return nil, err
	}
	if s.listener, s.addr, err = entry.Listen(config.Dir, config.Listen); err != nil {
		return nil, err
	}
	if config.NeedsPass && config.Listen == "" {
		if err := s.access.NeedPass(s.listener); err != nil {
			return nil, err
		}
	}
	if err := s.start(config, newTail(last, records), orDiscard(config.Log)); err != nil {
		s.end() // background goroutines must end before the log is closed
		return nil, err
	}
	return s, nil
}

func orDiscard(log logrus.FieldLogger) logrus.FieldLogger {
	if log != nil {
		return log
	}
	silent := logrus.New()
	silent.SetOutput(io.Discard)
	return silent
}

// start starts the writer and registers the services; calls are answered when Serve runs.
func (s *Server) start(config Config, tail *tail, log logrus.FieldLogger) error {
	s.tail = tail
	s.writer = newWriter(s.log, tail, time.Now, log)
	go s.writer.run()
	scavenger := &scavenger{
		log: s.log, writer: s.writer, now: time.Now, note: log, every: config.Scavenge, orders: make(chan chan removed),
	}
	if scavenger.every <= 0 {
		scavenger.every = defaultScavenge
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.tidyEnd = cancel
	s.tidy.Go(func() { scavenger.run(ctx) })
	s.tidy.Go(func() { s.access.Watch(ctx, config.Refresh) })
	s.grpc = grpc.NewServer(append(s.access.Options(),
		grpc.WaitForHandlers(true), // wait for running calls even after a hard stop: the log must not be closed while a call reads it
		grpc.MaxRecvMsgSize(maxMessageBytes),
		grpc.MaxSendMsgSize(maxMessageBytes),
		// Clients ping every 10 s even when idle; grpc's own policy would disconnect them for that.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
	)...)
	service := &service{log: s.log, tail: tail, writer: s.writer, note: log, now: time.Now, closing: s.closing}
	var err error
	if s.groups, err = openGroups(ctx, service); err != nil {
		return err
	}
	streams.RegisterStreamsServer(s.grpc, service)
	persistent.RegisterPersistentSubscriptionsServer(s.grpc, &persistentService{service: service, groups: s.groups})
	entry.Register(s.grpc, s.listener.Addr())
	s.grpc.RegisterService(&adminService, admin{scavenger: scavenger, closing: s.closing})
	return nil
}

// Addr is the address that a client dials: "unix:///path" or "127.0.0.1:port". With a unix socket it is the same at every start.
func (s *Server) Addr() string { return s.addr }

// Refresh reads certificate and users again, changed or not. When a file cannot be read, its old content stays in force, and
// Refresh returns the error.
func (s *Server) Refresh() error { return s.access.Refresh(true) }

// Serve answers clients until Close is called; it then returns nil.
func (s *Server) Serve() error {
	err := s.grpc.Serve(s.listener)
	select {
	case <-s.closing:
		return nil
	default:
	}
	if err != nil {
		return fmt.Errorf("serve the event store: %w", err)
	}
	return nil
}

// Head returns the position of the last event that clients can see, system events included; 0 when the log is empty. It is never
// before an event whose append was acknowledged.
func (s *Server) Head() uint64 { return uint64(max(0, s.tail.edge())) }

// Health returns nil while the server works. Otherwise the error says what is wrong: after a write error the log is read-only
// until the server is restarted; while the disk is full, appends are refused.
func (s *Server) Health() error { return s.writer.health() }

// Close ends subscriptions, waits for running calls until ctx ends and then cancels them, and closes log and listener. It
// may be called more than once, and before or without Serve.
func (s *Server) Close(ctx context.Context) error {
	s.closeOnce.Do(func() {
		close(s.closing)
		finished := make(chan struct{})
		go func() {
			defer close(finished)
			s.grpc.GracefulStop()
		}()
		select {
		case <-finished:
		case <-ctx.Done():
			s.grpc.Stop() // cancels the remaining calls
			<-finished
		}
		s.end()
		s.closeErr = s.release()
	})
	return s.closeErr
}

// end stops the background goroutines. No call is running any more.
func (s *Server) end() {
	s.tidyEnd()
	s.tidy.Wait()
	if s.groups != nil {
		s.groups.close()
	}
	s.writer.close()
}

// release closes the resources in an order in which nothing is closed before its users.
func (s *Server) release() error {
	var all []error
	if s.listener != nil {
		if err := s.listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			all = append(all, err)
		}
	}
	if s.log != nil {
		all = append(all, s.log.Close())
	}
	if s.folder != nil {
		all = append(all, s.folder.Close())
	}
	return errors.Join(all...)
}
