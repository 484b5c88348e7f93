package document

import (
	"moviola/domain/expr"
	"moviola/domain/preload"
)

// preloadSuffixes are the endings of the variables that a preload item defines: {{id_url}}. Spec: Preload item result, webURL.
var preloadSuffixes = []string{"_url", "_webURL", "_duration", "_width", "_height"}

// pendingPreloads returns the variables of the movie's preload items, all pending until the items are ready.
func pendingPreloads(props map[string]any) map[string]any {
	items, _ := props["preload"].([]any)
	if len(items) == 0 || len(items) > preload.MaxItems {
		return nil
	}
	values := make(map[string]any)
	for _, item := range items {
		properties, _ := item.(map[string]any)
		id, _ := properties["id"].(string)
		if id == "" {
			continue
		}
		for _, suffix := range preloadSuffixes {
			values[id+suffix] = expr.Pending{}
		}
	}
	return values
}

// PreloadValues returns the variables that one preload item defines. A duration of 0 stays undefined, and so do width and
// height unless both are above 0. The argument web is the address of a copy of the asset that browsers can play; empty:
// browsers can play the asset itself, and its address is used.
func PreloadValues(id, address, web string, duration float64, width, height int) map[string]any {
	if web == "" {
		web = address
	}
	values := map[string]any{id + "_url": expr.JSON(address), id + "_webURL": expr.JSON(web)}
	if duration > 0 {
		values[id+"_duration"] = expr.JSON(duration)
	}
	if width > 0 && height > 0 {
		values[id+"_width"], values[id+"_height"] = expr.JSON(float64(width)), expr.JSON(float64(height))
	}
	return values
}

// readPreload reads the property preload. A mistake in it is a mistake of the movie. Decision 46.
func (r reader) readPreload() []preload.Wanted {
	value, ok := r.get("preload")
	if !ok || value == nil {
		return nil
	}
	items, ok := value.([]any)
	if !ok {
		r.problem(ValueType, "preload", "The property 'preload' must be an array of items")
		return nil
	}
	if len(items) == 0 {
		return nil
	}
	wanted, err := preload.ParseItems(items)
	if err != nil {
		r.problem(ValueType, "preload", "%s", err)
		return nil
	}
	return wanted
}

// readKeep reads the property that asks for storing the element's generated content in the media library. Decision 47.
func (r reader) readKeep(e *Element) {
	switch {
	case r.ref.Type == TypeVoice || r.ref.Type == TypeHTML || r.ref.Type == TypeComponent || e.Prompt != nil:
		e.Keep = r.flag("save-to-media")
	default:
		r.warnIdle("save-to-media")
	}
}
