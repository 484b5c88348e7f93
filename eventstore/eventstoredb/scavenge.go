package eventstoredb

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"moviola/eventstore"
)

// Scavenge makes an embedded server look at once for events that retention excludes, and returns how many it removed.
// EventStoreDB has a call of its own for that.
func Scavenge(ctx context.Context, config Config) (removed int64, err error) {
	settings, err := clientSettings(config, orDiscard(nil))
	if err != nil {
		return 0, err
	}
	if settings.Address == "" {
		return 0, errors.New("name one node: esdb://host:port")
	}
	pass, err := passOf(settings.Address)
	if err != nil {
		return 0, err
	}
	conn, err := dial(settings.Address, settings)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	answer := new(wrapperspb.Int64Value)
	err = conn.Invoke(withCredentials(withPass(ctx, pass), settings), eventstore.ScavengeMethod, &emptypb.Empty{}, answer,
		grpc.WaitForReady(true))
	if status.Code(err) == codes.Unimplemented {
		return 0, errors.New("this event store is not one of moviola's: scavenge it by its own administration (POST /admin/scavenge)")
	}
	if err != nil {
		return 0, fmt.Errorf("scavenge: %w", translate(err))
	}
	return answer.GetValue(), nil
}
