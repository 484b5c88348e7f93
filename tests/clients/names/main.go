// Command names writes a TypeScript program that names every property of the movie JSON, with its example, by the types that a
// generator has made of the OpenAPI document. A compiler holds it against them.
package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	"moviola/domain/document"
)

func main() {
	log.SetFlags(0)
	var out strings.Builder
	out.WriteString("import type { components } from \"./api\";\ntype S = components[\"schemas\"];\nexport const elements: " +
		"S[\"Element\"][] = [];\n")
	schemas := document.OpenSchemas()
	named := 0
	for i, kind := range document.Kinds() {
		name := document.SchemaName(kind)
		switch kind {
		case "element", document.SettingsKind(document.TypeComponent):
			continue // what elements of unknown types have, and the settings of unknown components: others have them too
		case document.PreloadKind:
			name = "PreloadedElement"
		}
		if schemas[name] == nil {
			log.Fatalf("names: the kind %s has no schema %s", kind, name)
		}
		elementType, isElement := strings.CutPrefix(kind, "element:")
		fmt.Fprintf(&out, "const k%d: S[%q] = {\n", i, name)
		if isElement {
			fmt.Fprintf(&out, "  type: %q,\n", elementType)
		}
		for _, p := range document.Lookup(kind) {
			if isElement && p.Name == "type" {
				continue
			}
			fmt.Fprintf(&out, "  %q: %s,\n", p.Name, p.Example)
			named++
		}
		out.WriteString("};\n")
		if isElement {
			fmt.Fprintf(&out, "elements.push(k%d);\n", i)
		} else {
			fmt.Fprintf(&out, "export const k%dKept = k%d;\n", i, i)
		}
		fmt.Fprintf(&out, "// @ts-expect-error: the type has no such property\nexport type K%dNone = S[%q][\"no-such-property\"];\n", i,
			name)
	}
	if _, err := os.Stdout.WriteString(out.String()); err != nil {
		log.Fatal("names: ", err)
	}
	log.Printf("names: %d properties of %d kinds of objects", named, len(document.Kinds()))
}
