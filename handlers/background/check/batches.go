package check

import (
	"time"

	"moviola/domain"
	"moviola/domain/batch"
	"moviola/domain/blobkey"
)

// batchFiles are the stored rows of a batch of movies. They are required until every row has its movie, or the batch is
// cancelled or refused.
type batchFiles struct {
	batch.Batch
	id batch.ID
}

func (b *batchFiles) apply(e domain.Event) { b.Apply(e) }

func (b *batchFiles) wants(time.Time) []want {
	requested, known := b.Requested()
	if !known {
		return nil
	}
	return []want{{
		key: blobkey.BatchRows(requested.Account, b.id), what: "rows of a batch", hash: requested.RowsHash,
		required: b.Next() == batch.Hold || b.Next() == batch.Submit,
	}}
}

// mayHave implements subject. It returns true for every file of a batch that the log knows: even when the rows are no
// longer needed, their file may still exist until a chore removes old files of batches.
func (b *batchFiles) mayHave(string) bool {
	_, known := b.Requested()
	return known
}
