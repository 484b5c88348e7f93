package caption_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/caption"
	"moviola/domain/document"
)

// TestReadStyle_Table: the settings of subtitles are those of the table of properties, under all their names, and each changes the style.
func TestReadStyle_Table(t *testing.T) {
	t.Parallel()
	usual, _ := caption.ReadStyle(nil, 640, 360)
	var listed []string
	for _, p := range document.Lookup(document.SettingsKind(document.TypeSubtitles)) {
		var value any
		if err := json.Unmarshal([]byte(p.Example), &value); err != nil {
			t.Fatal(err)
		}
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			listed = append(listed, name)
			got, warnings := caption.ReadStyle(map[string]any{name: value}, 640, 360)
			if cmp.Equal(got, usual) || len(warnings) > 0 {
				t.Errorf("%s: %s changes nothing, or is warned of: %v", name, p.Example, warnings)
			}
		}
		if p.Default == "" {
			continue
		}
		if err := json.Unmarshal([]byte(p.Default), &value); err != nil {
			t.Fatal(err)
		}
		got, _ := caption.ReadStyle(map[string]any{p.Name: value}, 640, 360)
		got.Rebreak, got.Family = usual.Rebreak, usual.Family // whether they are given counts, too
		if diff := cmp.Diff(usual, got); diff != "" {
			t.Errorf("%s: %s is not what is assumed without it: %s", p.Name, p.Default, diff)
		}
	}
	slices.Sort(listed)
	if read := caption.SettingsRead(); !slices.Equal(read, listed) {
		t.Errorf("read are %v\nthe table has %v", read, listed)
	}
}
