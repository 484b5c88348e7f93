package outbound

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// ownFor is how long the addresses of this host are cached.
const ownFor = 30 * time.Second

// ownAddresses caches the addresses of this host.
type ownAddresses struct {
	read func() ([]netip.Addr, error)

	mu    sync.Mutex
	at    time.Time
	addrs map[netip.Addr]bool
}

func newOwnAddresses(read func() ([]netip.Addr, error)) *ownAddresses {
	if read == nil {
		read = interfaceAddresses
	}
	return &ownAddresses{read: read}
}

// has reports whether an address is one of this host's. When the host's addresses cannot be read, the cached ones are used.
func (o *ownAddresses) has(addr netip.Addr) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.addrs == nil || time.Since(o.at) > ownFor {
		if list, err := o.read(); err == nil {
			o.addrs = make(map[netip.Addr]bool, len(list))
			for _, own := range list {
				o.addrs[own.Unmap()] = true
			}
		}
		o.at = time.Now()
	}
	return o.addrs[addr.Unmap()]
}

// interfaceAddresses reads the addresses of the network interfaces.
func interfaceAddresses() ([]netip.Addr, error) {
	list, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	var addrs []netip.Addr
	for _, item := range list {
		if network, ok := item.(*net.IPNet); ok {
			if addr, ok := netip.AddrFromSlice(network.IP); ok {
				addrs = append(addrs, addr.Unmap())
			}
		}
	}
	return addrs, nil
}
