package eventstoredb

import (
	"context"

	"google.golang.org/grpc/metadata"
)

// toLeader makes the calls of a context ask for the leader of a cluster: a follower answers reads from its own, older log.
// Decision 60. The client has an option for it, but puts the header where it is never sent.
func toLeader(ctx context.Context) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "requires-leader", "true")
}
