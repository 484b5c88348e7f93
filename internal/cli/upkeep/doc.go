// Package upkeep has the commands that check, rebuild and export the stores of an installation.
package upkeep
