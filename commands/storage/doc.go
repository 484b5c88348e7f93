// Package storage has what use cases and storages tell each other about stored files: for which account a file counts, why a file
// does not fit, and what is wrong with one.
package storage
