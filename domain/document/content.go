package document

// Page is what an html element shows. HTML or Src is set; HTML wins.
type Page struct {
	HTML     string  // a fragment, shown over nothing
	Src      string  // address of a page
	Tailwind bool    // Tailwind CSS is loaded before it
	Wait     float64 // seconds after the page and its fonts have been loaded, 0 to 10
	Waits    bool    // wait was given
	DPI      float64 // pixels of the drawing for each pixel of the page, 0.1 to 4; the result is scaled down
	// Capture is how many seconds of the page's animations are shown, 0 to 60; 0: a still. The last frame stays. The page's size
	// is the element's.
	Capture Seconds
}

// Component is a ready-made graphic.
type Component struct {
	ID string // "basic/001"
	// Settings are its groups as they came in JSON, numbers as json.Number. Never nil.
	Settings map[string]any
}

// Voice says a text, which is the element's Text.
type Voice struct {
	Voice      string // "en-GB-LibbyNeural"; empty: the model's default
	Model      string // lower case: "azure" (default), "elevenlabs", …
	Connection string // id of a saved connection; empty: none
	// ModelSettings are passed to the provider as they came in JSON; nil: none.
	ModelSettings map[string]any
}

// Audiogram draws the waveform of the sound.
type Audiogram struct {
	Color     Color
	Amplitude float64 // 0 to 10; 5 lets a full swing fill the height
}

// Subtitles are the movie's captions. There is one set of them, drawn over everything.
type Subtitles struct {
	Ref Ref
	// Captions is an SRT, VTT or ASS text, Source the address of one. Both empty: the captions are made from what is said.
	Captions string
	Source   string
	Language string // lower case; "auto": to be found out
	Model    string // lower case; "default"
	// Connection is the id of a saved connection to the provider that listens; empty: none.
	Connection string
	Fresh      bool // captions and font are fetched anew
	// Settings say how they look and what words become. They are read by caption.ReadStyle.
	Settings map[string]any
}
