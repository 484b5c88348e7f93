package eventstoredb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/serverfeatures"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"moviola/eventstore"
)

// Discards reports whether the server is moviola's own one, in a version that knows eventstore.DiscardProperty: such a server
// removes discarded streams, and what retention excludes, by itself. EventStoreDB and KurrentDB do not, and want to be scavenged.
// The error is that of the connection or of the call.
func (s *Store) Discards(ctx context.Context) (bool, error) {
	return s.has(ctx, eventstore.DiscardFeature)
}

// Collapses reports whether the server is moviola's own one, in a version that knows eventstore.CollapseProperty. The error
// is that of the connection or of the call.
func (s *Store) Collapses(ctx context.Context) (bool, error) {
	return s.has(ctx, eventstore.CollapseFeature)
}

// has reports whether the server is moviola's own one and has a feature.
func (s *Store) has(ctx context.Context, feature string) (_ bool, err error) {
	settings := s.pool.settings
	nodes := nodesOf(&settings)
	if len(nodes) != 1 {
		return false, nil // a cluster is not moviola's own server, which has one node
	}
	settings.Address = nodes[0]
	conn, err := dial(settings.Address, &settings)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close() }()
	answer, err := serverfeatures.NewServerFeaturesClient(conn).GetSupportedMethods(ctx, &shared.Empty{})
	if status.Code(err) == codes.Unimplemented { // EventStoreDB before 21.10, which lacks this call
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("ask the event store what it can do: %w", translate(err))
	}
	for _, method := range answer.GetMethods() {
		if method.GetServiceName() == strings.ToLower(eventstore.AdminService) {
			return slices.Contains(method.GetFeatures(), feature), nil
		}
	}
	return false, nil
}
