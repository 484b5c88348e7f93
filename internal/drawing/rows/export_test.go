package rows

// Plainly is Between in plain Go.
func (p *Pairs) Plainly(dst, src []byte) { interpolate(dst, src, p.pairs) }

// MixPlainly is Mix in plain Go.
func MixPlainly(dst, first, second []byte, weight uint32) { mix(dst, first, second, weight) }
