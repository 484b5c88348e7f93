// Package accountkeys keeps the keys of accounts, under which personal data is encrypted: a random key for each account, derived
// from nothing. Who erases the key of an account erases all that is encrypted with it, wherever copies lie.
//
// A Shelf stores the keys: Folder does on one host, adapters/mongodb for several. A Ring reads them for a process.
package accountkeys
