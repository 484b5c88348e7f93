package text

import (
	"fmt"

	"moviola/domain/document"
	"moviola/domain/timeline"
)

// TextOverflow is the code of the note that Overflow returns.
const TextOverflow = "text_overflow"

// Overflow returns a note on a text that does not fit into its box. Less than a pixel is tolerated.
func Overflow(ref timeline.Ref, block *Block, box timeline.Box) (document.Note, bool) {
	w, h := block.Size()
	if w < float64(box.W)+1 && h < float64(box.H)+1 {
		return document.Note{}, false
	}
	return document.Note{
		Ref: ref, Path: "/text", Code: TextOverflow, Remedy: "Make the 'font-size' smaller, the text shorter, or the element larger",
		Text: fmt.Sprintf("The text needs %.0f×%.0f pixels, and its box has %d×%d", w, h, box.W, box.H),
	}, true
}
