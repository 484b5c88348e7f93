package component

// catalogue is every component by its id.
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
	"advanced/001": fallingText,
	"advanced/050": button,
	"advanced/051": buttonWithCursor,
	"advanced/060": counter,
	"advanced/070": rating,
	"advanced/100": progressBar,
	"advanced/110": progressRing,

	"shape/rectangle": rectangles,
	"shape/polygon":   polygons,
	"shape/3dbox":     solidBox,
	"shape/cutout":    cutout,
	"shape/html":      markup,

	"textbox/simple": textboxes,

	// Ours, which no other service has. The numbers that they had before remain as other names of theirs.
	"moviola/progress-bar":  progressBar,
	"moviola/progress-ring": progressRing,
}
