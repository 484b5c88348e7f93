// Package deliveries has the use cases of deliveries of finished movies: a run is claimed, its tries are recorded, it is released
// or finished, requested again or dropped; and the port of the adapters that send videos.
package deliveries
