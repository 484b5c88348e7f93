// Package connections has the use cases of saved connections: saving, testing and opening them, encrypting their secrets again
// when the vault has another key, and deleting them.
package connections
