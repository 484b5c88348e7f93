package storage

// The kinds of Flaw.
const (
	FlawMissing  = "missing"
	FlawDamaged  = "damaged"
	FlawOrphaned = "orphaned"
)

// Flaw describes what is wrong with a file of a cache. An empty Kind: nothing is wrong.
type Flaw struct {
	Kind   string
	Detail string   // description for people
	Remove []string // paths of the files to remove, in this order; the cache makes the asset again when it is needed
}
