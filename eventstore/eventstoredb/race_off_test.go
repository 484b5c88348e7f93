//go:build !race

package eventstoredb_test

// slowness is by how much time limits are stretched.
const slowness = 1
