package document

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"moviola/domain"
)

// Destination is a place where a finished movie is announced, or to which it is sent. Spec: Export destination entries.
type Destination struct {
	Type        string // type of the destination: webhook, aws-s3, ...; empty: the entry names a saved connection only
	ID          string // id of a saved connection; empty: the entry names none
	Endpoint    string // endpoint of a webhook
	ContentType string // content type of a webhook: JSONContent or FormContent
	Format      string // format of the output that is sent; empty: the MP4
	// Given is the entry as written in the document. Types of destinations with properties that have no field here read them from
	// it.
	Given map[string]any
	// Problem is the reason why this entry of the movie's exports cannot be read; empty: the entry is valid.
	Problem string
}

// The content types of a webhook. Short forms are not recognised and mean JSON. Spec: Events, rule 3.
const (
	JSONContent = "application/json"
	FormContent = "application/x-www-form-urlencoded"
)

// maxDestinations is the largest number of destinations of a movie. Decision 55.
const maxDestinations = 20

// maxReference is the maximum length of the type and of the id of a destination, in characters. Both are stored in events.
const maxReference = 255

// Destinations returns the destinations of the movie, in order. An entry that is not an object, or whose type or id is too
// long, has a Problem and is kept, so that the other entries keep their index. The error is a *domain.Error. With it nothing
// can be delivered, because exports are not one object with a list of up to 20 destinations (decisions 33 and 55).
func Destinations(m *Movie) ([]Destination, error) {
	entries, err := destinationEntries(m.exports)
	if err != nil {
		return nil, err
	}
	var destinations []Destination
	for i, entry := range entries {
		props, ok := entry.(map[string]any)
		d := readDestination(props)
		if !ok {
			d.Problem = fmt.Sprintf("Destination %d must be an object", i)
		}
		if name := m.droppedFrom(i); name != "" {
			d.Problem = fmt.Sprintf("The property '%s' of a destination must not use results of preload items, or times that depend on "+
				"sources: they are not known there", Shorten(name))
		}
		d.bound("type", &d.Type)
		d.bound("id", &d.ID)
		destinations = append(destinations, d)
	}
	return destinations, nil
}

// destinationEntries finds the list of destinations.
func destinationEntries(exports any) ([]any, error) {
	invalid := func(format string, args ...any) error {
		return domain.Errorf(domain.Invalid, "exports_invalid", format, args...)
	}
	objects, ok := exports.([]any)
	if !ok && exports != nil {
		objects = []any{exports}
	}
	switch {
	case len(objects) > 1:
		return nil, invalid("Only one export object can be used, the movie has %d", len(objects))
	case len(objects) == 0 || objects[0] == nil:
		return nil, nil
	}
	export, ok := objects[0].(map[string]any)
	if !ok {
		return nil, invalid("exports must be a list with one object, with the property destinations")
	}
	entries, ok := export["destinations"].([]any)
	switch {
	case !ok && export["destinations"] != nil:
		return nil, invalid("destinations must be a list of objects")
	case len(entries) > maxDestinations:
		return nil, invalid("A movie can have at most %d destinations, this one has %d", maxDestinations, len(entries))
	}
	return entries, nil
}

// droppedFrom returns the name of a property of a destination that is missing because its value is not known; empty: none is.
func (m *Movie) droppedFrom(index int) string {
	for _, exports := range []string{"/exports/0", "/exports"} {
		for _, pointer := range m.dropped {
			if name, ok := strings.CutPrefix(pointer, exports+"/destinations/"+strconv.Itoa(index)+"/"); ok {
				return name
			}
		}
	}
	return ""
}

// bound shortens a property that is longer than maxReference characters, and sets the Problem of the destination.
func (d *Destination) bound(name string, value *string) {
	if utf8.RuneCountInString(*value) > maxReference {
		d.Problem = fmt.Sprintf("The property '%s' of a destination must have at most %d characters", name, maxReference)
		*value = Shorten(*value)
	}
}

// readDestination reads one entry. It adds no notes to the movie: a mistake becomes the result of the destination.
func readDestination(props map[string]any) Destination {
	r := reader{movie: &Movie{}}.as(DestinationKind, props)
	d := Destination{Type: r.word("type"), ID: r.reference("id"), Endpoint: r.reference("endpoint"), ContentType: JSONContent,
		Given: props, Format: r.reference("format")}
	if r.word("content-type") == FormContent {
		d.ContentType = FormContent
	}
	return d
}
