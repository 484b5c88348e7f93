// Package upkeep has the commands that look after the stores of an installation: they are checked, audited, made again and told
// about.
package upkeep
