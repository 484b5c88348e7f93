// Package stores opens what keeps the state of an installation, the log, the read models and the files, and says of a data folder
// whether it may be used.
package stores
