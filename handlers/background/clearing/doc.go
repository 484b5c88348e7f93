// Package clearing removes what is stored for an account whose files are purged or which is closed: rendered files, media,
// templates, connections and keys, each by a type of its own that the processors call.
package clearing
