package eventstore_test

import (
	"reflect"
	"testing"
	"time"
)

// unset lists the fields that no sample sets, by type and name, with the reason.
var unset = map[string]string{
	"LedgerOpened: ledger.State.Counts":       inPages,
	"LedgerOpened: ledger.State.Grants":       inPages,
	"LedgerOpened: ledger.State.Open":         inPages,
	"LedgerOpened: ledger.State.Used":         inPages,
	"LedgerOpeningPage: ledger.State.Charged": inOpened,
	"LedgerOpeningPage: ledger.State.Closed":  inOpened,
	"LedgerOpeningPage: ledger.State.Ended":   inOpened,
	"LedgerOpeningPage: ledger.State.Granted": inOpened,
	"LedgerOpeningPage: ledger.State.Pack":    inOpened,
	"LedgerOpeningPage: ledger.State.Purged":  inOpened,
	"LedgerOpeningPage: ledger.State.Zero":    inOpened,
	"MovieSubmitted: movie.Output.Duration":   notMade,
	"MovieSubmitted: movie.Output.Files":      notMade,
	"MovieSubmitted: movie.Output.Height":     notMade,
	"MovieSubmitted: movie.Output.Width":      notMade,
}

// Reasons for which a field is not set.
const (
	inPages  = "the pages of an opening balance have it"
	inOpened = "the opening balance itself has it"
	notMade  = "no output has been made when a movie is submitted"
)

// fieldsOf calls do for every field that is stored of a value: of structs, also within pointers, slices and maps. name is type and
// field, such as movie.File.Key.
func fieldsOf(v reflect.Value, do func(name string, field reflect.StructField, value reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			fieldsOf(v.Elem(), do)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			fieldsOf(v.Index(i), do)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if !field.IsExported() || field.Tag.Get("json") == "-" {
				continue
			}
			do(v.Type().String()+"."+field.Name, field, v.Field(i))
			fieldsOf(v.Field(i), do)
		}
	default:
	}
}

// TestSamples_complete: every field of every event is set in its sample, and every field of a type within it in at least one sample
// of that event, so that the golden files and the tests of encryption cover it.
func TestSamples_complete(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, event := range samples() {
		set := map[string]bool{}
		fieldsOf(reflect.ValueOf(event), func(name string, _ reflect.StructField, value reflect.Value) {
			set[name] = set[name] || !value.IsZero()
		})
		for name, ok := range set {
			key := event.EventType() + ": " + name
			switch {
			case !ok && unset[key] == "":
				t.Errorf("%s is set in no sample", key)
			case !ok:
				used[key] = true
			}
		}
	}
	for key := range unset {
		if !used[key] {
			t.Errorf("%s is set in a sample: take it out of the list", key)
		}
	}
}
