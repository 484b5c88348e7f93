//go:build race

package eventstoredb_test

// slowness is by how much time limits are stretched: the race detector makes everything several times slower.
const slowness = 4
