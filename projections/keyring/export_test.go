package keyring

// MaxReads is how many streams are read at the same time.
const MaxReads = maxReads
