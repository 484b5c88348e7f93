package document

import "strings"

// The names of movies in docs/gallery that each show several properties. The name of each constant tells which properties.
const (
	fontsPicture  = "28-text-fonts"
	paintPicture  = "29-text-paint"
	placesPicture = "30-text-places"
	pagePicture   = "31-page"
	looksPicture  = "32-component-looks"
	motionPicture = "33-animate"

	sizesPicture      = "34-sizes"
	timesPicture      = "35-times"
	movesPicture      = "36-moves"
	canvasPicture     = "37-canvas"
	resolutionPicture = "38-resolution"
	repeatPicture     = "39-repetition"
	pagesPicture      = "40-html"
	captionPicture    = "41-caption-letters"
	captionBoxPicture = "42-caption-font"
	cardsPicture      = "43-cards"
	itemsPicture      = "44-items"
	figuresPicture    = "45-figures"
	textsPicture      = "46-texts"
	solidsPicture     = "47-solids"
	cutoutPicture     = "48-cutout"
	entrancePicture   = "49-motion"
	morePicture       = "50-more-looks"
	targetsPicture    = "51-animate"
	textBoxPicture    = "53-text-boxes"
	sidesPicture      = "54-component-sides"
	colorsPicture     = "55-caption-colors"
	dressPicture      = "56-dress"
	partsPicture      = "57-animate-parts"
)

// sheets maps the id of a component to the name of a gallery movie that shows it with all its parts.
var sheets = map[string]string{
	"basic/000": cardsPicture, "basic/001": cardsPicture, "moviola/card": cardsPicture, "moviola/bar-card": cardsPicture,
	"basic/050": cardsPicture, "basic/051": cardsPicture, "basic/052": cardsPicture, "moviola/news": cardsPicture,
	"moviola/avatar": cardsPicture,
	"moviola/line":   cardsPicture,
	"basic/100":      itemsPicture, "moviola/panel": itemsPicture, "basic/120": itemsPicture, "moviola/profile": itemsPicture,
	"basic/125":    itemsPicture,
	"advanced/050": itemsPicture, "moviola/button": itemsPicture, "advanced/051": itemsPicture, "moviola/click": itemsPicture,
	"advanced/060": figuresPicture, "moviola/counter": figuresPicture, "advanced/070": figuresPicture,
	"moviola/rating": figuresPicture,
	"advanced/100":   figuresPicture, "moviola/progress-bar": figuresPicture, "moviola/progress-ring": figuresPicture,
	"advanced/110": figuresPicture,
	"advanced/000": textsPicture, "advanced/001": textsPicture, "moviola/falling-letters": textsPicture,
	"textbox/simple": textsPicture,
	"shape/html":     textsPicture, "shape/polygon": solidsPicture, "shape/3dbox": solidsPicture, "shape/cutout": cutoutPicture,
}

// chapterPictures holds the gallery movies of single properties, by the title of a chapter of the reference and the name of
// the property. Such a movie is shown instead of the one in the property's field Picture.
var chapterPictures = map[string]map[string]string{
	"Movie": {
		"resolution": resolutionPicture, "width": canvasPicture, "height": canvasPicture, "fps": canvasPicture,
		"quality":          canvasPicture,
		"background-color": canvasPicture, "variables": repeatPicture, "scenes": repeatPicture, "thumbnail": repeatPicture,
	},
	"Scene":      {"elements": repeatPicture, "duration": repeatPicture, "id": repeatPicture, "import": repeatPicture},
	"Transition": {"duration": "52-transition-duration"},
	"Scenes and elements": {
		"condition": repeatPicture, "variables": repeatPicture, "iterate": repeatPicture, "iterate-as": repeatPicture,
		"iterate-from": repeatPicture,
		"iterate-to":   repeatPicture, "iterate-step": repeatPicture,
	},
	"Elements": {"type": sizesPicture, "start": timesPicture, "duration": timesPicture, "extra-time": timesPicture},
	"Elements with a picture": {"width": sizesPicture, "height": sizesPicture, "scale": sizesPicture, "pan-crop": movesPicture,
		"opacity": sizesPicture, "x": dressPicture, "y": dressPicture, "flip-vertical": dressPicture},
	"Crop":          {"width": sizesPicture, "height": sizesPicture, "x": sizesPicture, "y": sizesPicture},
	"Rotate":        {"speed": movesPicture},
	"ChromaKey":     {"tolerance": movesPicture},
	"Correction":    {"gamma": dressPicture},
	"Scale":         {"width": sizesPicture, "height": sizesPicture},
	"Element image": {"src": sizesPicture},
	"Element video": {"src": timesPicture, "seek": timesPicture, "loop": timesPicture},
	"Element html": {"src": pagesPicture, "tailwindcss": pagesPicture, "wait": pagesPicture, "dpi": pagesPicture,
		"capture": pagesPicture, "settings": pagePicture},
	"Capture":           {"duration": pagesPicture},
	"Element component": {"settings": cardsPicture},
	"Settings of texts": {
		"font-url": morePicture, "font-family": textBoxPicture, "background": textBoxPicture, "pill-color": textBoxPicture,
		"text-stroke-width": textBoxPicture, "text-stroke-color": textBoxPicture, "border-width": textBoxPicture,
		"border-color": textBoxPicture,
		"border-style": textBoxPicture, "padding-top": textBoxPicture, "padding-right": textBoxPicture,
		"padding-bottom": textBoxPicture,
		"padding-left":   textBoxPicture, "margin-top": textBoxPicture, "margin-right": textBoxPicture, "margin-bottom": textBoxPicture,
		"margin-left": textBoxPicture,
	},
	"Settings of subtitles": {
		"all-caps": captionPicture, "font-family": captionPicture, "font-size": captionPicture, "font-url": captionBoxPicture,
		"font-weight": captionPicture,
		"position":    captionPicture, "x": captionPicture, "y": captionPicture, "box-color": captionBoxPicture,
		"outline-color": captionPicture,
		"outline-width": captionPicture, "shadow-color": captionPicture, "shadow-offset": captionPicture,
		"max-words-per-line": captionPicture,
		"replace":            captionPicture, "word-color": colorsPicture, "line-color": colorsPicture,
	},
	"Components": {
		"font-url": morePicture, "background-size": morePicture, "background-position": morePicture, "overflow": morePicture,
		"border-spacing": morePicture, "max-width": morePicture, "display": morePicture, "visibility": morePicture,
		"font-family": looksPicture,
		"background":  looksPicture, "border-width": sidesPicture, "border-color": sidesPicture, "border-style": sidesPicture,
		"padding-top": sidesPicture, "padding-right": sidesPicture, "padding-bottom": sidesPicture, "padding-left": sidesPicture,
		"margin-top": sidesPicture, "margin-right": sidesPicture, "margin-bottom": sidesPicture, "margin-left": sidesPicture,
	},
	"Component textbox/simple": {"textbox › animate": partsPicture}, "Component shape/html": {"html › animate": partsPicture},
	"Component shape/3dbox":  {"box › animate": partsPicture},
	"Component shape/cutout": {"cutout › animate": partsPicture, "hole › animate": partsPicture},
	"Motion": {"animation": entrancePicture, "duration": entrancePicture, "delay": entrancePicture,
		"easing": entrancePicture},
	"Animate": {
		"left": targetsPicture, "top": targetsPicture, "width": targetsPicture, "height": targetsPicture,
		"rotate": motionPicture, "opacity": motionPicture,
		"points": motionPicture, "fill": motionPicture, "stroke": motionPicture, "stroke-width": motionPicture,
		"animation": targetsPicture,
		"rotate-x":  partsPicture, "rotate-y": partsPicture, "rotate-z": partsPicture, "x": partsPicture, "y": partsPicture,
		"cx": partsPicture,
		"cy": partsPicture, "r": partsPicture, "rx": partsPicture, "ry": partsPicture,
		"duration": targetsPicture, "delay": targetsPicture, "easing": targetsPicture,
	},
}

// stylePictures are the pictures of CSS-like settings.
var stylePictures = map[string]string{
	"font": fontsPicture, "font-weight": fontsPicture, "font-style": fontsPicture, "text-align": fontsPicture,
	"line-height":    fontsPicture,
	"letter-spacing": fontsPicture, "word-spacing": fontsPicture, "text-transform": fontsPicture, "text-decoration": fontsPicture,
	"text-shadow": paintPicture, "text-stroke": paintPicture, "text-stroke-width": paintPicture, "text-stroke-color": paintPicture,
	"background-color": fontsPicture, "background-image": paintPicture, "opacity": paintPicture, "box-shadow": paintPicture,
	"border": paintPicture, "border-width": paintPicture, "border-color": paintPicture, "border-style": paintPicture,
	"border-radius": paintPicture,
	"padding":       paintPicture, "margin": paintPicture,
	"vertical-position": placesPicture, "horizontal-position": placesPicture, "vertical-align": looksPicture,
	"horizontal-align": looksPicture,
	"left":             looksPicture, "top": looksPicture, "width": looksPicture, "height": looksPicture, "rotate": looksPicture,
}

// pictured returns the property of a CSS-like setting with its picture, unless the property has a picture already or has no
// effect.
func (p Property) pictured() Property {
	switch side := strings.HasPrefix(p.Name, "border-") && p.Name != "border-spacing"; {
	case p.Picture != "" || p.Idle:
	case stylePictures[p.Name] != "":
		p.Picture = stylePictures[p.Name]
	case side:
		p.Picture = sidesPicture
	case strings.HasPrefix(p.Name, "padding-"), strings.HasPrefix(p.Name, "margin-"):
		p.Picture = paintPicture
	}
	return p
}
