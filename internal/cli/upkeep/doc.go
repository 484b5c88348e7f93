// Package upkeep has the commands that check, audit, rebuild and export the stores of an installation.
package upkeep
