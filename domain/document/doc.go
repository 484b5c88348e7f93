// Package document reads the JSON of a movie and finds out what follows from the JSON alone: the movie and its elements,
// where and when they are shown, their mistakes, and the destinations of the result.
//
// Reading is lenient: unknown properties are ignored, numeric strings are numbers (decision 23). Parse refuses only few
// faults (decisions 15, 24 and 57); mistakes inside elements are kept and usually reported by Validate, because they are
// render errors and not refusals (decision 22).
//
// # The table of properties
//
// Nearly every name that users can write is a row of one table: Lookup returns the rows of a kind of object (the movie, a
// scene, a type of element, its settings, a group of a component). Readers take names, ranges and defaults from it, so what
// is not in the table is, with few exceptions, not read. The JSON Schema, the reference page docs/movie.md and the validator
// are made of it.
//
// To add a property, add a row, with a sentence that says what it does, an example and its default, to
//
//   - table_movie.go for a movie, a scene, a destination, or one of the small objects (crop, rotate, transition, …);
//   - table_element.go for elements of every type, for those with a picture or a sound, or for one type;
//   - table_css.go for a setting in the notation of CSS, of texts (ofText), components (ofComponent) or both;
//   - table_settings.go for subtitles;
//   - table_component.go for a component, a group of one, or a key of a group.
//
// Then read it: in this package by name (r.within("zoom"), r.flag("muted")), else where the settings are understood. Run go
// generate ./domain/document, which writes docs/movie.md, and check that the row's example changes a movie. If it
// does not, add a pair of movies that differ in the property to the test that checks this for every row (TestProperties in
// domain/timeline).
//
//go:generate go run moviola/tests/reference
package document
