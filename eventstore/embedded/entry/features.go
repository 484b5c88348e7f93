package entry

import (
	"context"
	"net"
	"strings"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/serverfeatures"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"google.golang.org/grpc"

	"moviola/eventstore"
)

// version is the version of EventStoreDB that clients are told. From 22.6 on, the events of a read have positions; from 23 on,
// subscriptions tell when they have caught up.
const version = "23.10.0"

// Register registers the services that clients call before all others: which methods the server supports, and which members the
// cluster has.
func Register(server *grpc.Server, listens net.Addr) {
	serverfeatures.RegisterServerFeaturesServer(server, features{})
	gossip.RegisterGossipServer(server, newMember(listens))
}

// features answers the request for supported methods, which clients send whenever they connect.
type features struct {
	serverfeatures.UnimplementedServerFeaturesServer
}

// GetSupportedMethods lists the methods by the lower-case names that clients compare. A client that does not find the methods of
// persistent subscriptions here would use HTTP instead, which this server does not offer.
func (features) GetSupportedMethods(context.Context, *shared.Empty) (*serverfeatures.SupportedMethods, error) {
	const (
		streamsName    = "event_store.client.streams.streams"
		persistentName = "event_store.client.persistent_subscriptions.persistentsubscriptions"
	)
	method := func(service, name string, features ...string) *serverfeatures.SupportedMethod {
		return &serverfeatures.SupportedMethod{ServiceName: service, MethodName: name, Features: features}
	}
	methods := []*serverfeatures.SupportedMethod{
		method(streamsName, "read", "position", "events"),
		method(streamsName, "append"),
		method(streamsName, "batchappend"),
		method(streamsName, "delete"),
		method(streamsName, "tombstone"),
		method(persistentName, "restartsubsystem"),
		method(strings.ToLower(eventstore.AdminService), "scavenge", eventstore.DiscardFeature, eventstore.CollapseFeature),
	}
	for _, name := range []string{"create", "update", "delete", "read", "getinfo", "replayparked", "list"} {
		methods = append(methods, method(persistentName, name, "stream", "all"))
	}
	return &serverfeatures.SupportedMethods{EventStoreServerVersion: version, Methods: methods}, nil
}
