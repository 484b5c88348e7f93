package main

import (
	"golang.org/x/sys/unix"
)

var loopback = [4]byte{127, 0, 0, 1}

var socketRows = []row{
	{"connect to the event store's socket", func(w world) error {
		return connect(unix.AF_UNIX, unix.SOCK_STREAM, 0, &unix.SockaddrUnix{Name: w.Socket})
	}},
	{"connect to an abstract socket", func(w world) error {
		return connect(unix.AF_UNIX, unix.SOCK_STREAM, 0, &unix.SockaddrUnix{Name: w.Abstract})
	}},
	{"send to a socket with a name", func(w world) error {
		return connect(unix.AF_UNIX, unix.SOCK_DGRAM, 0, &unix.SockaddrUnix{Name: w.Datagram})
	}},
	{"connect to --eventstore-listen", func(w world) error {
		return connect(unix.AF_INET, unix.SOCK_STREAM, 0, &unix.SockaddrInet4{Port: w.Store, Addr: loopback})
	}},
	{"connect to the operators' address", func(w world) error {
		return connect(unix.AF_INET, unix.SOCK_STREAM, 0, &unix.SockaddrInet4{Port: w.Ops, Addr: loopback})
	}},
	{"connect over IPv6", func(w world) error {
		mapped := [16]byte{10: 0xff, 11: 0xff, 12: 127, 15: 1}
		return connect(unix.AF_INET6, unix.SOCK_STREAM, 0, &unix.SockaddrInet6{Port: w.Store, Addr: mapped})
	}},
	{"connect over multipath TCP", func(w world) error {
		return connect(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP, &unix.SockaddrInet4{Port: w.Store, Addr: loopback})
	}},
	{"connect by sending", func(w world) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN, &unix.SockaddrInet4{Port: w.Store, Addr: loopback})
	}},
	{"send over UDP", func(w world) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(fd, []byte("x"), 0, &unix.SockaddrInet4{Port: w.UDP, Addr: loopback})
	}},
	{"listen on a port", func(world) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: loopback}); err != nil {
			return err
		}
		return unix.Listen(fd, 1)
	}},
	{"open a raw socket", func(world) error { return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP) }},
	{"open a packet socket", func(world) error { return socket(unix.AF_PACKET, unix.SOCK_RAW, 0) }},
	{"bind netlink", func(world) error {
		fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)
		if err != nil {
			return err
		}
		return unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
	}},
	{"bind vsock", func(world) error {
		fd, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.Bind(fd, &unix.SockaddrVM{CID: unix.VMADDR_CID_ANY, Port: unix.VMADDR_PORT_ANY})
	}},
	{"open a socket of the kernel's ciphers", func(world) error { return socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0) }},
}

func socket(domain, kind, protocol int) error {
	fd, err := unix.Socket(domain, kind, protocol)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func connect(domain, kind, protocol int, to unix.Sockaddr) error {
	fd, err := unix.Socket(domain, kind, protocol)
	if err != nil {
		return err
	}
	return unix.Connect(fd, to)
}
