package document

import "strings"

// The movies of docs/gallery that show several properties each, by the name that says which one.
const (
	fontsPicture  = "28-text-fonts"
	paintPicture  = "29-text-paint"
	placesPicture = "30-text-places"
	pagePicture   = "31-page"
	looksPicture  = "32-component-looks"
	motionPicture = "33-animate"
)

// stylePictures are those of settings in the notation of CSS.
var stylePictures = map[string]string{
	"font": fontsPicture, "font-weight": fontsPicture, "font-style": fontsPicture, "text-align": fontsPicture, "line-height": fontsPicture,
	"letter-spacing": fontsPicture, "word-spacing": fontsPicture, "text-transform": fontsPicture, "text-decoration": fontsPicture,
	"text-shadow": paintPicture, "text-stroke": paintPicture, "text-stroke-width": paintPicture, "text-stroke-color": paintPicture,
	"background-color": fontsPicture, "background-image": paintPicture, "opacity": paintPicture, "box-shadow": paintPicture,
	"border": paintPicture, "border-width": paintPicture, "border-color": paintPicture, "border-style": paintPicture, "border-radius": paintPicture,
	"padding": paintPicture, "margin": paintPicture,
	"vertical-position": placesPicture, "horizontal-position": placesPicture, "vertical-align": looksPicture, "horizontal-align": looksPicture,
	"left": looksPicture, "top": looksPicture, "width": looksPicture, "height": looksPicture, "rotate": looksPicture,
}

// pictured names a picture of a setting that has none of its own.
func (p Property) pictured() Property {
	switch side := strings.HasPrefix(p.Name, "border-") && p.Name != "border-spacing"; {
	case p.Picture != "" || p.Idle:
	case stylePictures[p.Name] != "":
		p.Picture = stylePictures[p.Name]
	case side:
		p.Picture = looksPicture
	case strings.HasPrefix(p.Name, "padding-"), strings.HasPrefix(p.Name, "margin-"):
		p.Picture = paintPicture
	}
	return p
}
