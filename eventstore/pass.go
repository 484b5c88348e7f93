package eventstore

import "path/filepath"

// PassHeader is the metadata in which calls through the socket of the embedded server carry the pass of the server's start.
const PassHeader = "moviola-pass"

// PassFile is where that pass lies: beside the socket, for the socket's user only. A program in a sandbox may be able to connect to the socket; it
// cannot read the file.
func PassFile(socket string) string { return filepath.Join(filepath.Dir(socket), "pass") }
