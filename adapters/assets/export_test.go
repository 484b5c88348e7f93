package assets

// What makes pictures of 16 bits a channel ones of 8.
var (
	ShallowPNG = shallowPNG
	Shallow    = shallow

	ShallowTIFF     = shallowTIFF
	ErrOtherPicture = errOtherPicture
)

// Waiting is how many callers wait for downloads.
func (c *Cache) Waiting() int {
	c.flights.mu.Lock()
	defer c.flights.mu.Unlock()
	n := 0
	for _, f := range c.flights.all {
		n += f.waiting
	}
	return n
}
