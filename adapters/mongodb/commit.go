package mongodb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"moviola/projections"
)

// duplicateKey is the server's error code for a second document with the same id.
const duplicateKey = 11000

// Atomic implements projections.Documents.
func (*Documents) Atomic() bool { return false }

// Commit implements projections.Documents: it writes one collection after the other, and finally the checkpoint.
func (d *Documents) Commit(ctx context.Context, batch projections.Changes) error {
	var order []string
	byCollection := make(map[string][]projections.Write)
	for _, w := range batch.Writes {
		if _, seen := byCollection[w.Collection]; !seen {
			order = append(order, w.Collection)
		}
		byCollection[w.Collection] = append(byCollection[w.Collection], w)
	}
	for _, collection := range order {
		if err := d.write(ctx, collection, byCollection[collection]); err != nil {
			return err
		}
	}
	if batch.Checkpoint == nil {
		return nil
	}
	return d.write(ctx, batch.Checkpoint.Collection, []projections.Write{*batch.Checkpoint})
}

// write writes the documents of one collection in one request. It tries all of them, and returns ErrStale if one was stale.
func (d *Documents) write(ctx context.Context, collection string, writes []projections.Write) error {
	c, err := d.collection(collection)
	if err != nil {
		return err
	}
	models := make([]mongo.WriteModel, len(writes))
	for i, w := range writes {
		doc, err := encode(w, c.Indexes)
		if err != nil {
			return fmt.Errorf("write %s of %s: %w", w.ID, collection, err)
		}
		if w.Loaded == 0 {
			models[i] = mongo.NewInsertOneModel().SetDocument(doc)
			continue
		}
		models[i] = mongo.NewReplaceOneModel().SetReplacement(doc).
			SetFilter(bson.D{{Key: fieldID, Value: w.ID}, {Key: fieldVersion, Value: w.Loaded}})
	}
	result, err := d.database.Collection(collection).BulkWrite(ctx, models, options.BulkWrite().SetOrdered(false))
	switch {
	case isDuplicate(err):
		return fmt.Errorf("write %d documents of %s: %w", len(writes), collection, projections.ErrStale)
	case err != nil:
		return fmt.Errorf("write %d documents of %s: %w", len(writes), collection, err)
	case result.InsertedCount+result.MatchedCount != int64(len(writes)):
		return fmt.Errorf("write %d documents of %s: %w", len(writes), collection, projections.ErrStale)
	}
	return nil
}

// isDuplicate reports whether all write errors are duplicate ids.
func isDuplicate(err error) bool {
	var failed mongo.BulkWriteException
	if !errors.As(err, &failed) || failed.WriteConcernError != nil || len(failed.WriteErrors) == 0 {
		return false
	}
	for _, e := range failed.WriteErrors {
		if e.Code != duplicateKey {
			return false
		}
	}
	return true
}

// encode returns the document that the server stores: the store's fields, then the fields of the struct, named by their json
// tags.
func encode(w projections.Write, indexes []projections.Index) (bson.D, error) {
	var out bytes.Buffer
	encoder := bson.NewEncoder(bson.NewDocumentWriter(&out))
	encoder.UseJSONStructTags()
	if err := encoder.Encode(w.Document); err != nil {
		return nil, fmt.Errorf("encode a %T: %w", w.Document, err)
	}
	doc := bson.D{{Key: fieldID, Value: w.ID}, {Key: fieldVersion, Value: w.Loaded + 1}, {Key: fieldLive, Value: w.Gone.IsZero()}}
	if !w.Gone.IsZero() {
		doc = append(doc, bson.E{Key: fieldGone, Value: w.Gone})
	}
	if err := checkIndexed(out.Bytes(), indexes); w.Gone.IsZero() && err != nil {
		return nil, err
	}
	elements, err := bson.Raw(out.Bytes()).Elements()
	if err != nil {
		return nil, fmt.Errorf("encode a %T: %w", w.Document, err)
	}
	for _, element := range elements {
		doc = append(doc, bson.E{Key: element.Key(), Value: element.Value()})
	}
	return doc, nil
}

// checkIndexed returns an error for an indexed field that is missing or has a type that an index does not support: the
// server would accept it, but pages would miss the document.
func checkIndexed(doc bson.Raw, indexes []projections.Index) error {
	for _, index := range indexes {
		for _, field := range index.Fields {
			value, err := doc.LookupErr(field.Name)
			if err != nil {
				return fmt.Errorf("field %s: %w", field.Name, err)
			}
			switch value.Type {
			case bson.TypeString, bson.TypeInt32, bson.TypeInt64, bson.TypeBoolean, bson.TypeDateTime:
			default:
				return fmt.Errorf("field %s: a %s cannot be indexed", field.Name, value.Type)
			}
		}
	}
	return nil
}

// Sweep implements projections.Documents.
func (d *Documents) Sweep(ctx context.Context, collection string, before time.Time, limit int) (int, error) {
	if _, err := d.collection(collection); err != nil {
		return 0, err
	}
	old, err := d.find(ctx, collection,
		bson.D{{Key: fieldLive, Value: false}, {Key: fieldGone, Value: bson.D{{Key: "$lt", Value: before}}}},
		bson.D{{Key: fieldGone, Value: 1}}, limit)
	if err != nil {
		return 0, fmt.Errorf("sweep %s: %w", collection, err)
	}
	removed := 0
	for _, stored := range old {
		// A document that was written again since has another version, and stays.
		result, err := d.database.Collection(collection).DeleteOne(ctx,
			bson.D{{Key: fieldID, Value: stored.ID}, {Key: fieldVersion, Value: stored.Version}})
		if err != nil {
			return removed, fmt.Errorf("sweep %s of %s: %w", stored.ID, collection, err)
		}
		removed += int(result.DeletedCount)
	}
	return removed, nil
}
