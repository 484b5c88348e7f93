// Package ftp uploads files to FTP and SFTP servers. The caller dials: the package opens no sockets. Files are streamed; missing
// folders are created. The package does not interpret files or results.
package ftp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"path"
	"strings"
	"time"

	"github.com/jlaffaye/ftp"

	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/connection"
)

var _ deliveries.Sender = (*FTP)(nil)

// ControlPort is the default port of FTP servers.
const ControlPort = 21

// closeTime is the time limit that the FTP client sets on a connection while it waits for the server to confirm a file. A
// connection that sets deadlines of its own, such as one of outbound.Guard.Dialer, replaces this limit with them.
const closeTime = 10 * time.Second

// testName is the name of the file that Test uploads and removes.
const testName = "moviola-connection-test.txt"

// testContent is the content of the file that Test uploads.
const testContent = "A test of a connection. It can be removed.\n"

// DialFunc connects to host:port. The connection is closed when ctx ends.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// Config is the configuration of the senders.
type Config struct {
	Dial DialFunc
	// Explain returns the part of a network error that may be shown, without any address. False: it is no network error.
	Explain func(error) (string, bool)
	// TLS is the base of the configuration for encrypted connections; nil: the system's certificate authorities.
	TLS *tls.Config
}

// FTP uploads by FTP, encrypted if the destination requires it.
type FTP struct{ cfg Config }

// NewFTP returns a sender.
func NewFTP(cfg Config) *FTP { return &FTP{cfg} }

// Send implements deliveries.Sender.
func (f *FTP) Send(ctx context.Context, parcel deliveries.Parcel) (deliveries.Receipt, error) {
	file, err := parcel.Open(ctx)
	if err != nil {
		return deliveries.Receipt{}, err
	}
	defer file.Close()
	source := &source{Reader: file}
	err = f.with(ctx, parcel.Settings, func(server *ftp.ServerConn) error {
		makeFolders(server, parcel.Settings.RemoteFolder())
		refused, err := storeWhole(server, parcel.Part(), parcel.Settings.RemoteFile(), source)
		if refused {
			if _, err = file.Seek(0, io.SeekStart); err != nil {
				source.err = err
				return err
			}
			err = server.Stor(parcel.Settings.RemoteFile(), source)
		}
		return inStep("the server did not take the file", err)
	})
	return deliveries.Receipt{}, source.blame(err)
}

// storeWhole writes a video under the name part, and renames it when it is whole, so that a transfer that breaks off leaves no
// half of it under its final name. It returns refused when the server does not allow the name part or the renaming: then the
// video has to be written under its final name at once.
func storeWhole(server *ftp.ServerConn, part, name string, source *source) (refused bool, err error) {
	if err := server.Stor(part, source); err != nil {
		refused = source.err == nil && isRefused(err)
		_ = server.Delete(part)
		return refused, err
	}
	if source.err != nil { // the server takes the end of the connection for the end of the file
		_ = server.Delete(part)
		return false, source.err
	}
	err = server.Rename(part, name)
	if isRefused(err) && server.Delete(name) == nil { // some servers rename to no name that is taken
		err = server.Rename(part, name)
	}
	if err != nil {
		_ = server.Delete(part)
	}
	return isAnswer(err), err
}

// isRefused reports whether the server's answer is that a name is not allowed.
func isRefused(err error) bool {
	var answer *textproto.Error
	return errors.As(err, &answer) && (answer.Code == ftp.StatusFileUnavailable || answer.Code == ftp.StatusBadFileName)
}

// isAnswer reports whether an error is an answer of the server that refuses a command for good.
func isAnswer(err error) bool {
	var answer *textproto.Error
	return errors.As(err, &answer) && answer.Code >= 500
}

// Test implements deliveries.Sender: it logs in, uploads a small file and removes it.
func (f *FTP) Test(ctx context.Context, parcel deliveries.Parcel) (deliveries.Receipt, error) {
	return deliveries.Receipt{}, f.with(ctx, parcel.Settings, func(server *ftp.ServerConn) error {
		makeFolders(server, parcel.Settings["remote-path"])
		name := path.Join(parcel.Settings["remote-path"], testName)
		if err := server.Stor(name, strings.NewReader(testContent)); err != nil {
			return inStep("the server did not take a file", err)
		}
		return inStep("the server did not remove a file", server.Delete(name))
	})
}

// with logs in to a server and calls do.
func (f *FTP) with(ctx context.Context, s connection.Settings, do func(*ftp.ServerConn) error) error {
	address := net.JoinHostPort(s["host"], portOf(s, ControlPort))
	err := f.session(ctx, s, address, do)
	return f.cfg.fail(ctx, "ftp://"+address, err)
}

func (f *FTP) session(ctx context.Context, s connection.Settings, address string, do func(*ftp.ServerConn) error) error {
	road := &road{ctx: ctx, dial: f.cfg.Dial}
	options := []ftp.DialOption{ftp.DialWithDialFunc(road.connect), ftp.DialWithShutTimeout(closeTime)}
	if s["secure"] == "true" {
		// Both connections to the server share this configuration with its cache of TLS sessions, because servers may
		// require the data connection to resume the TLS session of the control connection.
		road.secure = cloneTLS(f.cfg.TLS)
		road.secure.ServerName, road.secure.ClientSessionCache = s["host"], tls.NewLRUClientSessionCache(4)
		options = append(options, ftp.DialWithExplicitTLS(road.secure))
	}
	server, err := ftp.Dial(address, options...)
	if err != nil {
		return inStep("the connection failed", err)
	}
	defer func() { _ = server.Quit() }() // uploads were confirmed before, so an error loses nothing
	if err := server.Login(s["username"], s["password"]); err != nil {
		return inStep("the login failed", err)
	}
	return do(server)
}

// road dials the connections of one session. For a data connection the server sends an address, of which only the port is used.
type road struct {
	ctx    context.Context
	dial   DialFunc
	secure *tls.Config
	host   string // peer of the control connection, once it is connected
}

func (r *road) connect(network, address string) (net.Conn, error) {
	if r.host == "" {
		conn, err := r.dial(r.ctx, network, address)
		if err != nil {
			return nil, err
		}
		r.host, _, err = net.SplitHostPort(conn.RemoteAddr().String())
		return conn, err
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	conn, err := r.dial(r.ctx, network, net.JoinHostPort(r.host, port))
	if err != nil || r.secure == nil {
		return conn, err
	}
	return tls.Client(conn, r.secure), nil
}

// makeFolders creates the folders of a path. It ignores errors: existing folders cause some, and a folder that is still missing
// makes the upload fail.
func makeFolders(server *ftp.ServerConn, folder string) {
	for _, dir := range folders(folder) {
		_ = server.MakeDir(dir)
	}
}

// folders returns all parent folders of a path and the path itself, from the top down.
func folders(folder string) []string {
	folder = path.Clean(folder)
	var list []string
	for at := folder; at != "." && at != "/"; at = path.Dir(at) {
		list = append([]string{at}, list...)
	}
	return list
}

// failure is an error with the step that failed.
type failure struct {
	step string
	error
}

func (f failure) Unwrap() error { return f.error }

// inStep adds the step to an error; nil stays nil.
func inStep(step string, err error) error {
	if err == nil {
		return nil
	}
	return failure{step, err}
}

// fail turns an error into a message for the account. Texts of servers are left out: they repeat paths and names.
func (c Config) fail(ctx context.Context, origin string, err error) error {
	var refusal *domain.Error
	switch {
	case err == nil || errors.As(err, &refusal):
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("send to %s: %w", origin, context.Cause(ctx))
	}
	why := "the transfer failed"
	var step failure
	if errors.As(err, &step) {
		why = step.step
	}
	var answer *textproto.Error
	if errors.As(err, &answer) {
		why = fmt.Sprintf("%s (%d)", why, answer.Code)
	} else if reason, ok := c.Explain(err); ok {
		why = reason
	}
	return notDelivered(origin, why)
}

func notDelivered(origin, why string) error {
	return domain.Errorf(domain.Invalid, "not_delivered", "Not delivered to %s: %s", origin, why)
}

// source records read errors of the file, to tell them from errors of the network.
type source struct {
	io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// blame returns the read error of the file if there was one, otherwise err.
func (s *source) blame(err error) error {
	if s.err != nil {
		return fmt.Errorf("read the video: %w", s.err)
	}
	return err
}

func portOf(s connection.Settings, standard int) string {
	if s["port"] != "" {
		return s["port"]
	}
	return fmt.Sprint(standard)
}

func cloneTLS(base *tls.Config) *tls.Config {
	if base == nil {
		return &tls.Config{MinVersion: tls.VersionTLS12}
	}
	return base.Clone()
}
