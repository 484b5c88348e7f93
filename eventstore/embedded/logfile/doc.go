// Package logfile keeps the log in one SQLite file: it commits records, reads them, and checks, copies and describes the
// file.
//
// Every event and every page of the file has a checksum, and the write-ahead log that a crash left is checked before it is
// used: damage that is found is a *CorruptError, which names the place as far as it is known. A Head tells what retention
// leaves visible of a stream.
package logfile
