package entry

import (
	"context"
	"net"
	"strconv"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"moviola/eventstore/embedded/logfile"
	"moviola/eventstore/embedded/wire"
)

// member answers the gossip of clients: the cluster has one node, which leads.
type member struct {
	gossip.UnimplementedGossipServer

	id     uuid.UUID
	listen *net.TCPAddr // address of the listener; nil for a unix socket, which gossip cannot name as host and port
}

func newMember(addr net.Addr) *member {
	tcp, _ := addr.(*net.TCPAddr)
	return &member{id: uuid.New(), listen: tcp}
}

// Read answers with the address that the client has dialled, as the address of the cluster's only node: the client can
// reach this address, even through a proxy. When the client does not send a host and port as its authority, the answer has
// the address of the listener. Through a unix socket the call is refused.
func (m *member) Read(ctx context.Context, _ *shared.Empty) (*gossip.ClusterInfo, error) {
	if m.listen == nil {
		return nil, status.Error(codes.Unimplemented, "a unix socket has no members: connect to it without discovery")
	}
	host, port := m.listen.IP.String(), m.listen.Port
	sent, _ := metadata.FromIncomingContext(ctx)
	if authority := sent.Get(":authority"); len(authority) == 1 {
		name, number, err := net.SplitHostPort(authority[0])
		if dialled, parseErr := strconv.ParseUint(number, 10, 16); err == nil && parseErr == nil {
			host, port = name, int(dialled)
		}
	}
	return &gossip.ClusterInfo{Members: []*gossip.MemberInfo{{
		InstanceId:   wire.ID(m.id, false),
		TimeStamp:    logfile.Ticks(time.Now()),
		State:        gossip.MemberInfo_Leader,
		IsAlive:      true,
		HttpEndPoint: &gossip.EndPoint{Address: host, Port: uint32(port)},
	}}}, nil
}
