package document

import "moviola/domain/css"

// Color is 8 bits per channel, not premultiplied.
type Color = css.Color

// Black is the colour below everything.
var Black = css.Black
