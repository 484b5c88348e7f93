// Package archived is an event store whose old streams are in files: it wraps another eventstore.Store, and its readers get
// the archived events too, from the log or from an archive file.
//
// An archive file holds the events of streams that have ended, or the oldest events of streams that have not, in the order
// of the log. The file is written, read back, and named by an event of the stream CatalogStream. Only then its streams are
// truncated in the log, by $tb in their metadata, which names the file too. A truncated stream keeps its newest archived
// event in the log, and all later ones, so that its last revision is known and events can be appended as before. The
// store's own scavenging removes the truncated events.
//
// A log that can collapse streams (eventstore.CollapseProperty) needs no event of a stream that has ended: then all its events
// are truncated, and the log keeps the last revision and the metadata alone.
//
// The package does not decode the events that it archives. Data and metadata are kept byte by byte, so encrypted data stays
// encrypted in the archive.
package archived
