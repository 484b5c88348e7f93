package assets

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

// Watch measures the speed of a body, and calls end when it is too slow.
var Watch = watch
