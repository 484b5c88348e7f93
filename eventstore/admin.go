package eventstore

// AdminService is the gRPC service that the embedded server offers besides EventStoreDB's protocol. Its ScavengeMethod takes
// Empty and returns an Int64Value: the number of events removed.
const (
	AdminService   = "moviola.eventstore.Admin"
	ScavengeMethod = "/" + AdminService + "/Scavenge"
	// DiscardFeature is a feature in the server's list of supported methods, at the method Scavenge. A server with this feature
	// knows DiscardProperty. Such a server removes discarded streams, and the events that retention excludes, by itself.
	DiscardFeature = "discard"
	// CollapseFeature is a feature as DiscardFeature is. A server with this feature knows CollapseProperty.
	CollapseFeature = "collapse"
)
