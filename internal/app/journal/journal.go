// Package journal logs the events that this process appends.
package journal

import (
	"context"
	"maps"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/domain"
	"moviola/domain/movie"
	acts "moviola/domain/operator"
	"moviola/eventstore"
	"moviola/handlers/background/processors"
	"moviola/internal/metrics"
)

// Journal logs appended events that operators look for, among them submissions, claims of renders, outcomes, delivery
// attempts and operators' acts. A line has ids, kinds, counts and times, but no address, no message, and no name that a
// client chose.
type Journal struct {
	codec *eventstore.Codec
	log   logrus.FieldLogger
}

// New returns a journal.
func New(codec *eventstore.Codec, log logrus.FieldLogger) Journal {
	return Journal{codec, log.WithField("part", "journal")}
}

// journalled are the types of events about which a line is written to the log output of this process.
var journalled = typesOf(movie.Submitted{}, movie.Cancelled{}, movie.RenderStarted{}, movie.RenderReleased{},
	movie.RenderTimedOut{},

	movie.RenderFinished{}, movie.DeliveryAttempted{}, movie.RedeliveryRequested{}, acts.Acted{})

func typesOf(events ...domain.Event) map[string]bool {
	types := map[string]bool{}
	for _, event := range events {
		types[event.EventType()] = true
	}
	return types
}

// Written logs the events of an append.
func (j Journal) Written(ctx context.Context, w eventstore.Written) {
	if w.Err != nil {
		return
	}
	for _, event := range w.Events {
		if !journalled[event.Type] {
			continue
		}
		data, meta, err := j.codec.Decode(eventstore.Recorded{Stream: w.Stream, Type: event.Type, Data: event.Data,
			Metadata: event.Metadata})
		if err != nil {
			continue // impossible: this process has just encoded the event, so it can be decoded
		}
		line, fields := lineOf(ctx, data)
		if category, id := eventstore.SplitStream(w.Stream); category == movie.StreamCategory {
			fields["project"] = id
		}
		if meta.Account != "" {
			fields["account"] = meta.Account
		}
		fields["request"] = meta.Correlation
		j.log.WithFields(fields).Info(line)
	}
}

// lineOf returns the log line and fields of an event.
func lineOf(ctx context.Context, event domain.Event) (string, logrus.Fields) {
	switch d := event.(type) {
	case movie.Submitted:
		return "movie submitted", logrus.Fields{"held": d.Held, "destinations": d.Destinations, "draft": d.Draft,
			"bytes": d.DocumentSize}
	case movie.Cancelled:
		return "movie cancelled", logrus.Fields{}
	case movie.RenderStarted:
		return "render claimed", logrus.Fields{"attempt": d.Attempt, "worker": d.Worker, "alone": d.Alone,
			"encoder": d.Encoder}
	case movie.RenderReleased:
		return "render handed back", logrus.Fields{"attempt": d.Attempt, "memory": d.Memory, "shared": d.Shared}
	case movie.RenderTimedOut:
		return "movie timed out", logrus.Fields{}
	case movie.RenderFinished:
		return finished(ctx, d)
	case movie.DeliveryAttempted:
		return "delivery tried", logrus.Fields{"kind": metrics.Destination(d.Type), "destination": d.Index, "try": d.Try,
			"result": d.Status, "status": d.HTTPStatus,
			"final": d.Final, "ms": d.DurationMS}
	case movie.RedeliveryRequested:
		return "delivery asked for again", logrus.Fields{}
	case acts.Acted:
		fields := logrus.Fields{"act": d.Act, "refused": d.Refused != ""}
		if d.Act != acts.OpenAccount { // the act that opens an account has no account id yet: its field On is the customer's name
			fields["on"] = d.On
		}
		return "operator acted", fields
	default:
		return event.EventType(), logrus.Fields{}
	}
}

// finished returns the log line and fields for the end of a render: its outcome, and where its time went.
func finished(ctx context.Context, d movie.RenderFinished) (string, logrus.Fields) {
	line, fields := "render failed", logrus.Fields{"attempt": d.Attempt, "credits": d.Credits, "warnings": len(d.Warnings)}
	if d.Success {
		line = "render finished"
	}
	if d.CachedFrom != "" {
		fields["cached_from"] = d.CachedFrom
	}
	if d.File != nil {
		fields["bytes"] = d.File.Size
	}
	if d.Plan != nil {
		fields["width"], fields["height"], fields["frames"] = d.Plan.Width, d.Plan.Height, d.Plan.Frames
	}
	if took, known := processors.MeasuresOf(ctx); known {
		fields["ms"], fields["encoded"], fields["cached"] = took.Took.Milliseconds(), took.Encoded, took.Cached
		maps.Copy(fields, stageFields(took.Stages))
	}
	return line, fields
}

func stageFields(stages map[string]time.Duration) logrus.Fields {
	fields := logrus.Fields{}
	for stage, took := range stages {
		fields["ms_"+stage] = took.Milliseconds()
	}
	return fields
}
