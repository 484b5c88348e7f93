// Package connections has the use cases of saved connections: they are saved, tested, opened for their use, sealed anew and
// deleted.
package connections
