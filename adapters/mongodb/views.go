package mongodb

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// hidden are the fields that a view leaves out, by read model: secrets, personal data, and fields that are useless outside.
var hidden = map[string][]string{
	"movies": {
		"file.token", "file.key", "file.thumbnail_key", "file.subtitles_key", "message", "warnings", "deliveries", "worker",
		"document_hash", "cache_key", "outputs", "file.outputs",
	},
	"deliveries":  {"message", "connection"},
	"usage_daily": {},
}

// ViewStages returns the pipeline of a read model's view; nil: it has none.
func ViewStages(model string) bson.A {
	fields, ok := hidden[model]
	if !ok {
		return nil
	}
	left := bson.D{{Key: fieldVersion, Value: 0}, {Key: fieldLive, Value: 0}, {Key: fieldGone, Value: 0}}
	for _, field := range fields {
		left = append(left, bson.E{Key: field, Value: 0})
	}
	return bson.A{
		bson.D{{Key: "$match", Value: bson.D{{Key: fieldLive, Value: true}}}},
		bson.D{{Key: "$project", Value: left}},
	}
}

// MakeViews creates the views of read models on their present collections, or changes existing views to these collections. It
// returns the views' names.
func (d *Documents) MakeViews(ctx context.Context, collections map[string]string) ([]string, error) {
	var made []string
	for _, model := range []string{"movies", "deliveries", "usage_daily"} {
		collection, ok := collections[model]
		if !ok {
			return made, fmt.Errorf("there is no collection of %s", model)
		}
		found, err := d.database.ListCollectionSpecifications(ctx, bson.D{{Key: "name", Value: model}})
		if err != nil {
			return made, fmt.Errorf("look for the view %s: %w", model, err)
		}
		for _, there := range found {
			if there.Type != "view" {
				return made, fmt.Errorf("the database has a collection %s that is no view: use a database of the service's own", model)
			}
			if err := d.database.Collection(model).Drop(ctx); err != nil {
				return made, fmt.Errorf("drop the former view %s: %w", model, err)
			}
		}
		if err := d.database.CreateView(ctx, model, collection, ViewStages(model)); err != nil {
			return made, fmt.Errorf("make the view %s: %w", model, err)
		}
		made = append(made, model)
	}
	return made, nil
}
