// Package preloads has the use cases of preload batches: they are requested, and each item is fetched, prepared, stored and
// settled, or dropped.
package preloads
