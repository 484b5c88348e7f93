package embedded

import (
	"cmp"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/sirupsen/logrus"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"moviola/eventstore/embedded/logfile"
	"moviola/eventstore/embedded/wire"
)

// service answers the calls of the protocol's streams service.
type service struct {
	streams.UnimplementedStreamsServer

	log     logfile.Storage
	tail    *tail
	writer  *writer
	note    logrus.FieldLogger
	now     func() time.Time
	closing <-chan struct{} // closed when subscriptions have to end
}

// reading is one read in progress: the request and the call that it answers.
type reading struct {
	*service
	call       streams.Streams_ReadServer
	options    *streams.ReadReq_Options
	stream     string // stream that is read; empty: the whole log
	backwards  bool
	idAsString bool
	resolve    bool // send with each link the event that the link points to
}

// Read answers requests for a given number of events (counted reads) and subscriptions, of one stream or of the whole
// log.
func (s *service) Read(request *streams.ReadReq, call streams.Streams_ReadServer) error {
	options := request.GetOptions()
	r := &reading{
		service: s, call: call, options: options,
		stream:     string(options.GetStream().GetStreamIdentifier().GetStreamName()),
		backwards:  options.GetReadDirection() == streams.ReadReq_Options_Backwards,
		idAsString: options.GetUuidOption().GetString_() != nil,
		resolve:    options.GetResolveLinks(),
	}
	_, subscription := options.GetCountOption().(*streams.ReadReq_Options_Subscription)
	switch {
	case options.GetStream() == nil && options.GetAll() == nil:
		return status.Error(codes.InvalidArgument, "a read needs a stream or $all")
	case options.GetStream() != nil && r.stream == "":
		return status.Error(codes.InvalidArgument, "a read needs the name of a stream")
	case subscription && r.backwards:
		return status.Error(codes.InvalidArgument, "a subscription goes forwards")
	}
	if err := s.authorize(call.Context(), cmp.Or(r.stream, logfile.AllStream), rightRead); err != nil {
		return err
	}
	switch {
	case subscription && r.stream == "":
		return r.followAll()
	case subscription:
		return r.followStream()
	case r.stream == "":
		return r.readAll()
	default:
		return r.readStream()
	}
}

// count is the number of events that the client has requested in a counted read.
func (r *reading) count() int64 { return wire.Number(r.options.GetCount()) }

// send sends an event. A link is sent with the event that it points to when the client asks for that.
func (r *reading) send(rec *logfile.Record) error {
	event, link := rec, (*logfile.Record)(nil)
	if r.resolve && rec.Kind == linkType {
		var err error
		if event, err = r.service.resolve(r.call.Context(), rec); err != nil {
			return failed(err)
		}
		link = rec
	}
	return r.call.Send(wire.Event(event, link, r.idAsString))
}

// readStream sends a stream's visible events. Its end is fixed at the beginning, so that a read of a busy stream ends.
func (r *reading) readStream() error {
	ctx := r.call.Context()
	until := r.tail.edge()
	h, err := logfile.LoadHead(ctx, r.log, r.stream)
	if err != nil {
		return failed(err)
	}
	switch {
	case h.Tombstoned():
		return refuseDeleted(ctx, r.stream)
	case h.Last < 0 && isProjected(r.stream):
		return errProjected(r.stream)
	case h.Last < 0 || h.Meta.SoftDeleted():
		return r.call.Send(&streams.ReadResp{Content: &streams.ReadResp_StreamNotFound_{
			StreamNotFound: &streams.ReadResp_StreamNotFound{StreamIdentifier: wire.Stream(r.stream)},
		}})
	}
	page := r.streamRange(h)
	page.Until = until
	expired := h.ExpiredBefore(r.now())
	for left := r.count(); left > 0 && page.Low <= page.High; {
		page.Limit = int(min(left, logfile.PageLimit))
		records, err := r.log.ReadStream(ctx, r.stream, page)
		if err != nil {
			return failed(err)
		}
		if len(records) == 0 {
			return nil
		}
		for _, rec := range records {
			if rec.Created < expired {
				continue
			}
			if err := r.send(rec); err != nil {
				return err
			}
			left--
		}
		goOn(&page, records[len(records)-1].Revision)
	}
	return nil
}

// streamRange is the range of a counted read of a stream, limited to the visible revisions.
func (r *reading) streamRange(h logfile.Head) logfile.StreamPage {
	page := logfile.StreamPage{Low: h.FirstVisible(), High: h.Last, Backwards: r.backwards}
	options := r.options.GetStream()
	_, start := options.GetRevisionOption().(*streams.ReadReq_Options_StreamOptions_Start)
	_, end := options.GetRevisionOption().(*streams.ReadReq_Options_StreamOptions_End)
	from := wire.Number(options.GetRevision())
	switch {
	case start:
		from = 0
	case end && r.backwards:
		from = h.Last
	case end:
		from = logfile.NoLimit
	}
	if r.backwards {
		page.High = min(page.High, from)
	} else {
		page.Low = max(page.Low, from)
	}
	return page
}

// goOn moves the page past the last revision that was read.
func goOn(p *logfile.StreamPage, revision int64) {
	if p.Backwards {
		p.High = revision - 1
	} else {
		p.Low = revision + 1
	}
}

// readAll sends events of the log: forwards those from a position on, backwards those before it.
func (r *reading) readAll() error {
	filter, err := newFilter(r.options)
	if err != nil {
		return err
	}
	page := r.allRange()
	page.WantFunc = filter.matchFunc
	for left := r.count(); left > 0 && page.Low <= page.High; {
		page.Limit = logfile.PageLimit
		if r.options.GetFilter() == nil {
			page.Limit = int(min(left, logfile.PageLimit))
		}
		records, err := r.log.ReadAll(r.call.Context(), page)
		if err != nil {
			return failed(err)
		}
		if len(records) == 0 {
			return nil
		}
		for _, rec := range records {
			if left == 0 || !filter.matches(rec) {
				continue
			}
			if err := r.send(rec); err != nil {
				return err
			}
			left--
		}
		if last := records[len(records)-1].Position; r.backwards {
			page.High = last - 1
		} else {
			page.Low = last + 1
		}
	}
	return nil
}

func (r *reading) allRange() logfile.AllPage {
	last := r.tail.edge()
	page := logfile.AllPage{Low: 1, High: last, Backwards: r.backwards}
	options := r.options.GetAll()
	_, start := options.GetAllOption().(*streams.ReadReq_Options_AllOptions_Start)
	_, end := options.GetAllOption().(*streams.ReadReq_Options_AllOptions_End)
	position := wire.Number(options.GetPosition().GetCommitPosition())
	switch {
	case start && r.backwards:
		page.High = 0 // backwards from the start of the log: there is no event
	case end && !r.backwards:
		page.Low = logfile.NoLimit
	case start || end:
	case r.backwards:
		page.High = min(last, position-1)
	default:
		page.Low = max(1, position)
	}
	return page
}
