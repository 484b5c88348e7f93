// Package fonts holds the font files that Moviola ships: the families that texts and components default to, and those that movies
// ask for most. README.md says where they come from.
package fonts

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync"
)

// The files lie as their packages have them: <package>-<subset>-<weight>-<style>.woff, a licence, and the characters of each
// subset.
//
//go:embed */*.woff */unicode.json
var files embed.FS

// Face is one font file: a weight and slant of a family, with the characters of one subset.
type Face struct {
	Family string // as it is written: "Bebas Neue"
	Path   string // for Read
	Weight int    // 100 to 900
	Italic bool
	Range  string // the characters, as unicode-range of CSS
}

// families are the names of families by that of their package.
var families = map[string]string{
	"anton": "Anton", "archivo-black": "Archivo Black", "bangers": "Bangers", "barlow-condensed": "Barlow Condensed",
	"bebas-neue":     "Bebas Neue",
	"dancing-script": "Dancing Script", "dm-sans": "DM Sans", "eb-garamond": "EB Garamond", "inter": "Inter", "lato": "Lato",
	"league-spartan": "League Spartan", "lora": "Lora", "merriweather": "Merriweather", "montserrat": "Montserrat",
	"nunito":    "Nunito",
	"open-sans": "Open Sans", "oswald": "Oswald", "pacifico": "Pacifico", "playfair-display": "Playfair Display",
	"poppins": "Poppins",
	"raleway": "Raleway", "roboto": "Roboto", "roboto-condensed": "Roboto Condensed", "roboto-mono": "Roboto Mono",
	"roboto-slab": "Roboto Slab",
	"work-sans":   "Work Sans",
}

// Faces are all files, those of a family together; of each weight and slant the Latin subset comes first.
var Faces = sync.OnceValue(func() []Face {
	var all []Face
	packages, err := files.ReadDir(".")
	if err != nil {
		panic(err) // they are part of the program
	}
	for _, p := range packages {
		entries, err := files.ReadDir(p.Name())
		if err != nil {
			panic(err)
		}
		ranges := rangesOf(p.Name())
		for _, e := range entries {
			if name, ok := strings.CutSuffix(e.Name(), ".woff"); ok {
				all = append(all, face(p.Name(), name, ranges))
			}
		}
	}
	return all
})

// rangesOf are the characters of each subset of a package.
func rangesOf(folder string) map[string]string {
	content, err := files.ReadFile(folder + "/unicode.json")
	if err != nil {
		panic(err)
	}
	var ranges map[string]string
	if err := json.Unmarshal(content, &ranges); err != nil {
		panic(fmt.Errorf("read unicode.json of %s: %w", folder, err))
	}
	return ranges
}

// face reads the name of a file without its ending.
func face(folder, name string, ranges map[string]string) Face {
	parts := strings.Split(strings.TrimPrefix(name, folder+"-"), "-")
	last := len(parts) - 1
	weight, err := strconv.Atoi(parts[last-1])
	if err != nil {
		panic(fmt.Errorf("the font file %s names no weight: %w", name, err))
	}
	return Face{
		Family: families[folder], Path: path.Join(folder, name+".woff"), Weight: weight, Italic: parts[last] == "italic",
		Range: ranges[strings.Join(parts[:last-1], "-")],
	}
}

// Read returns a file: a font of the format WOFF 1.
func Read(path string) ([]byte, error) { return files.ReadFile(path) }
