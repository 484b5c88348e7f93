package eventstore

import "path/filepath"

// PassHeader is the gRPC metadata key of the pass: a random token that an embedded server with a unix socket makes at each
// start, if its Config.NeedsPass is true. Calls through the server's unix socket must then contain the pass, except those that
// only ask what the server can do.
const PassHeader = "moviola-pass"

// PassFile returns the path of the file with the pass: beside the socket, readable by the socket's user only. A program in a
// sandbox may be able to connect to the socket, but cannot read the file.
func PassFile(socket string) string { return filepath.Join(filepath.Dir(socket), "pass") }
