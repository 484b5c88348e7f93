// Package mediafiles has the use cases of media libraries: files are registered, uploaded, confirmed, kept, moved and deleted,
// and folders are created.
package mediafiles
