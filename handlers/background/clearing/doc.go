// Package clearing removes the stored data of an account that is purged or closed: rendered files, media, templates, connections
// and API keys. Each kind of data has a type of its own that the processors call.
package clearing
