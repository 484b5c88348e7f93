// Package pigo holds the cascade by which github.com/esimov/pigo finds faces.
package pigo

import _ "embed"

// FaceFinder is the file cascade/facefinder of version 1.4.6, unchanged.
//
//go:embed facefinder
var FaceFinder []byte
