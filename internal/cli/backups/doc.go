// Package backups has the commands that keep an installation safe: it is backed up and restored, and its secrets are changed.
package backups
