// Package stores opens the stores of an installation, the log, the read models and the files, and checks whether a data folder
// may be used.
package stores
