// Package storage has what use cases and storages of files tell each other about a file: the account whose storage limit
// the file counts towards, the error when the file would exceed a limit, and what is wrong with a damaged file.
package storage
