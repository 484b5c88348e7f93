// Package config holds what `moviola serve` can be told: flags, their environment variables and secret files, the complaints
// about them, and the note of them in the data folder.
package config
