package component

import (
	"moviola/domain/css"
	"moviola/domain/timeline"
)

// Color is a colour of 8 bits per channel, not premultiplied.
type Color = timeline.Color

// maxValue is the length in bytes of the longest CSS value; longer values are ignored.
const maxValue = 2000

// sides are four lengths: top, right, bottom, left.
type sides [4]css.Length
