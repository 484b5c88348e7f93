package archived

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"moviola/eventstore"
)

const (
	metaPrefix = "$$"        // the stream with the metadata of a stream is named by this prefix and the name of that stream
	metaType   = "$metadata" // type of its events
	// property is the field of a stream's metadata that names the archive files of its events.
	property       = "moviolaArchived"
	truncateBefore = "$tb"
)

// part is the place of consecutive events of a stream: they are in one archive file.
type part struct {
	File  eventstore.Revision `json:"file"`  // revision of the file's event in the catalogue
	First eventstore.Revision `json:"first"` // revision of the first event
	End   eventstore.Revision `json:"end"`   // revision after the last one
}

// whereabouts is the property of a truncated stream.
type whereabouts struct {
	Parts []part `json:"parts"` // in the order of their events
	// Before is the $tb that the stream had before it was archived; nil: none.
	Before json.RawMessage `json:"before,omitempty"`
}

// end is the revision after the last archived event.
func (w whereabouts) end() eventstore.Revision {
	if len(w.Parts) == 0 {
		return 0
	}
	return w.Parts[len(w.Parts)-1].End
}

// description is the metadata of a stream.
type description struct {
	Revision eventstore.Revision // of the metadata event; NoStream: there is none
	Fields   map[string]json.RawMessage
	Archived whereabouts
}

// describe reads the metadata of a stream.
func describe(ctx context.Context, log eventstore.Store, stream string) (description, error) {
	for event, err := range log.ReadStream(ctx, metaPrefix+stream, eventstore.Backwards, -1) {
		if err != nil {
			return description{}, fmt.Errorf("read the metadata: %w", err)
		}
		d, err := parseDescription(event.Data)
		d.Revision = event.Revision
		return d, err
	}
	return description{Revision: eventstore.NoStream, Fields: map[string]json.RawMessage{}}, nil
}

func parseDescription(data []byte) (description, error) {
	d := description{Fields: map[string]json.RawMessage{}}
	if json.Unmarshal(data, &d.Fields) != nil || d.Fields == nil {
		return description{Fields: map[string]json.RawMessage{}}, nil // not ours
	}
	if own, ok := d.Fields[property]; ok {
		if err := json.Unmarshal(own, &d.Archived); err != nil {
			return d, fmt.Errorf("read the metadata: %w", err)
		}
	}
	return d, nil
}

// with returns the metadata of the stream when one more part of it is archived. The newest archived event stays in the log.
func (d description) with(p part) ([]byte, error) {
	own := whereabouts{Parts: append(slices.Clone(d.Archived.Parts), p), Before: d.Archived.Before}
	if len(d.Archived.Parts) == 0 {
		own.Before = d.Fields[truncateBefore]
	}
	encoded, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	d.Fields[property] = encoded
	d.Fields[truncateBefore] = json.RawMessage(fmt.Sprint(p.End - 1))
	return json.Marshal(d.Fields)
}

// unarchived returns metadata as it would be without the archive; nil: nothing is left of it.
func unarchived(data []byte) ([]byte, error) {
	d, err := parseDescription(data)
	if err != nil || len(d.Archived.Parts) == 0 {
		return data, err
	}
	delete(d.Fields, property)
	delete(d.Fields, truncateBefore)
	if d.Archived.Before != nil {
		d.Fields[truncateBefore] = d.Archived.Before
	}
	if len(d.Fields) == 0 {
		return nil, nil
	}
	return json.Marshal(d.Fields)
}

// truncate hides the events of a stream that are in an archive file. It may be repeated.
func truncate(ctx context.Context, log eventstore.Store, stream string, p part) error {
	for {
		d, err := describe(ctx, log, stream)
		if err != nil {
			return err
		}
		if d.Archived.end() >= p.End {
			return nil
		}
		data, err := d.with(p)
		if err != nil {
			return err
		}
		_, err = log.Append(ctx, metaPrefix+stream, d.Revision, eventstore.Proposed{
			ID:   uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "moviola archive\x00%s\x00%d", stream, p.End)),
			Type: metaType, Data: data,
		})
		if !errors.Is(err, eventstore.ErrConflict) {
			return err
		}
	}
}
