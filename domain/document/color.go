package document

import "moviola/domain/css"

// Color is a colour of 8 bits per channel, not premultiplied.
type Color = css.Color

// Black is the colour below all layers.
var Black = css.Black
