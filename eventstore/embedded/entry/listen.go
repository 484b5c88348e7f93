package entry

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxSocketPath is the maximum length in bytes of the path of a unix socket on every system: 104, less the zero byte at the
// end.
const maxSocketPath = 103

// Listen opens the listener and returns the address to dial.
func Listen(dir, address string) (net.Listener, string, error) {
	if address == "" {
		return listenUnix(dir)
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, "", fmt.Errorf("listen on %q: %w", address, err)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, "", fmt.Errorf("open the event store's listener: %w", err)
	}
	return listener, listener.Addr().String(), nil
}

// isLoopback reports whether an address is a host:port that only this host can reach.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// listenUnix opens a socket in a folder that only this user can enter. The folder keeps others out from the first moment on.
func listenUnix(dir string) (net.Listener, string, error) {
	path, err := socketPath(dir)
	if err != nil {
		return nil, "", fmt.Errorf("find a place for the event store's socket: %w", err)
	}
	if err := privateFolder(filepath.Dir(path)); err != nil {
		return nil, "", fmt.Errorf("make a place for the event store's socket: %w", err)
	}
	// This process holds the folder's lock, so an existing socket was left by a process that was killed.
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, "", fmt.Errorf("remove the old socket: %w", err)
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, "", fmt.Errorf("open the event store's socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, "", errors.Join(err, listener.Close())
	}
	return sameUser{listener}, "unix://" + path, nil
}

// SocketAddr returns the address of the server that has a data folder open and listens on its socket.
func SocketAddr(dir string) (string, error) {
	path, err := socketPath(dir)
	if err != nil {
		return "", fmt.Errorf("find the event store's socket: %w", err)
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("the server of %s has no socket, so it listens on a port: %w", dir, err)
	}
	return "unix://" + path, nil
}

// socketPath returns the path of a data folder's socket: in the folder, or when that path is too long for a socket, in a folder
// with a random name under the system's temporary folder. The random name is stored in the data folder, so that clients find the
// socket at the same path after a restart. A clean-up of the temporary folder may remove the socket: better use a data folder
// with a shorter path, or a loopback port.
func socketPath(dir string) (string, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if path := filepath.Join(absolute, "socket", "es"); len(path) <= maxSocketPath {
		return path, nil
	}
	name, err := keptName(filepath.Join(absolute, "socket-name"))
	if err != nil {
		return "", err
	}
	path := filepath.Join(os.TempDir(), "moviola-"+name, "es")
	if len(path) > maxSocketPath {
		return "", fmt.Errorf("both %s and the temporary folder have paths too long for a socket", dir)
	}
	return path, nil
}

// keptName returns the random name stored in a file. It creates the file when it is missing.
func keptName(path string) (string, error) {
	kept, err := os.ReadFile(path)
	if err == nil && len(strings.TrimSpace(string(kept))) == 32 {
		return strings.TrimSpace(string(kept)), nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	name := hex.EncodeToString(random)
	return name, os.WriteFile(path, []byte(name+"\n"), 0o600)
}

// privateFolder creates a folder that only this user can enter. It checks that an existing folder is private in this way
// and no symbolic link: the folder may be in the temporary folder, to which everybody can write.
func privateFolder(path string) error {
	err := os.Mkdir(path, 0o700)
	if err == nil || !errors.Is(err, os.ErrExist) {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || info.Mode().Perm() != 0o700 || !ok || int(owner.Uid) != os.Getuid() {
		return fmt.Errorf("%s is not a folder of this user alone", path)
	}
	return nil
}
