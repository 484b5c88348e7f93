// Package deliveries has the use cases of finished movies on their way to destinations: a run is claimed, its tries are recorded,
// it is handed back, finished, asked for again or dropped; and the port of those who bring videos there.
package deliveries
