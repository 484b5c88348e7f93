// Package accountkeys keeps the keys of accounts, under which personal data is encrypted. An account's key is random. When
// every copy of it is erased, the data that is encrypted with it becomes unreadable, also in copies and backups.
//
// A KeyStore stores the keys: Folder does on one host, adapters/mongodb for several. A Ring reads them for a process.
package accountkeys
