package entry

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/persistent"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/serverfeatures"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/sirupsen/logrus"
	"golang.org/x/crypto/bcrypt"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"moviola/eventstore"
	"moviola/eventstore/embedded/wire"
)

const (
	maxKnown      = 1024    // maximum of verified credentials in the cache
	maxHashChecks = 2       // maximum of passwords checked at the same time: somebody who guesses passwords must not use up the CPUs
	maxDrained    = 4 << 20 // maximum of bytes that are read of an append which will be refused
)

// anonymous lists the methods that need no user and no pass. Clients call them to find out what kind of server they talk
// to. The answers contain nothing from the log.
var anonymous = []string{serverfeatures.ServerFeatures_GetSupportedMethods_FullMethodName, gossip.Gossip_Read_FullMethodName}

// readOnly lists the methods that a user with the role RoleReadOnly may call, besides those in anonymous.
var readOnly = []string{
	streams.Streams_Read_FullMethodName,
	persistent.PersistentSubscriptions_GetInfo_FullMethodName, persistent.PersistentSubscriptions_List_FullMethodName,
}

// managing lists the methods that change or list persistent subscriptions, or start a scavenge. Users of the role "user" may not
// call them.
var managing = []string{
	persistent.PersistentSubscriptions_Create_FullMethodName, persistent.PersistentSubscriptions_Update_FullMethodName,
	persistent.PersistentSubscriptions_Delete_FullMethodName, persistent.PersistentSubscriptions_List_FullMethodName,
	eventstore.ScavengeMethod, persistent.PersistentSubscriptions_ReplayParked_FullMethodName,
	persistent.PersistentSubscriptions_RestartSubsystem_FullMethodName,
}

// guard admits the users listed in a file, by the Basic credentials that clients send with each call. bcrypt is slow, so
// the guard caches verified credentials, as an HMAC of name, password and hash under a key of this process. While they are
// cached, it does not check the password again. When a user's hash has changed, cached credentials match no more.
type guard struct {
	path   string
	note   logrus.FieldLogger
	key    []byte
	checks chan struct{} // one slot for each password that is being checked

	mu      sync.Mutex
	users   map[string]user
	known   map[[sha256.Size]byte]struct{}
	running map[*admitted]struct{}
}

// admitted is a running call of a user, and how to end it.
type admitted struct {
	user user
	end  context.CancelCauseFunc
}

func newGuard(path string, note logrus.FieldLogger) (*guard, error) {
	g := &guard{
		path: path, note: note, key: make([]byte, sha256.Size), checks: make(chan struct{}, maxHashChecks),
		known: map[[sha256.Size]byte]struct{}{}, running: map[*admitted]struct{}{},
	}
	if _, err := rand.Read(g.key); err != nil {
		return nil, err
	}
	if err := g.load(); err != nil {
		return nil, err
	}
	if len(g.users) == 0 {
		return nil, fmt.Errorf("the users file %s names no user: add one with `moviola eventstore user add`", path)
	}
	return g, nil
}

// load reads the users file again. It ends the streaming calls of users who were removed, or have another hash or role.
// When the file names no user, nobody is let in. When it is missing or cannot be read, the earlier users stay. Calls of
// load must not overlap: the older content could replace the newer one.
func (g *guard) load() error {
	users, err := readUsers(g.path)
	if err != nil {
		return err
	}
	if len(users) == 0 {
		g.note.Warnf("event store: the users file %s names no user: nobody is let in until `moviola eventstore user add`", g.path)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.users = users
	for call := range g.running {
		if users[call.user.Name] != call.user {
			call.end(errUserChanged)
		}
	}
	return nil
}

var (
	errNobody      = status.Error(codes.Unauthenticated, "Unauthenticated: a user name and the right password are needed.")
	errUserChanged = errors.New("the user was changed or removed")
)

// admit identifies the user who makes a call, and checks that the user may make it.
func (g *guard) admit(ctx context.Context, method string) (user, error) {
	name, password, ok := basicCredentials(ctx)
	if !ok {
		return user{}, errNobody
	}
	one, err := g.check(ctx, name, password)
	if err != nil {
		return user{}, err
	}
	switch {
	case one.Role == RoleReadOnly && !slices.Contains(readOnly, method):
		return user{}, wire.Refuse(ctx, codes.PermissionDenied, "Access Denied: user "+name+" may only read.", "access-denied")
	case one.Role == RoleUser && slices.Contains(managing, method):
		return user{}, wire.Refuse(ctx, codes.PermissionDenied, "Access Denied: user "+name+" may not manage persistent "+
			"subscriptions or the log.", "access-denied")
	}
	return one, nil
}

func basicCredentials(ctx context.Context) (name, password string, ok bool) {
	sent, _ := metadata.FromIncomingContext(ctx)
	headers := sent.Get("authorization")
	if len(headers) != 1 {
		return "", "", false
	}
	scheme, encoded, _ := strings.Cut(headers[0], " ")
	decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	if err != nil || !strings.EqualFold(scheme, "Basic") {
		return "", "", false
	}
	return strings.Cut(string(decoded), ":")
}

// check compares a password with the user's hash, unless the same credentials are cached. For an unknown name it compares the
// password with the hash of another user, so that the time it takes does not show which names are known.
func (g *guard) check(ctx context.Context, name, password string) (user, error) {
	g.mu.Lock()
	one, found := g.users[name]
	if !found {
		for other := range maps.Values(g.users) {
			one.hash = other.hash
			break
		}
	}
	proof := g.proof(name, password, one.hash)
	_, known := g.known[proof]
	g.mu.Unlock()
	if found && known {
		return one, nil
	}
	select {
	case g.checks <- struct{}{}:
	case <-ctx.Done():
		return user{}, status.FromContextError(ctx.Err()).Err()
	}
	defer func() { <-g.checks }()
	g.mu.Lock()
	// another call has cached the same credentials meanwhile: the processes of a host reconnect at the same time
	_, known = g.known[proof]
	g.mu.Unlock()
	if found && known {
		return one, nil
	}
	err := bcrypt.CompareHashAndPassword([]byte(one.hash), []byte(password))
	if err != nil || !found {
		g.note.WithField("user", name).Warn("event store: wrong user or password; the call is refused")
		return user{}, errNobody
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.users[name] != one { // the user's entry in the users file was changed or removed while the password was checked
		return user{}, errNobody
	}
	if len(g.known) >= maxKnown {
		clear(g.known)
	}
	g.known[proof] = struct{}{}
	return one, nil
}

func (g *guard) proof(name, password, hash string) (proof [sha256.Size]byte) {
	mac := hmac.New(sha256.New, g.key)
	_, _ = fmt.Fprintf(mac, "%d:%s%d:%s%s", len(name), name, len(password), password, hash) // a write to a hash never fails
	mac.Sum(proof[:0])
	return proof
}

// unary is the interceptor for unary calls.
func (g *guard) unary(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	if !slices.Contains(anonymous, info.FullMethod) {
		caller, err := g.admit(ctx, info.FullMethod)
		if err != nil {
			return nil, err
		}
		ctx = withCaller(ctx, caller)
	}
	return handle(ctx, request)
}

// stream is the interceptor for streaming calls; they end when their user is changed or removed.
func (g *guard) stream(service any, call grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	if slices.Contains(anonymous, info.FullMethod) {
		return handle(service, call)
	}
	one, err := g.admit(call.Context(), info.FullMethod)
	if err != nil {
		if info.FullMethod == streams.Streams_Append_FullMethodName {
			drain(call)
		}
		return err
	}
	ctx, end := context.WithCancelCause(withCaller(call.Context(), one))
	defer end(nil)
	in := &admitted{user: one, end: end}
	g.mu.Lock()
	current := g.users[one.Name] == one
	g.running[in] = struct{}{}
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.running, in)
	}()
	if !current {
		return errNobody
	}
	if err = handle(service, guardedCall{call, ctx}); err != nil && errors.Is(context.Cause(ctx), errUserChanged) {
		return errNobody
	}
	return err
}

// guardedCall is a streaming call whose context ends when its user may no longer make it.
type guardedCall struct {
	grpc.ServerStream
	ctx context.Context
}

// Context implements grpc.ServerStream.
func (c guardedCall) Context() context.Context { return c.ctx }

// drain reads an append that is refused, at most maxDrained bytes: a client that is answered while it is still sending does not
// see the answer.
func drain(call grpc.ServerStream) {
	for left := maxDrained; left > 0; {
		message := new(streams.AppendReq)
		if err := call.RecvMsg(message); err != nil {
			return
		}
		left -= max(1, proto.Size(message))
	}
}

// callerKey is the context key of the user who makes a call.
type callerKey struct{}

func withCaller(ctx context.Context, caller user) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// CallerOf returns the user who makes a call; false when the server asks callers for no password, so that no user is known.
func CallerOf(ctx context.Context) (user, bool) {
	caller, known := ctx.Value(callerKey{}).(user)
	return caller, known
}
