// Package backups has the commands for backups, restores and the change of secrets.
package backups
