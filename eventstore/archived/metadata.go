package archived

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"moviola/domain"
	"moviola/eventstore"
)

const (
	metaPrefix = "$$"        // prefix of the name of a metadata stream; the name of the described stream follows
	metaType   = "$metadata" // type of the events of metadata streams
	// property is the field of a stream's metadata that names the archive files of its events.
	property       = "moviolaArchived"
	truncateBefore = "$tb"
	// account is the field of the metadata of a stream that may be collapsed that says to which account the stream belongs: the
	// metadata of its events, which say so otherwise, are in the archive.
	account = "account"
)

// part is a range of consecutive events of a stream that are in one archive file.
type part struct {
	File  eventstore.Revision `json:"file"`  // revision of the catalogue's event that names the file
	First eventstore.Revision `json:"first"` // revision of the part's first event
	End   eventstore.Revision `json:"end"`   // revision after the part's last event
}

// whereabouts is the content of the field moviolaArchived in a stream's metadata: it says which archive files have the
// events that were truncated from the stream.
type whereabouts struct {
	Parts []part `json:"parts"` // archived parts of the stream, in the order of the stream's events
	// Before is the value of $tb before the stream was archived; nil: there was none.
	Before json.RawMessage `json:"before,omitempty"`
}

// end returns the revision after the last archived event.
func (w whereabouts) end() eventstore.Revision {
	if len(w.Parts) == 0 {
		return 0
	}
	return w.Parts[len(w.Parts)-1].End
}

// description is the metadata of a stream.
type description struct {
	Revision eventstore.Revision // revision of the metadata event; NoStream: there is none
	Fields   map[string]json.RawMessage
	Archived whereabouts
}

// collapsible reports whether the metadata lets the log collapse the stream.
func (d description) collapsible() bool {
	return string(d.Fields[eventstore.CollapseProperty]) == "true"
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
		// the metadata is no JSON object: it was not written by the archive
		return description{Fields: map[string]json.RawMessage{}}, nil
	}
	if own, ok := d.Fields[property]; ok {
		if err := json.Unmarshal(own, &d.Archived); err != nil {
			return d, fmt.Errorf("read the metadata: %w", err)
		}
	}
	return d, nil
}

// with returns the stream's metadata with one more archived part. It sets $tb so that the newest archived event stays in the log.
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
	if d.collapsible() { // the stream has got events since
		delete(d.Fields, account)
		delete(d.Fields, eventstore.CollapseProperty)
	}
	return json.Marshal(d.Fields)
}

// collapsing returns the stream's metadata with what lets the log collapse it: $tb hides all archived events, and the field
// account names the account of the stream; empty: none is known.
func (d description) collapsing(of domain.AccountID) ([]byte, error) {
	d.Fields[truncateBefore] = json.RawMessage(fmt.Sprint(d.Archived.end()))
	d.Fields[eventstore.CollapseProperty] = json.RawMessage("true")
	if of != "" {
		name, err := json.Marshal(of)
		if err != nil {
			return nil, err
		}
		d.Fields[account] = name
	}
	return json.Marshal(d.Fields)
}

// unarchived removes from a stream's metadata what the archive has added. It returns nil when nothing else remains.
func unarchived(data []byte) ([]byte, error) {
	d, err := parseDescription(data)
	if err != nil || len(d.Archived.Parts) == 0 {
		return data, err
	}
	delete(d.Fields, property)
	delete(d.Fields, truncateBefore)
	if d.collapsible() {
		delete(d.Fields, account)
	}
	delete(d.Fields, eventstore.CollapseProperty)
	if d.Archived.Before != nil {
		d.Fields[truncateBefore] = d.Archived.Before
	}
	if len(d.Fields) == 0 {
		return nil, nil
	}
	return json.Marshal(d.Fields)
}

// truncate hides the events of a stream that are in an archive file, by $tb in the stream's metadata. When collapse is true
// and all events of the stream are archived, the log may collapse it. The call may be repeated.
func truncate(ctx context.Context, log eventstore.Store, stream string, p part, collapse bool) error {
	for {
		d, err := describe(ctx, log, stream)
		if err != nil {
			return err
		}
		data, err := truncated(ctx, log, stream, d, p, collapse)
		if err != nil || data == nil {
			return err
		}
		_, err = log.Append(ctx, metaPrefix+stream, d.Revision, eventstore.Proposed{
			ID:   uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "moviola archive\x00%s\x00%d\x00%v", stream, p.End, collapse)),
			Type: metaType, Data: data,
		})
		if !errors.Is(err, eventstore.ErrConflict) {
			return err
		}
	}
}

// truncated returns the metadata by which truncate hides events of a stream; nil: the metadata d does so already.
func truncated(
	ctx context.Context, log eventstore.Store, stream string, d description, p part, collapse bool,
) (data []byte, err error) {
	if d.Archived.end() < p.End {
		if data, err = d.with(p); err == nil {
			revision := d.Revision
			d, err = parseDescription(data)
			d.Revision = revision
		}
		if err != nil {
			return nil, err
		}
	}
	if !collapse || d.collapsible() || d.Archived.end() != p.End {
		return data, nil
	}
	if encoded, err := json.Marshal(d.Fields); err != nil {
		return nil, err
	} else if rest, err := unarchived(encoded); err != nil || rest != nil {
		return data, err // a copy of the log has the rest of the metadata, so its event has to stay in the log
	}
	for newest, err := range log.ReadStream(ctx, stream, eventstore.Backwards, -1) {
		if err != nil || newest.Revision >= p.End {
			return data, err
		}
		var meta eventstore.Metadata
		if json.Unmarshal(newest.Metadata, &meta) != nil {
			meta.Account = "" // not an event of the service
		}
		return d.collapsing(meta.Account)
	}
	return data, nil
}
