// Package bench measures the HTTP interface of the built program beside what the machine can do: submissions beside fsyncs,
// answers beside a bare handler in a process of its own that writes the same bytes. Load and service share the machine, so the
// load is made of requests written beforehand, and beside every rate stands the processor time that one request took of the
// process that answered it.
//
// On ext4, making a file costs many times more for some minutes after thousands have been deleted beside it, as the tests do in
// the temporary folder: let these minutes pass, or set TMPDIR to a folder where nothing was deleted.
package bench
