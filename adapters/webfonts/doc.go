// Package webfonts fetches font families by their names from a service that speaks the CSS interface of Google Fonts, and keeps
// them: by their content in the storage of files, for all accounts and hosts, and as files on this host. Decision 66.
package webfonts
