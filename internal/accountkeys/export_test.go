package accountkeys

// CachedKeys is the number of keys that a process keeps at most.
const CachedKeys = cachedKeys

// Held returns the number of accounts about which the ring knows something.
func (r *Ring) Held() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.keys)
}
