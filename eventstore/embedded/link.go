package embedded

import (
	"context"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"moviola/eventstore/embedded/logfile"
)

// linkType is the type of an event that points to another: its data is "revision@stream".
const linkType = "$>"

// linkTarget reads where a link points to.
func linkTarget(data []byte) (stream string, revision int64, ok bool) {
	number, stream, found := strings.Cut(string(data), "@")
	revision, err := strconv.ParseInt(number, 10, 64)
	return stream, revision, found && err == nil && revision >= 0 && stream != ""
}

func linkTo(r *logfile.Record) string { return strconv.FormatInt(r.Revision, 10) + "@" + r.Stream }

// resolve returns the event that a link points to. It returns nil when that event is deleted, truncated or removed, when the data
// is no link, and when the caller may not read the event's stream.
func (s *service) resolve(ctx context.Context, link *logfile.Record) (*logfile.Record, error) {
	stream, revision, ok := linkTarget(link.Data)
	if !ok || s.denied(ctx, stream, rightRead) != nil {
		return nil, nil
	}
	h, err := logfile.LoadHead(ctx, s.log, stream)
	if err != nil || h.Meta.SoftDeleted() || revision < h.FirstVisible() {
		return nil, err
	}
	page, err := s.log.ReadStream(ctx, stream, logfile.StreamPage{Low: revision, High: revision, Until: logfile.NoLimit, Limit: 1})
	if err != nil || len(page) == 0 || page[0].Created < h.ExpiredBefore(s.now()) {
		return nil, err
	}
	return page[0], nil
}

// projectedPrefixes begin the names of streams that EventStoreDB's own projections write.
var projectedPrefixes = []string{"$ce-", "$et-", "$bc-", "$category-", "$stream-"}

// isProjected reports whether a stream is one that EventStoreDB's own projections would write. This server runs no
// projections: such a stream has events only when a client has appended them.
func isProjected(stream string) bool {
	for _, prefix := range projectedPrefixes {
		if strings.HasPrefix(stream, prefix) {
			return true
		}
	}
	return stream == "$streams"
}

// errProjected refuses a read of a projected stream and tells the client what to do instead. An empty answer would look like an
// empty category.
func errProjected(stream string) error {
	return status.Errorf(codes.Unimplemented,
		"stream %s would be written by a system projection, and this event store runs none: read $all with a filter by "+
			"stream prefix or event type", stream)
}
