// Package eventstores has the commands on event stores: one is served, looked into, copied, backed up and verified, and its users
// are kept.
package eventstores
