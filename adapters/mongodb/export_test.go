package mongodb

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"moviola/projections"
)

// Stretches returns the fields of an index of the server, and the order and the filters in which a page of it is asked for.
func Stretches(index projections.Index, q projections.Query) (keys, sort bson.D, filters []bson.D, err error) {
	models := indexModels(projections.Collection{Name: "things", Indexes: []projections.Index{index}})
	keys, _ = models[len(models)-1].Keys.(bson.D)
	filters, err = stretches(index, q)
	return keys, order(index), filters, err
}
