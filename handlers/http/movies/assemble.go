package movies

import (
	"bytes"
	"slices"
)

// Answers are put together from parts that are JSON already: encoding them as values of a larger one would read and copy them
// once more at every level, a list of documents four times.

// withMember adds a member behind the others of an object that has some. It may use the object's memory.
func withMember(object []byte, name string, value []byte) []byte {
	object = slices.Grow(object, len(name)+len(value)+5)
	object = append(object[:len(object)-1], `,"`...)
	object = append(append(object, name...), `":`...)
	return append(append(object, value...), '}')
}

// joined is one object with the members of two, of which each has some. It may use the first one's memory.
func joined(first, second []byte) []byte {
	first = append(first[:len(first)-1], ',')
	return append(first, second[1:]...)
}

// array is a list of values.
func array(values [][]byte) []byte {
	size := 2 + len(values)
	for _, value := range values {
		size += len(value)
	}
	list := append(make([]byte, 0, size), '[')
	list = append(list, bytes.Join(values, []byte(","))...)
	return append(list, ']')
}
