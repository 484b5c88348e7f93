package eventstore

import (
	"slices"

	"moviola/domain"
)

// Define makes a codec know another event, with the upcasters that lead to its newest version.
func Define[E domain.Event](c *Codec, up ...func([]byte) ([]byte, error)) {
	chain := make([]upcaster, len(up))
	for i := range up {
		chain[i] = up[i]
	}
	define[E](c, chain...)
}

// Versions returns the newest version of every event that a codec knows, by type.
func (c *Codec) Versions() map[string]int {
	versions := make(map[string]int)
	for name, k := range c.kinds {
		versions[name] = k.version()
	}
	return versions
}

// Unclassified returns the texts in events of which nobody has said whether they are personal.
func (c *Codec) Unclassified() []string {
	var all []string
	for _, k := range c.kinds {
		all = append(all, k.unclassified...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
