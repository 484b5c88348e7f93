package movies

import (
	"bytes"
	"slices"
)

// Answers are concatenated from parts that are already encoded as JSON. If such a part were encoded again as a value inside a
// larger value, encoding/json would parse and copy it at every level: each document of a list several times.

// withMember appends a member to an object that is not empty. The result may reuse the object's memory.
func withMember(object []byte, name string, value []byte) []byte {
	object = slices.Grow(object, len(name)+len(value)+5)
	object = append(object[:len(object)-1], `,"`...)
	object = append(append(object, name...), `":`...)
	return append(append(object, value...), '}')
}

// joined returns one object with the members of two objects that are not empty. The result may reuse the memory of the
// first object.
func joined(first, second []byte) []byte {
	first = append(first[:len(first)-1], ',')
	return append(first, second[1:]...)
}

// array returns a JSON array of encoded values.
func array(values [][]byte) []byte {
	size := 2 + len(values)
	for _, value := range values {
		size += len(value)
	}
	list := append(make([]byte, 0, size), '[')
	list = append(list, bytes.Join(values, []byte(","))...)
	return append(list, ']')
}
