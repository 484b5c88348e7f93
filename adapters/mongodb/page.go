package mongodb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"moviola/projections"
)

// body is a stored document.
type body bson.Raw

// Decode implements projections.Body.
func (b body) Decode(into any) error {
	decoder := bson.NewDecoder(bson.NewDocumentReader(bytes.NewReader(b)))
	decoder.UseJSONStructTags()
	return decoder.Decode(into)
}

// storedIn reads the store's fields of a document.
func storedIn(raw bson.Raw) (projections.Stored, error) {
	var head struct {
		ID      string `json:"_id"`
		Version int64  `json:"_version"`
		Live    bool   `json:"_live"`
	}
	if err := body(raw).Decode(&head); err != nil {
		return projections.Stored{}, err
	}
	return projections.Stored{ID: head.ID, Version: head.Version, Gone: !head.Live, Body: body(raw)}, nil
}

// Get implements projections.Documents. It reads the documents with one request for each 1000 ids.
func (d *Documents) Get(ctx context.Context, collection string, ids ...string) (map[string]projections.Stored, error) {
	if _, err := d.collection(collection); err != nil {
		return nil, err
	}
	found := make(map[string]projections.Stored, len(ids))
	for some := range slices.Chunk(ids, getTogether) {
		if err := d.get(ctx, collection, some, found); err != nil {
			return nil, fmt.Errorf("get %d documents of %s: %w", len(some), collection, err)
		}
	}
	return found, nil
}

// get reads documents by their ids into found.
func (d *Documents) get(ctx context.Context, collection string, ids []string, found map[string]projections.Stored) error {
	filter := bson.D{{Key: fieldID, Value: ids[0]}}
	if len(ids) > 1 {
		filter = bson.D{{Key: fieldID, Value: bson.D{{Key: "$in", Value: ids}}}}
	}
	cursor, err := d.database.Collection(collection).Find(ctx, filter, options.Find().SetBatchSize(int32(len(ids)+1)))
	if err != nil {
		return err
	}
	defer func() { _ = cursor.Close(ctx) }() // the error is ignored: cursor.Err returns the errors of reading
	for cursor.Next(ctx) {
		stored, err := storedIn(bytes.Clone(cursor.Current)) // the cursor uses the bytes again
		if err != nil {
			return err
		}
		found[stored.ID] = stored
	}
	return cursor.Err()
}

// Page implements projections.Documents. The documents after a position are several consecutive ranges of the index: first those
// that differ from the position in the last field only, then those that differ in the field before, and so on.
func (d *Documents) Page(ctx context.Context, collection string, q projections.Query) ([]projections.Stored, error) {
	c, err := d.collection(collection)
	if err != nil {
		return nil, err
	}
	if q.Limit < 1 || q.Limit > projections.MaxPage {
		return nil, fmt.Errorf("page %s: a limit of %d", collection, q.Limit)
	}
	index, err := indexOf(c, q.Index)
	if err != nil {
		return nil, fmt.Errorf("page %s by %q: %w", collection, q.Index, err)
	}
	filters, err := stretches(index, q)
	if err != nil {
		return nil, fmt.Errorf("page %s by %q: %w", collection, q.Index, err)
	}
	var page []projections.Stored
	for _, filter := range filters {
		more, err := d.find(ctx, collection, filter, order(index), q.Limit-len(page))
		if err != nil {
			return nil, fmt.Errorf("page %s by %q: %w", collection, q.Index, err)
		}
		if page = append(page, more...); len(page) == q.Limit {
			break
		}
	}
	return page, nil
}

func indexOf(c projections.Collection, name string) (projections.Index, error) {
	if name == projections.IDIndex {
		return projections.Index{}, nil
	}
	for _, index := range c.Indexes {
		if index.Name == name {
			return index, nil
		}
	}
	return projections.Index{}, errors.New("no such index")
}

// stretches returns filters for the documents that follow q.After, or all documents of q if q.After is empty. The
// documents of the first filter come first, then those of the second, and so on. Within a filter they are in the order of
// the index.
func stretches(index projections.Index, q projections.Query) ([]bson.D, error) {
	sorted := order(index)
	if len(q.Equal) > len(index.Fields) || len(q.Equal)+len(q.After) > len(sorted) {
		return nil, errors.New("more values than the index has fields")
	}
	base := bson.D{{Key: fieldLive, Value: true}}
	for i, value := range q.Equal {
		base = append(base, bson.E{Key: sorted[i].Key, Value: value})
	}
	rest := sorted[len(q.Equal):]
	if len(q.After) == 0 {
		return []bson.D{withRange(base, rest[0].Key, q.Range, nil)}, nil
	}
	var filters []bson.D
	for differs := len(q.After) - 1; differs >= 0; differs-- {
		filter := base[:len(base):len(base)]
		for i := range differs {
			var r projections.Range
			if i == 0 {
				r = q.Range
			}
			filter = withRange(filter, rest[i].Key, r, bson.D{{Key: "$eq", Value: q.After[i]}})
		}
		var r projections.Range
		if differs == 0 {
			r = q.Range
		}
		past := "$gt"
		if rest[differs].Value == -1 {
			past = "$lt"
		}
		filters = append(filters, withRange(filter, rest[differs].Key, r, bson.D{{Key: past, Value: q.After[differs]}}))
	}
	return filters, nil
}

// withRange adds the bounds of one field to a filter.
func withRange(filter bson.D, field string, r projections.Range, conditions bson.D) bson.D {
	if r.Min != nil {
		conditions = append(conditions, bson.E{Key: "$gte", Value: r.Min})
	}
	if r.Max != nil {
		conditions = append(conditions, bson.E{Key: "$lte", Value: r.Max})
	}
	if len(conditions) == 0 {
		return filter
	}
	return append(filter[:len(filter):len(filter)], bson.E{Key: field, Value: conditions})
}

// find returns the documents that match a filter.
func (d *Documents) find(ctx context.Context, collection string, filter, sort bson.D, limit int) ([]projections.Stored, error) {
	cursor, err := d.database.Collection(collection).Find(ctx, filter, options.Find().SetSort(sort).SetLimit(int64(limit)))
	if err != nil {
		return nil, err
	}
	defer func() { _ = cursor.Close(ctx) }()
	var page []projections.Stored
	for cursor.Next(ctx) {
		stored, err := storedIn(bytes.Clone(cursor.Current))
		if err != nil {
			return nil, err
		}
		page = append(page, stored)
	}
	return page, cursor.Err()
}
