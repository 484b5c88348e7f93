package outbound

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// maxDials is the largest number of a name's addresses that are tried. All of them are checked.
const maxDials = 8

// minDial is the least time for one address while others are still to be tried.
const minDial = 2 * time.Second

// notPublic is the message for all refused addresses, so that it does not reveal which networks exist.
const notPublic = "the host is not a public address"

// DialContext connects to host:port over TCP once every address of the host has been found to be public and not one of this
// host, or when the operator has allowed exactly that host and port. Its error is *Refused if the guard refuses, otherwise
// that of resolving the host, of the context, or of the first address that could not be reached.
func (g *Guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return g.dial(ctx, network, address, nil)
}

// dial connects as DialContext does. home are the usual ports of the caller's protocol, which are refused to other protocols.
func (g *Guard) dial(ctx context.Context, network, address string, home []int) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, refuse("", "the address has no host and port")
	}
	if network != "tcp" && network != "tcp4" && network != "tcp6" {
		return nil, refuse(address, "only TCP connections are made")
	}
	if g.allowed(host, port) {
		return g.dialAllowed(ctx, network, host, port)
	}
	if err := g.checkHostPort(host, port, home); err != nil {
		return nil, err
	}
	if hasSuffix(host, unresolvable) {
		return nil, fmt.Errorf("resolve host: %w", &net.DNSError{Err: "no such host", Name: host, IsNotFound: true})
	}
	addrs, err := g.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, addr := range addrs {
		// One refused address refuses the whole answer: a mixture is an attack.
		if !g.reachable(addr) {
			return nil, refuse(address, notPublic)
		}
	}
	// The check is repeated on the socket just before it connects, so that the address cannot be replaced in between.
	return dialEach(ctx, net.Dialer{ControlContext: g.control}, network, addrs, port)
}

// dialAllowed connects to a host that the operator has allowed, whatever its address is.
func (g *Guard) dialAllowed(ctx context.Context, network, host, port string) (net.Conn, error) {
	addrs, err := g.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	return dialEach(ctx, net.Dialer{}, network, addrs, port)
}

// lookup returns the addresses of a host name or of a literal address.
func (g *Guard) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr.Unmap()}, nil
	}
	addrs, err := g.resolver.LookupNetIP(ctx, "ip", strings.ToLower(host))
	if err != nil {
		return nil, fmt.Errorf("resolve host: %w", err)
	}
	if len(addrs) == 0 {
		return nil, fmt.Errorf("resolve host: %w", &net.DNSError{Err: "no address", Name: host, IsNotFound: true})
	}
	for i := range addrs {
		addrs[i] = addrs[i].Unmap()
	}
	return addrs, nil
}

// dialEach tries the addresses in turn, each with a share of the remaining time.
func dialEach(ctx context.Context, dialer net.Dialer, network string, addrs []netip.Addr, port string) (net.Conn, error) {
	addrs = addrs[:min(len(addrs), maxDials)]
	var first error
	for i, addr := range addrs {
		conn, err := dialOne(ctx, dialer, network, net.JoinHostPort(addr.String(), port), len(addrs)-i)
		if err == nil {
			return conn, nil
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("connect: %w", ctx.Err())
		}
	}
	return nil, fmt.Errorf("connect: %w", first)
}

func dialOne(ctx context.Context, dialer net.Dialer, network, address string, left int) (net.Conn, error) {
	if deadline, ok := ctx.Deadline(); ok && left > 1 {
		share := max(time.Until(deadline)/time.Duration(left), minDial)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, share)
		defer cancel()
	}
	return dialer.DialContext(ctx, network, address)
}

// control refuses a socket whose peer address is not allowed.
func (g *Guard) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	peer, _ := netip.ParseAddrPort(address) // an invalid address becomes the zero Addr, which is refused
	if !g.reachable(peer.Addr()) {
		return refuse(address, notPublic)
	}
	return nil
}

// reachable reports whether an address is public and does not belong to this host: the service's own files are read from
// storage, and other services of this host are not for users. Decision 8.
func (g *Guard) reachable(addr netip.Addr) bool {
	return Public(addr) && !g.own.has(addr)
}
