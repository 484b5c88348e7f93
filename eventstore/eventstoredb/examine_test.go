package eventstoredb_test

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"moviola/eventstore/embedded"
	"moviola/eventstore/eventstoredb"
	"moviola/tests/harness/servers"
)

// TestExamine: each way in which a start cannot work is told by its reason and by what to do, and without the password.
func TestExamine(t *testing.T) {
	t.Parallel()
	s := newSecured(t, 0)
	addr, ca := s.server.Addr(), "?tlsCAFile="+s.certificate.CertFile
	plain := startServer(t, embedded.Config{Dir: t.TempDir(), Listen: "127.0.0.1:0"}).Addr()
	other := startServer(t, embedded.Config{
		Dir: t.TempDir(), Listen: "127.0.0.2:0", CertFile: s.certificate.CertFile, KeyFile: s.certificate.KeyFile, UsersFile: s.users,
	}).Addr()
	for connection, says := range map[string]string{
		"esdb://writer:writer@" + addr + ca:                                                        "",
		"esdb://" + plain + "?tls=false":                                                           "",
		"esdb://writer:hush-hush@" + addr + ca:                                                     `does not let user "writer" in`,
		"esdb://reader:reader@" + addr + ca:                                                        `user "reader" of the event store may not append`,
		"esdb://writer:writer@" + addr:                                                             "is not trusted (x509: ",
		"esdb://writer:writer@" + addr + "?tlsCAFile=" + servers.NewCertificate(t).CertFile:        "signed by unknown authority",
		"esdb://writer:writer@" + other + ca:                                                       "is for other names (x509: certificate is valid for 127.0.0.1, not 127.0.0.2)",
		"esdb://" + addr + "?tls=false":                                                            "speaks TLS: take tls=false out",
		"esdb+discover://writer:writer@" + addr + ca:                                               "note: " + addr + " is a single node",
		"esdb://writer:writer@" + addr + ",127.0.0.1" + plain[strings.LastIndex(plain, ":"):] + ca: "means a cluster",
		"esdb://" + plain + "," + plain + "?tls=false":                                             "is a single server: give esdb://" + plain,
	} {
		t.Run(connection, func(t *testing.T) {
			notes, err := eventstoredb.Examine(endless(t), eventstoredb.Config{ConnectionString: connection})
			switch {
			case strings.HasPrefix(says, "note: "):
				if err != nil || len(notes) != 1 || !strings.Contains(notes[0], strings.TrimPrefix(says, "note: ")) {
					t.Errorf("%v, %q, want %q", err, notes, says)
				}
			case says == "" && (err != nil || len(notes) > 0):
				t.Errorf("%v, %q", err, notes)
			case says != "" && (err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hush")):
				t.Errorf("%v, want %q; %q", err, says, notes)
			}
		})
	}
	store := openServed(t, s.address("writer:writer@"))
	if head, err := store.Head(endless(t)); err != nil || head.Commit != 0 {
		t.Errorf("examining has written to the log: %v, %v", head, err)
	}
}

// deniedNode is a node of a cluster of three whose users may read no $all.
type deniedNode struct {
	streams.UnimplementedStreamsServer
}

func (deniedNode) Read(*streams.ReadReq, streams.Streams_ReadServer) error {
	return status.Error(codes.PermissionDenied, "Access Denied")
}

// members answers gossip; the methods of both services are called Read.
type members struct {
	gossip.UnimplementedGossipServer
}

func (members) Read(context.Context, *shared.Empty) (*gossip.ClusterInfo, error) {
	return &gossip.ClusterInfo{Members: []*gossip.MemberInfo{{}, {}, {}}}, nil
}

// TestExamine_denied names the group and the ACL that open $all.
func TestExamine_denied(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	streams.RegisterStreamsServer(server, deniedNode{})
	gossip.RegisterGossipServer(server, members{})
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	notes, err := eventstoredb.Examine(endless(t), eventstoredb.Config{ConnectionString: "esdb://" + listener.Addr().String() + "?tls=false"})
	if len(notes) != 1 || !strings.Contains(notes[0], "one of 3 nodes of a cluster") {
		t.Errorf("one node of three is named: %q", notes)
	}
	if err == nil || !strings.Contains(err.Error(), "may not read $all") || !strings.Contains(err.Error(), "$admins") {
		t.Errorf("a user who may not read $all: %v", err)
	}
}
