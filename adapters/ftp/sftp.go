package ftp

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path"
	"strings"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"moviola/commands/deliveries"
	"moviola/domain/connection"
)

var _ deliveries.Sender = (*SFTP)(nil)

// SSHPort is the default port of SSH servers.
const SSHPort = 22

// SFTP uploads by SFTP.
type SFTP struct{ cfg Config }

// NewSFTP returns a sender. It does not use Config.TLS.
func NewSFTP(cfg Config) *SFTP { return &SFTP{cfg} }

// Send implements deliveries.Sender.
func (s *SFTP) Send(ctx context.Context, parcel deliveries.Parcel) (deliveries.Receipt, error) {
	file, err := parcel.Open(ctx)
	if err != nil {
		return deliveries.Receipt{}, err
	}
	defer file.Close()
	source := &source{Reader: file}
	receipt, err := s.with(ctx, parcel, func(server *sftp.Client) error {
		if folder := parcel.Settings.RemoteFolder(); folder != "." {
			if err := server.MkdirAll(folder); err != nil {
				return inStep("the folder could not be made", err)
			}
		}
		refused, err := uploadWhole(server, parcel.Part(), parcel.Settings.RemoteFile(), source)
		if refused {
			if _, err = file.Seek(0, io.SeekStart); err != nil {
				source.err = err
				return err
			}
			err = upload(server, parcel.Settings.RemoteFile(), source)
		}
		return inStep("the server did not take the file", err)
	})
	return receipt, source.blame(err)
}

// Test implements deliveries.Sender: it logs in, uploads a small file and removes it.
func (s *SFTP) Test(ctx context.Context, parcel deliveries.Parcel) (deliveries.Receipt, error) {
	return s.with(ctx, parcel, func(server *sftp.Client) error {
		folder := path.Clean(parcel.Settings["remote-path"])
		if err := server.MkdirAll(folder); err != nil {
			return inStep("the folder could not be made", err)
		}
		name := path.Join(folder, testName)
		if err := upload(server, name, strings.NewReader(testContent)); err != nil {
			return inStep("the server did not take a file", err)
		}
		return inStep("the server did not remove a file", server.Remove(name))
	})
}

// uploadWhole does by SFTP what storeWhole does by FTP.
func uploadWhole(server *sftp.Client, part, name string, source *source) (refused bool, err error) {
	file, err := server.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return !lost(err), err
	}
	_, err = file.ReadFrom(source)
	if err = errors.Join(err, file.Close()); err != nil {
		_ = server.Remove(part)
		return false, err
	}
	// The first form replaces a file that has the name, but not all servers know it.
	err = server.PosixRename(part, name)
	if err != nil {
		err = server.Rename(part, name)
	}
	if err != nil && server.Remove(name) == nil {
		err = server.Rename(part, name)
	}
	if err != nil {
		_ = server.Remove(part)
	}
	return err != nil && !lost(err), err
}

// lost reports whether the connection to the server is lost.
func lost(err error) bool {
	var network net.Error
	return errors.Is(err, sftp.ErrSSHFxConnectionLost) || errors.Is(err, io.EOF) || errors.As(err, &network)
}

func upload(server *sftp.Client, name string, from io.Reader) error {
	file, err := server.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = file.ReadFrom(from)
	return errors.Join(err, file.Close())
}

// with logs in to a server and calls do.
func (s *SFTP) with(ctx context.Context, parcel deliveries.Parcel, do func(*sftp.Client) error) (deliveries.Receipt, error) {
	address := net.JoinHostPort(parcel.Settings["host"], portOf(parcel.Settings, SSHPort))
	seen := &hostKeys{known: known(parcel)}
	err := s.session(ctx, parcel.Settings, address, seen, do)
	if seen.differs { // the receipt has no key: one that was refused must not be taken for the server's
		return deliveries.Receipt{}, notDelivered("sftp://"+address,
			"the server's host key is "+seen.shown+", not the one that is known")
	}
	return deliveries.Receipt{HostKey: seen.shown}, s.cfg.fail(ctx, "sftp://"+address, err)
}

func (s *SFTP) session(
	ctx context.Context, settings connection.Settings, address string, seen *hostKeys, do func(*sftp.Client) error,
) error {
	methods, err := login(settings)
	if err != nil {
		return notDelivered("sftp://"+address, err.Error())
	}
	conn, err := s.cfg.Dial(ctx, "tcp", address)
	if err != nil {
		return inStep("the connection failed", err)
	}
	defer conn.Close()
	secured, channels, requests, err := ssh.NewClientConn(conn, address, &ssh.ClientConfig{
		User: settings["username"], Auth: methods, HostKeyCallback: seen.check,
	})
	if err != nil {
		return inStep("the login failed", err)
	}
	client := ssh.NewClient(secured, channels, requests)
	defer func() { _ = client.Close() }() // uploads were confirmed before, so an error loses nothing
	server, err := sftp.NewClient(client)
	if err != nil {
		return inStep("the server does not speak SFTP", err)
	}
	defer func() { _ = server.Close() }()
	return do(server)
}

// login returns the authentication methods: the private key first.
func login(settings connection.Settings) ([]ssh.AuthMethod, error) {
	var methods []ssh.AuthMethod
	if text := settings["private-key"]; text != "" {
		key, err := parseKey(text, settings["passphrase"])
		if err != nil {
			return nil, errors.New("the private key cannot be read") // the text of err may repeat parts of the key
		}
		methods = append(methods, ssh.PublicKeys(key))
	}
	if password := settings["password"]; password != "" {
		methods = append(methods, ssh.Password(password), ssh.KeyboardInteractive(
			func(_, _ string, questions []string, _ []bool) ([]string, error) {
				answers := make([]string, len(questions))
				for i := range answers {
					answers[i] = password
				}
				return answers, nil
			}))
	}
	if len(methods) == 0 {
		return nil, errors.New("there is neither a password nor a private key")
	}
	return methods, nil
}

func parseKey(text, passphrase string) (ssh.Signer, error) {
	if passphrase != "" {
		return ssh.ParsePrivateKeyWithPassphrase([]byte(text), []byte(passphrase))
	}
	return ssh.ParsePrivateKey([]byte(text))
}

// known returns the expected fingerprint of the server: the one that the account has set, otherwise the one of the first
// connection; empty: any is accepted.
func known(parcel deliveries.Parcel) string {
	if set := parcel.Settings["host-key"]; set != "" {
		return strings.TrimRight(set, "=")
	}
	return parcel.HostKey
}

// hostKeys compares a server's key with the expected one.
type hostKeys struct {
	known   string
	shown   string
	differs bool
}

func (h *hostKeys) check(_ string, _ net.Addr, key ssh.PublicKey) error {
	h.shown = ssh.FingerprintSHA256(key)
	if h.known != "" && subtle.ConstantTimeCompare([]byte(h.known), []byte(h.shown)) != 1 {
		h.differs = true
		return fmt.Errorf("host key %s", h.shown)
	}
	return nil
}
