// Package projections holds the read models: the documents that answers are served from, the folds that make them from
// the log, the Reader that keeps them current, the queries over them, and the work list. The documents can be deleted
// and rebuilt from the events, except those of Presence and the other notice boards (Trouble, Process, readers): they
// are not read models.
//
// Documents is the port to the database; SQLite and MongoDB implement it, and documentstest tests both alike. Most
// documents that change carry the revision of the last event folded in. Those that follow several streams, such as work
// items, carry the position in the log instead, and so do some others. So folding is idempotent: any process may apply
// an event again at any time, and the event changes a document once.
package projections
