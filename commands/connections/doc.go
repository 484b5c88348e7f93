// Package connections has the use cases of saved connections: saving, testing and opening them, encrypting them again after a
// change of the key, and deleting them.
package connections
