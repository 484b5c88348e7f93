// Package preloads has the use cases of preload batches: requesting a batch, and fetching, preparing, storing, settling or
// dropping each item.
package preloads
