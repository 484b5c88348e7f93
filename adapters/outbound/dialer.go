package outbound

import (
	"context"
	"errors"
	"net"
	"time"
)

// DialOptions configure the connections of a protocol other than HTTP.
type DialOptions struct {
	// Ports are the usual ports of the protocol. The dial function may connect to them, even to those that are refused to
	// other protocols.
	Ports []int
	// Connect is the time limit for resolving and connecting, all addresses together; 0: only the context's.
	Connect time.Duration
	// Idle is the time after which a Read or Write that transfers nothing fails; 0: never.
	Idle time.Duration
}

// Dialer returns the guarded dial function of one protocol. Its errors are *Refused or *Failure, and show no more of the
// address than host and port. The connection ends when the context that it was dialled with ends: this stops a transfer at
// once.
func (g *Guard) Dialer(o DialOptions) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		connecting := ctx
		if o.Connect > 0 {
			var cancel context.CancelFunc
			connecting, cancel = context.WithTimeout(ctx, o.Connect)
			defer cancel()
		}
		conn, err := g.dial(connecting, network, address, o.Ports)
		if err != nil {
			var refused *Refused
			if errors.As(err, &refused) {
				return nil, refused
			}
			return nil, &Failure{Address: address, why: reason(err), cause: err}
		}
		live := &liveConn{Conn: conn, idle: o.Idle}
		live.stop = context.AfterFunc(ctx, func() { _ = conn.Close() })
		return live, nil
	}
}

// liveConn sets its deadline anew before each Read and Write.
type liveConn struct {
	net.Conn
	idle time.Duration
	stop func() bool
}

func (c *liveConn) Read(p []byte) (int, error) {
	if err := c.extend(c.SetReadDeadline); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c *liveConn) Write(p []byte) (int, error) {
	if err := c.extend(c.SetWriteDeadline); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

func (c *liveConn) extend(set func(time.Time) error) error {
	if c.idle <= 0 {
		return nil
	}
	return set(time.Now().Add(c.idle))
}

// Close implements net.Conn.
func (c *liveConn) Close() error {
	c.stop()
	return c.Conn.Close()
}

// Explain returns a public explanation of an error on a connection of Dialer, without any address; false when the error is not
// one of the network.
func Explain(err error) (string, bool) {
	var refused *Refused
	var failure *Failure
	switch {
	case errors.As(err, &refused):
		return refused.why, true
	case errors.As(err, &failure):
		return failure.why, true
	}
	why := reason(err)
	return why, why != otherwise
}
