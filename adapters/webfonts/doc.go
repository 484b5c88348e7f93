// Package webfonts fetches font families by name from a service with the CSS interface of Google Fonts, and stores them: by
// content in the file storage, for all accounts and hosts, and as files on this host. Decision 66.
package webfonts
