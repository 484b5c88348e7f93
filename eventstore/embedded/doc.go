// Package embedded is an event store that needs nothing installed: a gRPC server in the process that speaks EventStoreDB's
// protocol, as the official client defines it, over one durable SQLite file.
//
// It appends (every kind of expected revision, one by one or in batches, idempotent by event id), reads streams and the whole log both
// ways, follows them by catch-up subscriptions with filters and by persistent subscriptions (groups of consumers), resolves links, knows
// stream metadata, soft deletion, tombstones and access lists, and answers gossip as a cluster of one node. Projections it does not run:
// a read of a stream that only a system projection would write is UNIMPLEMENTED.
//
// An append is answered only after its transaction is on the disk. One goroutine writes: it takes every append that waits
// and commits them together, so that the cost of a sync is shared. Subscribers hold a cursor and pull, from memory
// near the live edge and from the file elsewhere, so that a slow one costs nothing, nor does one that waits for others' records to pass.
//
// Every event and every page of the file has a checksum, and what a crash left in the write-ahead log is checked before it is used:
// damage is a *CorruptError that says where, and is never read. After a failed write or sync nothing is written until a restart.
// What retention ($maxCount, $maxAge, $tb, deletion) leaves out is removed in the background.
package embedded
