// Package archived is an event store whose old streams are in files: it wraps another eventstore.Store, and its readers see every
// event, whether the log still has it or an archive file.
//
// An archive file holds the events of streams that have ended, in the order of the log. It is written, read back, named by an
// event of the stream CatalogStream, and only then are its streams truncated in the log ($tb in their metadata, which names the
// file too). A truncated stream keeps its newest event in the log, so its revision is known and appends go on as before. The
// store's own scavenging removes the truncated events.
//
// Nothing here depends on what the events mean. Data and metadata are kept byte by byte, so what a codec or a store around this
// one has encrypted stays encrypted in the archive.
package archived
