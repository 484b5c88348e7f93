package component

// catalogue maps the ids of components to their builders.
var catalogue = map[string]builder{
	"basic/000": simpleCard,
	"basic/001": barCard,
	"basic/050": newsLine,
	"basic/051": avatarLine,
	"basic/052": oneLine,
	"basic/100": elasticBox,
	"basic/120": profile,
	"basic/125": table,

	"advanced/000": zoomText,
	"advanced/001": fallingWords,
	"advanced/050": button,
	"advanced/051": buttonWithCursor,
	"advanced/060": counter,
	"advanced/070": rating,
	"advanced/100": smartCrop,
	"advanced/110": progressRing, // other services do not document this component; the look is our own

	"shape/rectangle": rectangles,
	"shape/polygon":   polygons,
	"shape/3dbox":     solidBox,
	"shape/cutout":    cutout,
	"shape/html":      markup,

	"textbox/simple": textboxes,

	// Components of our own: no other service has them. Each, except moviola/progress-ring, has the former look of one of
	// the components above that other services have, too. The map former says of which.
	"moviola/progress-bar":    progressBar,
	"moviola/progress-ring":   progressRing,
	"moviola/card":            ourCard,
	"moviola/bar-card":        ourBarCard,
	"moviola/news":            ourNews,
	"moviola/avatar":          ourAvatar,
	"moviola/line":            ourLine,
	"moviola/panel":           ourPanel,
	"moviola/profile":         ourProfile,
	"moviola/falling-letters": fallingLetters,
	"moviola/button":          ourButton,
	"moviola/click":           ourClick,
	"moviola/counter":         ourCounter,
	"moviola/rating":          ourRating,
}

// former tells how components looked in earlier versions of this service. Each key is a component that other services have,
// too. Its value is the component of our own that has the look which the key had then. Decision 69.
var former = map[string]string{
	"basic/000": "moviola/card", "basic/001": "moviola/bar-card", "basic/050": "moviola/news", "basic/051": "moviola/avatar",
	"basic/052": "moviola/line", "basic/100": "moviola/panel", "basic/120": "moviola/profile",
	"advanced/001": "moviola/falling-letters",
	"advanced/050": "moviola/button", "advanced/051": "moviola/click", "advanced/060": "moviola/counter",
	"advanced/070": "moviola/rating",
	"advanced/100": "moviola/progress-bar",
}
