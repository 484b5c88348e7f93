// Package eventstores has the commands for event stores: serve, inspect, copy, back up, verify, and manage users.
package eventstores
