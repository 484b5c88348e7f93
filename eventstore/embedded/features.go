package embedded

import (
	"context"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/serverfeatures"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
)

// version is the EventStoreDB whose behaviour clients may expect: from 22.6 on reads carry positions, from 23 on
// subscriptions say when they have caught up.
const version = "23.10.0"

// features answers what a client asks whenever it connects.
type features struct {
	serverfeatures.UnimplementedServerFeaturesServer
}

// GetSupportedMethods lists the methods by the lower-case names that clients compare. A client that does not find those of persistent
// subscriptions here tries HTTP instead, which nobody serves.
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
	}
	for _, name := range []string{"create", "update", "delete", "read", "getinfo", "replayparked", "list"} {
		methods = append(methods, method(persistentName, name, "stream", "all"))
	}
	return &serverfeatures.SupportedMethods{EventStoreServerVersion: version, Methods: methods}, nil
}
