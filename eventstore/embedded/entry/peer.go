package entry

import (
	"errors"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// sameUser is the listener of a unix socket that at once closes connections of users other than this one and root. The mode of
// the socket's folder refuses them too, unless somebody has changed it.
type sameUser struct{ net.Listener }

// Accept returns the next connection of this user or root.
func (l sameUser) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		uid, err := peer(conn)
		if err == nil && mayConnect(uid) {
			return conn, nil
		}
		_ = conn.Close() // no data was sent on the connection, so an error loses nothing
	}
}

func mayConnect(uid uint32) bool { return uid == 0 || uid == uint32(os.Getuid()) }

// peer is the user id of the process that connected, as the kernel reports it.
func peer(conn net.Conn) (uint32, error) {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, errors.New("not a unix socket")
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0, err
	}
	var credentials *unix.Ucred
	var failed error
	if err := raw.Control(func(fd uintptr) {
		credentials, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return 0, err
	}
	if failed != nil {
		return 0, failed
	}
	return credentials.Uid, nil
}
