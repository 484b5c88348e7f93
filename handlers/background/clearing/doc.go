// Package clearing removes stored data of an account: of a closed one, among others, rendered files, media, templates,
// connections and API keys; of a purged one, rendered files and media. The processors call each type of this package in
// turn.
package clearing
