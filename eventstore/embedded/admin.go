package embedded

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"moviola/eventstore"
)

// admin answers the calls of operators that EventStoreDB's protocol does not define.
type admin struct {
	scavenger *scavenger
	closing   <-chan struct{}
}

type adminServer interface {
	scavenge(ctx context.Context) (*wrapperspb.Int64Value, error)
}

// adminService is the gRPC description of the operators' calls, written by hand: for one call, generated code is not worth it.
var adminService = grpc.ServiceDesc{
	ServiceName: eventstore.AdminService,
	HandlerType: (*adminServer)(nil),
	Methods: []grpc.MethodDesc{{
		MethodName: "Scavenge",
		Handler: func(service any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
			request := new(emptypb.Empty)
			if err := decode(request); err != nil {
				return nil, err
			}
			answer := func(ctx context.Context, _ any) (any, error) { return service.(adminServer).scavenge(ctx) }
			if intercept == nil {
				return answer(ctx, request)
			}
			return intercept(ctx, request, &grpc.UnaryServerInfo{Server: service, FullMethod: eventstore.ScavengeMethod}, answer)
		},
	}},
}

// scavenge makes the scavenger look at once at every stream with metadata or a tombstone for events that retention
// ($maxCount, $maxAge, $tb, deletion) excludes. It returns how many events the scavenger removed.
func (a admin) scavenge(ctx context.Context) (*wrapperspb.Int64Value, error) {
	done := make(chan removed, 1)
	select {
	case a.scavenger.orders <- done:
	case <-ctx.Done():
		return nil, failed(ctx.Err())
	case <-a.closing:
		return nil, failed(errClosed)
	}
	select {
	case r := <-done:
		if r.err != nil {
			return nil, failed(r.err)
		}
		return wrapperspb.Int64(int64(r.count)), nil
	case <-ctx.Done(): // the caller has gone away; the scavenge itself continues
		return nil, failed(ctx.Err())
	case <-a.closing:
		return nil, failed(errClosed)
	}
}
