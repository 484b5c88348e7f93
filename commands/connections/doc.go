// Package connections has the use cases of saved connections: they are saved, tested, opened, encrypted again after a change of
// the key, and deleted.
package connections
