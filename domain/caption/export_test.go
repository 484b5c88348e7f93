package caption

import "slices"

// SettingsRead are the names of all settings that are read, sorted.
func SettingsRead() []string {
	r := settingsReader{given: map[string]any{}}
	r.style(640, 360)
	slices.Sort(r.read)
	return slices.Compact(r.read)
}
