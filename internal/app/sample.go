package app

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
)

// sampleMovie is what the curl line of the first start posts: it shows scenes, texts and colours, and needs no internet.
//
//go:embed sample.json
var sampleMovie []byte

// sampleCurl returns a command line that renders the sample movie.
func sampleCurl(baseURL, key string) string {
	var compact bytes.Buffer
	if err := json.Compact(&compact, sampleMovie); err != nil {
		panic("the embedded sample movie is no JSON: " + err.Error())
	}
	return fmt.Sprintf("curl -X POST %s/movies -H 'x-api-key: %s' -H 'Content-Type: application/json' -d '%s'", baseURL, key,
		compact.String())
}
