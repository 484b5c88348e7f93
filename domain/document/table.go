package document

import (
	"slices"
	"sync"
)

// table holds a function for each kind of object of the movie JSON, which returns the properties of the kind. The function puts
// them together at its first call, because few movies need the many groups of all components. The rows are in table_*.go;
// doc.go tells how to add one.
var table = sync.OnceValue(func() map[string]func() propertySet {
	kinds := map[string][]Property{
		MovieKind: movieProperties, SceneKind: sceneProperties, ExportKind: exportProperties, DestinationKind: destinationProperties,
		PreloadKind: preloadProperties, "element": elementProperties,
	}
	for name, rows := range objectProperties {
		kinds[name] = rows
	}
	for name, own := range typeProperties {
		rows := slices.Concat(own, elementProperties)
		if name == TypeSubtitles { // subtitles belong to the movie and have no times, so most common properties do not apply
			rows = slices.Concat(own, elementProperties[:1], repeatedProperties)
		}
		if seen[name] || name == "template" {
			rows = slices.Concat(rows, visualProperties)
		}
		if heard[name] {
			rows = slices.Concat(rows, soundProperties)
		}
		rows = withDefaults(rows, typeDefaults[name])
		for i := range rows {
			if idleFor(name, rows[i].Name) {
				rows[i].Idle, rows[i].Doc, rows[i].Picture = true, "Has no effect on an element of this type.", ""
			}
		}
		kinds["element:"+name] = rows
	}
	for name, rows := range settingsProperties() {
		kinds[SettingsKind(name)] = belonging(rows)
	}
	all := make(map[string]func() propertySet, len(kinds))
	for kind, rows := range kinds {
		all[kind] = sync.OnceValue(func() propertySet { return newProperties(rows) })
	}
	for _, c := range components {
		for _, g := range c.groups {
			all[ComponentKind(c.id, g.name)] = sync.OnceValue(func() propertySet { return newProperties(belonging(g.properties())) })
		}
	}
	return all
})

// propertiesOf returns the properties of a kind of object; none for a kind that does not exist.
func propertiesOf(kind string) propertySet {
	if properties, ok := table()[kind]; ok {
		return properties()
	}
	return propertySet{}
}

// idleFor reports whether a common property of elements has no effect in elements of a type.
func idleFor(elementType, name string) bool {
	switch name {
	case "save-to-media":
		return !made[elementType]
	case "crop":
		return elementType != TypeImage && elementType != TypeVideo
	case "z-index":
		return !seen[elementType] && elementType != "template"
	}
	return false
}

// componentGroups maps each component to the names of its groups.
var componentGroups = sync.OnceValue(func() map[string][]string {
	all := make(map[string][]string, len(components))
	for _, c := range components {
		for _, g := range c.groups {
			all[c.id] = append(all[c.id], g.name)
		}
	}
	return all
})

// withDefaults returns a copy of rows in which a property whose name is in defaults has that default. Of properties with the same
// name the first one is kept.
func withDefaults(rows []Property, defaults map[string]string) []Property {
	var out []Property
	for _, p := range rows {
		if slices.ContainsFunc(out, func(other Property) bool {
			return other.Name == p.Name || slices.Contains(other.Aliases, p.Name)
		}) {
			continue
		}
		if value, ok := defaults[p.Name]; ok {
			p.Default = value
		}
		out = append(out, p)
	}
	return out
}

// belonging returns a copy of rows in which every property is marked as a setting: its field Settings is true.
func belonging(rows []Property) []Property {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Settings = true
	}
	return rows
}

// at returns a pointer to a number, for the fields Min and Max of a Property.
func at(n float64) *float64 { return &n }
