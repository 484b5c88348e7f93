package document

// Names of tests that each measure the effects of several properties: the folder of the package, and the test.
const (
	lookTest     = "tests/visual TestDress"
	movesTest    = "tests/visual TestMotion"
	placesTest   = "tests/visual TestPlaces"
	captionsTest = "tests/visual TestCaptions"
)

// measured holds the names of tests that compare pictures or sounds of finished movies with the descriptions of properties.
// The keys are the title of a chapter of the reference (Chapter.Title) and the name of a property in it.
var measured = map[string]map[string]string{
	"Movie": {"fps": "tests/blackbox TestRates", "draft": "tests/visual TestDraft",
		"held-pictures": "adapters/render TestEngine_Render_heldPictures",
		"thumbnail":     "domain/timeline TestLay_Thumbnail"},
	"Transition": {"style": "tests/visual TestTransitions"},
	"Thumbnail":  {"time": "domain/timeline TestLay_Thumbnail", "scene": "domain/timeline TestLay_Thumbnail"},
	"Elements": {
		"start": movesTest, "duration": movesTest, "extra-time": movesTest, "fade-in": movesTest, "fade-out": movesTest,
		"z-index": "tests/visual TestLayers",
	},
	"Elements with a picture": {
		"position": placesTest, "x": placesTest, "y": placesTest, "width": placesTest, "height": placesTest,
		"resize": placesTest, "crop": placesTest,
		"rotate": movesTest, "zoom": movesTest, "pan": movesTest, "pan-distance": movesTest, "pan-crop": movesTest,
		"flip-horizontal": lookTest,
		"opacity":         lookTest, "mask": lookTest, "chroma-key": lookTest, "correction": lookTest,
	},
	"Elements with sound": {"volume": "adapters/render TestEngine_Render_volume",
		"muted": "adapters/render TestEngine_Render_volume"},
	"Rotate":     {"angle": movesTest, "speed": movesTest},
	"ChromaKey":  {"color": lookTest, "tolerance": lookTest},
	"Correction": {"brightness": lookTest, "contrast": lookTest, "gamma": lookTest, "saturation": lookTest},
	"Element audio": {
		"src":  "adapters/render TestEngine_Render_soundIsPlacedAndRepeated",
		"seek": "adapters/render TestEngine_Render_soundIsPlacedAndRepeated",
		"loop": "adapters/render TestEngine_Render_soundIsPlacedAndRepeated",
	},
	"Element voice": {
		"text": "adapters/render TestEngine_Render_voicesCaptionsAndWaves", "voice": "domain/document TestParse_Voice",
		"model": "domain/document TestParse_Voice",
	},
	"Element html": {"tailwindcss": "adapters/browser TestStill_TailwindNeedsNoNetwork",
		"wait": "adapters/browser TestStill_Waits", "dpi": "adapters/browser TestStill_DrawsFinerForDPI"},
	"Element audiogram": {"color": "tests/visual TestWaves", "amplitude": "tests/visual TestWaves",
		"opacity": "tests/visual TestWaves"},
	"Settings of subtitles": {
		"style": captionsTest, "position": captionsTest, "x": captionsTest, "y": captionsTest,
		"max-words-per-line": captionsTest, "replace": captionsTest,
	},
}
