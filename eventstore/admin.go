package eventstore

// AdminService is the gRPC service that the embedded server offers besides EventStoreDB's protocol. Its ScavengeMethod takes
// Empty and returns an Int64Value: the number of events removed.
const (
	AdminService   = "moviola.eventstore.Admin"
	ScavengeMethod = "/" + AdminService + "/Scavenge"
	// DiscardFeature is the feature of that method by which a server says that it knows DiscardProperty, and removes by itself what
	// nobody can read any more.
	DiscardFeature = "discard"
)
