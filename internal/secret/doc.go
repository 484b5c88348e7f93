// Package secret holds the secret of an installation, derives keys from it, and opens the vault for stored credentials.
package secret
