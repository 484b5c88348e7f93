package eventstoredb

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"moviola/eventstore"
)

// examineTime is the time limit of each request to a node.
const examineTime = 5 * time.Second

// rightsStream is the stream on which the right to append is tested, at an expected revision that no stream has: nothing is ever
// written to it.
const (
	rightsStream   = "moviola-rights"
	rightsRevision = eventstore.Revision(1 << 40)
)

// Examine checks, before the event store is used, that it offers what the service needs: with TLS, a node whose certificate
// is trusted; a cluster, when the connection string names one; a user who may read the whole log and append. With a unix
// socket it checks only the user. The error of such a check tells the operator what to change. While the store is
// unavailable, or electing a leader, Examine waits until ctx ends; then the error is eventstore.ErrUnavailable. It writes
// nothing to the log. notes are other messages for the operator.
func Examine(ctx context.Context, config Config) (notes []string, err error) {
	settings, err := clientSettings(config, orDiscard(nil))
	if err != nil {
		return nil, err
	}
	for {
		e := &examiner{settings: settings, nodes: nodesOf(settings)}
		if err := e.examine(ctx, config); !errors.Is(err, eventstore.ErrUnavailable) {
			return e.notes, err
		}
		select {
		case <-time.After(copyPause):
		case <-ctx.Done():
			return e.notes, fmt.Errorf("%w: it does not answer", eventstore.ErrUnavailable)
		}
	}
}

// examine makes all checks of Examine once.
func (e *examiner) examine(ctx context.Context, config Config) error {
	if strings.HasPrefix(e.settings.Address, "unix://") {
		return examineRights(ctx, config, e.settings)
	}
	if err := e.trust(ctx); err != nil {
		return err
	}
	if err := e.cluster(ctx); err != nil {
		return err
	}
	err := examineRights(ctx, config, e.settings)
	if errors.Is(err, eventstore.ErrUnavailable) && e.settings.DisableTLS {
		return cmp.Or(e.wantsTLS(ctx), err)
	}
	return err
}

func nodesOf(settings *esdb.Configuration) []string {
	if settings.Address != "" {
		return []string{settings.Address}
	}
	var nodes []string
	for _, seed := range settings.GossipSeeds {
		nodes = append(nodes, seed.String())
	}
	return nodes
}

// examiner asks the nodes of a connection string.
type examiner struct {
	settings *esdb.Configuration
	nodes    []string // host:port of each node that the connection string names
	notes    []string
}

// trust makes a TLS handshake with every node: the client itself would only report a time-out. One trusted node is enough to
// start.
func (e *examiner) trust(ctx context.Context) error {
	if e.settings.DisableTLS {
		return nil
	}
	var problems []error
	for _, node := range e.nodes {
		host, _, err := net.SplitHostPort(node)
		if err != nil {
			return fmt.Errorf("the event store's address %q: %w", node, err)
		}
		config, err := tlsConfig(e.settings, host)
		if err != nil {
			return err
		}
		if problem := distrust(node, shakeHands(ctx, node, config)); problem != nil {
			problems = append(problems, problem)
		}
	}
	if len(problems) == len(e.nodes) {
		return errors.Join(problems...)
	}
	for _, problem := range problems {
		e.notes = append(e.notes, problem.Error())
	}
	return nil
}

func shakeHands(ctx context.Context, node string, config *tls.Config) error {
	ctx, cancel := context.WithTimeout(ctx, examineTime)
	defer cancel()
	conn, err := (&tls.Dialer{Config: config}).DialContext(ctx, "tcp", node)
	if err == nil {
		_ = conn.Close() // no data was sent on the connection, so an error of Close does no harm
	}
	return err
}

// distrust converts an error of a handshake to one that tells the operator what to change; nil for a transient error.
func distrust(node string, err error) error {
	var untrusted *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	var name x509.HostnameError
	switch {
	case errors.As(err, &name):
		return fmt.Errorf("the certificate of the event store %s is for other names (%w): connect by one of them, or give "+
			"the event store a "+
			"certificate with this one", node, name)
	case errors.As(err, &untrusted):
		return fmt.Errorf("the certificate of the event store %s is not trusted (%w): name the file of its authority in the "+
			"connection "+
			"string, as in ?tlsCAFile=/path/ca.pem", node, untrusted.Err)
	case errors.As(err, &plain):
		return fmt.Errorf("the event store %s does not speak TLS: give tls=false in the connection string, or turn TLS on there", node)
	}
	return nil
}

// wantsTLS returns an error when a node that does not answer in plaintext speaks TLS.
func (e *examiner) wantsTLS(ctx context.Context) error {
	for _, node := range e.nodes {
		// No data is sent: the handshake only tests whether the node speaks TLS.
		if shakeHands(ctx, node, &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true,
			NextProtos: []string{"h2"}}) == nil {
			return fmt.Errorf("the event store %s speaks TLS: take tls=false out of the connection string", node)
		}
	}
	return nil
}

// cluster compares the connection string with the cluster's gossip: whether both name one node, or both several.
func (e *examiner) cluster(ctx context.Context) error {
	meant := len(e.nodes) > 1 || e.settings.DnsDiscover
	alone := ""
	for _, node := range e.nodes {
		members, err := e.members(ctx, node)
		switch {
		case members > 1 && !meant:
			e.notes = append(e.notes, fmt.Sprintf("%s is one of %d nodes of a cluster: name all of them in the connection "+
				"string, for a start "+
				"while this one is away", node, members))
			return nil
		case members > 1:
			return nil
		case members == 1, status.Code(err) == codes.Unimplemented:
			alone = node
		}
		if members == 1 && e.settings.DnsDiscover {
			e.notes = append(e.notes, node+" is a single node and no cluster")
			return nil
		}
	}
	if alone == "" || !meant {
		return nil
	}
	return fmt.Errorf("the connection string means a cluster, but %s is a single server: give esdb://%s alone, or make the "+
		"nodes a cluster", alone, alone)
}

// members returns how many nodes the gossip of a node lists, itself included; 0 with an error.
func (e *examiner) members(ctx context.Context, node string) (int, error) {
	conn, err := dial(node, e.settings)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }() // no call is running on the connection, so closing it loses nothing
	ctx, cancel := context.WithTimeout(ctx, examineTime)
	defer cancel()
	info, err := gossip.NewGossipClient(conn).Read(ctx, &shared.Empty{})
	return len(info.GetMembers()), err
}

// examineRights reads the end of the log, and tries an append that must end in a conflict.
func examineRights(ctx context.Context, config Config, settings *esdb.Configuration) (err error) {
	config.Log = nil
	store, err := Open(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*examineTime)
	defer cancel()
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), examineTime)
		defer cancel()
		_ = store.Close(closing) // the wait is limited, because a call may hang
	}()
	if _, err = store.Head(ctx); err == nil {
		_, err = store.Append(ctx, rightsStream, rightsRevision, eventstore.Proposed{ID: uuid.New(), Type: "Tried", Data: []byte(`{}`)})
		if isCode(err, esdb.ErrorCodeAccessDenied) {
			return fmt.Errorf("user %q of the event store may not append: with `moviola eventstore serve` give the user the "+
				"role full, in "+
				"EventStoreDB the right $w (group $admins, or an ACL)", settings.Username)
		}
	}
	switch {
	case err == nil, errors.Is(err, eventstore.ErrConflict):
		return nil
	case isCode(err, esdb.ErrorCodeAccessDenied):
		return fmt.Errorf("user %q of the event store may not read $all: make the user a member of the group $admins, or "+
			"name it under $r in the "+
			"ACL of $all (docs/eventstore.md)", settings.Username)
	case isCode(err, esdb.ErrorCodeUnauthenticated):
		return fmt.Errorf("the event store does not let user %q in: check name and password in the connection string",
			settings.Username)
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", eventstore.ErrUnavailable, err)
	}
	return err
}
