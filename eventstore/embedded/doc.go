// Package embedded is an event store that needs no installation: a gRPC server in the process that speaks EventStoreDB's
// protocol, as the official client defines it, over one durable SQLite file.
//
// It appends (every kind of expected revision, single or in batches, idempotent by event id), reads streams and the whole
// log in both directions, follows them by catch-up subscriptions with filters and by persistent subscriptions (groups of
// consumers), resolves links, handles stream metadata, soft deletion, tombstones and access lists, and answers gossip as a
// cluster of one node. It runs no projections: a read of an empty stream that a system projection would write is
// UNIMPLEMENTED.
//
// An append is answered only after its transaction is on the disk. One goroutine writes: it commits waiting appends
// together, so that they share the cost of one sync. Catch-up subscriptions hold a cursor and pull: newest records from
// memory, older ones from the file. So a slow subscriber costs little memory. A waiting subscriber to one stream, or to
// whole categories, is woken by their records only, or when a checkpoint is due.
//
// Package logfile checks what it reads: a call that meets damaged data fails with the place of the damage. After a failed
// write or sync, unless only the disk was full, the server writes nothing until it is restarted. Events that retention
// ($maxCount, $maxAge, $tb, deletion) excludes are removed in the background. Package entry decides who may connect,
// package wire makes the protocol's messages.
package embedded
