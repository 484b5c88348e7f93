package entry

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"moviola/eventstore"
)

// pass is a random token that calls through the unix socket must contain, except calls of the methods in anonymous. Who can
// connect needs no password besides. A sandboxed program of this user may be able to connect to the socket, but it cannot
// read the file with the pass.
type pass string

// newPass makes the pass for this start of the server, and writes it to a file beside the socket that only this user can read.
func newPass(socket net.Listener) (pass, error) {
	random := make([]byte, 32)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	made := pass(hex.EncodeToString(random))
	path := eventstore.PassFile(socket.Addr().String())
	// removed first, so that the pass is never written through a symbolic link
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return "", fmt.Errorf("replace the pass of the event store's socket: %w", err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("keep the pass of the event store's socket: %w", err)
	}
	_, err = file.WriteString(string(made))
	if closed := file.Close(); err == nil {
		err = closed
	}
	return made, err
}

// errPass has the status of an unavailable server: a client whose server was restarted reconnects, and reads the new pass.
var errPass = status.Error(codes.Unavailable, "the call does not carry the pass of this start of the event store")

func (p pass) check(ctx context.Context, method string) error {
	if slices.Contains(anonymous, method) {
		return nil
	}
	sent, _ := metadata.FromIncomingContext(ctx)
	given := sent.Get(eventstore.PassHeader)
	if len(given) != 1 || subtle.ConstantTimeCompare([]byte(given[0]), []byte(p)) != 1 {
		return errPass
	}
	return nil
}

func (p pass) unary(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	if err := p.check(ctx, info.FullMethod); err != nil {
		return nil, err
	}
	return handle(ctx, request)
}

func (p pass) stream(service any, call grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	if err := p.check(call.Context(), info.FullMethod); err != nil {
		return err
	}
	return handle(service, call)
}
