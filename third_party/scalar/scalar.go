// Package scalar holds the viewer of OpenAPI documents by Scalar, as it is published for the browser. The script is not ours:
// README.md says where it is from.
package scalar

import _ "embed"

// Packed is the script, packed by gzip.
//
//go:embed standalone.js.gz
var Packed []byte
