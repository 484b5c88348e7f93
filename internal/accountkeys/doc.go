// Package accountkeys keeps the keys of accounts, under which personal data is encrypted. An account's key is random. When it is
// erased, all data that is encrypted with it becomes unreadable, copies and backups too.
//
// A KeyStore stores the keys: Folder does on one host, adapters/mongodb for several. A Ring reads them for a process.
package accountkeys
