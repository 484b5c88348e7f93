package commands

// The kinds of flaws.
const (
	FlawMissing  = "missing"
	FlawDamaged  = "damaged"
	FlawOrphaned = "orphaned"
)

// Flaw describes what is wrong with a file of a cache; an empty Kind: nothing.
type Flaw struct {
	Kind   string
	Detail string   // description for people
	Remove []string // paths of the files to remove for a repair, in this order; the asset is made again when it is needed
}
