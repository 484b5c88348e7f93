package eventstore

// AdminService and its ScavengeMethod (Empty → Int64Value, the number of events removed) are what the embedded server answers besides
// EventStoreDB's protocol.
const (
	AdminService   = "moviola.eventstore.Admin"
	ScavengeMethod = "/" + AdminService + "/Scavenge"
)
