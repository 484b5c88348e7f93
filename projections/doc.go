// Package projections holds the read models: the documents that answers are served from, the folds that make them from the
// log, the Reader that keeps them up to it, the queries over them, and the work list. Everything here can be thrown away and
// rebuilt from the events, but for Presence, which is a notice board and not a read model.
//
// Documents is the port to the database: SQLite and MongoDB implement it, alike, under the suite in documentstest. A document of
// one stream carries the revision of the last event folded in, a work item the position in the log: so every event may be
// applied again, by any process, at any time, and changes a document once.
package projections
