package commands

// The kinds of flaws.
const (
	FlawMissing  = "missing"
	FlawDamaged  = "damaged"
	FlawOrphaned = "orphaned"
)

// Flaw is what is wrong with a file of a cache; without a kind nothing is.
type Flaw struct {
	Kind   string
	Detail string   // what is wrong, for people
	Remove []string // paths of the files that go when it is repaired, in this order: then it is made again when it is wanted
}
