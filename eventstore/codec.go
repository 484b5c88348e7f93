package eventstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"time"

	"github.com/google/uuid"

	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/anchor"
	"moviola/domain/batch"
	"moviola/domain/connection"
	"moviola/domain/idempotency"
	"moviola/domain/installation"
	"moviola/domain/key"
	"moviola/domain/ledger"
	"moviola/domain/mailing"
	"moviola/domain/media"
	"moviola/domain/movie"
	"moviola/domain/operator"
	"moviola/domain/preload"
	"moviola/domain/template"
)

// ErrUnknownType says that this program does not know an event's type, or the version of its payload, for example because a
// newer version of the program has written the event.
var ErrUnknownType = errors.New("unknown event type")

// idNamespace is the UUIDv5 namespace of all event ids. It never changes.
var idNamespace = uuid.MustParse("6f0a4f0e-6a0f-5b0e-9d3c-4d6f76696f6c")

// EventID returns the deterministic id of an event: UUIDv5 of stream, type and key. So a retried append has the same ids.
func EventID(stream string, event domain.Event) uuid.UUID {
	return idOf(stream, event, event.EventKey())
}

// FormerID returns the id with which earlier versions have stored the event, where it differs from EventID; else EventID.
func FormerID(stream string, event domain.Event) uuid.UUID {
	if f, ok := event.(interface{ FormerKey() string }); ok {
		return idOf(stream, event, f.FormerKey())
	}
	return EventID(stream, event)
}

func idOf(stream string, event domain.Event, key string) uuid.UUID {
	return uuid.NewSHA1(idNamespace, []byte(stream+"\x00"+event.EventType()+"\x00"+key))
}

// upcaster turns the payload of one version into that of the next version.
type upcaster func(payload []byte) ([]byte, error)

// kind says how an event type is decoded: how its newest version is read, and how older versions are brought up to the newest.
type kind struct {
	decode func(payload []byte) (domain.Event, error)
	// up[i] converts a payload of version i+1 into one of version i+2; the newest version is len(up)+1.
	up []upcaster

	personal     fields   // the JSON fields of the event type that have personal data
	unclassified []string // text fields that have no tag personal; a test refuses them
}

func (k kind) version() int { return len(k.up) + 1 }

// Codec encodes domain events for the store and decodes them. It knows an event type by its stored name, with all versions
// of the payload up to the newest. NewCodec returns the codec that knows the events of the domain. A Codec is safe for
// concurrent use.
type Codec struct {
	kinds map[string]kind
	// keys of accounts; nil: Encode encrypts nothing, and decoding an event with encrypted personal data fails, unless
	// impersonal is true
	keys       Keys
	impersonal bool // personal data is left out when an event is decoded
}

// defineKeys defines the events of API keys.
func defineKeys(c *Codec) {
	define[key.Issued](c)
	define[key.Revoked](c)
	define[key.SessionEnded](c)
}

// defineAnchors defines the events of anchors.
func defineAnchors(c *Codec) {
	define[anchor.Began](c)
	define[anchor.Sent](c)
	define[anchor.NotSent](c)
}

// defineOperators defines the events of operators.
func defineOperators(c *Codec) {
	define[operator.Acted](c)
	define[operator.Added](c)
	define[operator.Revoked](c)
	define[operator.SignedIn](c)
	define[operator.SignedOut](c)
}

// defineRequests defines the events of idempotency keys and of batches of movies.
func defineRequests(c *Codec) {
	define[idempotency.Reserved](c)
	define[batch.Requested](c)
	define[batch.Accepted](c)
	define[batch.Refused](c)
	define[batch.Submitted](c)
	define[batch.Cancelled](c)
	define[batch.Closed](c)
	define[batch.Finished](c)
}

// NewCodec returns the codec of all events of the domain.
func NewCodec() *Codec {
	c := &Codec{kinds: make(map[string]kind)}
	define[movie.Submitted](c)
	define[movie.SubmissionAbandoned](c)
	define[movie.SourcesFetchStarted](c)
	define[movie.SourcesFetchReleased](c)
	define[movie.SourcesFetched](c)
	define[movie.RenderStarted](c)
	define[movie.RenderReleased](c)
	define[movie.RenderFinished](c)
	define[movie.RenderTimedOut](c)
	define[movie.Cancelled](c)
	define[movie.FileDeleted](c)
	define[movie.DeliveryStarted](c)
	define[movie.DeliveryAttempted](c)
	define[movie.DeliveryReleased](c)
	define[movie.DeliveryFinished](c)
	define[movie.RedeliveryRequested](c)
	defineLedgers(c)
	define[account.Opened](c)
	define[account.PlanChanged](c)
	define[account.Closed](c)
	define[account.Cleared](c)
	defineKeys(c)
	define[installation.Opened](c)
	defineAnchors(c)
	defineOperators(c)
	defineRequests(c)
	define[mailing.RecipientsCounted](c)
	define[template.Created](c)
	define[template.Updated](c)
	define[template.Duplicated](c)
	define[template.Published](c)
	define[template.Unpublished](c)
	define[template.Deleted](c)
	define[template.Swept](c)
	define[media.FileRegistered](c)
	define[media.FileUploaded](c)
	define[media.FileMoveStarted](c)
	define[media.FileMovedIn](c)
	define[media.FileMovedOut](c)
	define[media.FileMoveAborted](c)
	define[media.FileDeleted](c)
	define[media.FolderCreated](c)
	define[media.FolderDeleted](c)
	define[connection.Saved](c)
	define[connection.Tested](c)
	define[connection.Deleted](c)
	define[preload.Requested](c)
	define[preload.ItemFetchStarted](c)
	define[preload.ItemFetchReleased](c)
	define[preload.ItemFetched](c)
	define[preload.ItemStarted](c)
	define[preload.ItemReleased](c)
	define[preload.ItemFinished](c)
	define[preload.Finished](c)
	defineNewer(c)
	return c
}

// defineLedgers registers the events of ledgers, of their snapshots and of their opening balances.
func defineLedgers(c *Codec) {
	define[ledger.CreditsGranted](c)
	define[ledger.CreditsHeld](c)
	define[ledger.CreditsHoldChanged](c)
	define[ledger.CreditsCharged](c)
	define[ledger.CreditsReleased](c)
	define[ledger.MovieCounted](c)
	define[ledger.DraftCounted](c)
	define[ledger.CountKept](c)
	define[ledger.CountReleased](c)
	define[ledger.ZeroBalancePurged](c)
	define[ledger.Closed](c)
	define[ledger.SnapshotTaken](c)
	define[ledger.Opened](c)
	define[ledger.OpeningPage](c)
}

// define registers the event type E. The upcasters lead from version 1 to the newest, in order.
func define[E domain.Event](c *Codec, up ...upcaster) {
	var zero E
	personal, unclassified := personalFields(reflect.TypeFor[E]())
	c.kinds[zero.EventType()] = kind{
		up: up, personal: personal, unclassified: unclassified,
		decode: func(payload []byte) (domain.Event, error) {
			var e E
			err := json.Unmarshal(payload, &e)
			return e, err
		},
	}
}

// Without returns a codec that lacks the given event types, like the codec of an earlier version of the program.
func (c *Codec) Without(types ...string) *Codec {
	earlier := &Codec{kinds: maps.Clone(c.kinds), keys: c.keys, impersonal: c.impersonal}
	for _, name := range types {
		delete(earlier.kinds, name)
	}
	return earlier
}

// Knows reports whether an event of a type and version can be read.
func (c *Codec) Knows(eventType string, version int) bool {
	k, ok := c.kinds[eventType]
	version, _ = plainVersion(version)
	return ok && version >= 1 && version <= k.version()
}

// Encode makes an event ready to be appended to a stream. It stores the metadata's time in UTC, in whole milliseconds.
func (c *Codec) Encode(stream string, meta Meta, event domain.Event) (Proposed, error) {
	k, ok := c.kinds[event.EventType()]
	if !ok {
		return Proposed{}, fmt.Errorf("encode %s of %s: %w", event.EventType(), stream, ErrUnknownType)
	}
	data, err := json.Marshal(event)
	if err != nil {
		return Proposed{}, fmt.Errorf("encode %s of %s: %w", event.EventType(), stream, err)
	}
	proposed := Proposed{ID: EventID(stream, event), Type: event.EventType(), Data: data}
	version := k.version()
	data, sealed, err := c.seal(k, stream, meta.Account, proposed)
	if err != nil {
		return Proposed{}, fmt.Errorf("encrypt the personal data of %s of %s: %w", event.EventType(), stream, err)
	}
	if proposed.Data = data; sealed {
		version += sealedVersion
	}
	proposed.Metadata, err = json.Marshal(Metadata{
		Version:     version,
		Correlation: meta.Correlation,
		Causation:   meta.Causation,
		Traceparent: meta.Traceparent,
		Account:     meta.Account,
		Time:        meta.Time.UTC().Truncate(time.Millisecond),
	})
	if err != nil {
		return Proposed{}, fmt.Errorf("encode metadata of %s: %w", stream, err)
	}
	return proposed, nil
}

// Decode decodes a stored event. Upcasters bring a payload of an older version up to the newest. An unknown type or version is
// ErrUnknownType; the metadata is returned with that error.
func (c *Codec) Decode(r Recorded) (domain.Event, Metadata, error) {
	var meta Metadata
	if err := json.Unmarshal(r.Metadata, &meta); err != nil {
		return nil, meta, fmt.Errorf("decode metadata of event %d of %s: %w", r.Revision, r.Stream, err)
	}
	if !c.Knows(r.Type, meta.Version) {
		return nil, meta, fmt.Errorf("decode event %d of %s, %s version %d: %w", r.Revision, r.Stream, r.Type, meta.Version,
			ErrUnknownType)
	}
	k := c.kinds[r.Type]
	version, sealed := plainVersion(meta.Version)
	payload, err := c.open(k, r, meta.Account, sealed)
	if err != nil {
		return nil, meta, fmt.Errorf("decode event %d of %s, %s: %w", r.Revision, r.Stream, r.Type, err)
	}
	for v := version; v < k.version(); v++ {
		if payload, err = k.up[v-1](payload); err != nil {
			return nil, meta, fmt.Errorf("upcast event %d of %s, %s version %d: %w", r.Revision, r.Stream, r.Type, v, err)
		}
	}
	event, err := k.decode(payload)
	if err != nil {
		return nil, meta, fmt.Errorf("decode event %d of %s, %s: %w", r.Revision, r.Stream, r.Type, err)
	}
	return event, meta, nil
}
