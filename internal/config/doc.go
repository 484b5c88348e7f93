// Package config is the configuration of `moviola serve`: flags, environment variables, files, their validation, and their record
// in the data folder.
package config
