package web

import (
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
)

// minKeyBytes is the minimum length of a key for signing, in bytes.
const minKeyBytes = 16

// Complete checks a configuration, which is a struct. It returns an error that names every field that is not set, except the
// optional fields. A field of bytes is a key, and needs at least minKeyBytes.
func Complete(config any, optional ...string) error {
	v := reflect.ValueOf(config)
	part := path.Base(v.Type().PkgPath())
	var errs []error
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		key, isKey := v.Field(i).Interface().([]byte)
		switch {
		case slices.Contains(optional, name):
		case v.Field(i).IsZero():
			errs = append(errs, fmt.Errorf("%s: %s is missing", part, name))
		case isKey && len(key) < minKeyBytes:
			errs = append(errs, fmt.Errorf("%s: %s is shorter than %d bytes", part, name, minKeyBytes))
		}
	}
	return errors.Join(errs...)
}
