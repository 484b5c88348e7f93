package blackbox_test

import (
	"bytes"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"moviola/tests/harness"
)

var fullRed = color.NRGBA{R: 255, A: 255}

// The command line reads files of the machine as src of media elements. Nothing else in a movie can name one: the rows of an attacker
// whose movie somebody renders.
func TestRender_localFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	red := filepath.Join(dir, "red.png")
	harness.WritePNG(t, red, 64, 36, fullRed, fullRed)
	refused := "must begin with http:// or https://"
	for _, row := range []struct {
		name, element string
		refused       string // part of the refusal's text; empty: the picture is drawn
		red           bool
	}{
		{"a relative path", `{"type":"image","src":"red.png","resize":"cover"}`, "", true},
		{"a variable", `{"type":"image","src":"{{ picture }}","resize":"cover"}`, "", true},
		{"an absolute path", `{"type":"image","src":"` + red + `","resize":"cover"}`, "", true},
		{"an address of a file", `{"type":"image","src":"file://` + red + `","resize":"cover"}`, "", true},
		{"another machine", `{"type":"image","src":"file://other` + red + `"}`, "file:///folder/name", false},
		{"a device", `{"type":"video","src":"/dev/zero"}`, "a folder or device", false},
		{"html that names a file", `{"type":"html","width":640,"height":360,"html":"<img src='file://` + red +
			`' width=640 height=360><style>body{background:url(file://` + red + `)}</style>"}`, "", false},
		{"html that names a path", `{"type":"html","width":640,"height":360,"html":"<img src='` + red + `' width=640 height=360>"}`, "", false},
		{"a page", `{"type":"html","src":"file://` + red + `"}`, "src must be an http or https address", false},
		{"a mask", `{"type":"image","src":"red.png","mask":"file://` + red + `"}`, refused, false},
		{"a font", `{"type":"text","text":"a","settings":{"font-url":"file://` + red + `"}}`, refused, false},
		{"CSS of a component", `{"type":"component","component":"basic/000","settings":{"card":{"background-image":"url(file://` + red + `)"}}}`, refused, false},
		{"captions", `{"type":"subtitles","captions":"file://` + red + `"}`, "", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "movie.json")
			beside := filepath.Join(filepath.Dir(file), "red.png")
			if err := os.Link(red, beside); err != nil {
				t.Fatal(err)
			}
			elements := `"scenes":[{"duration":1,"elements":[` + row.element + `]}]`
			if strings.Contains(row.element, "subtitles") {
				elements = `"scenes":[{"duration":1}],"elements":[` + row.element + `]`
			}
			if err := os.WriteFile(file, []byte(`{"resolution":"sd",`+elements+`}`), 0o600); err != nil {
				t.Fatal(err)
			}
			command := exec.CommandContext(t.Context(), harness.Binary(t), "render", "--fonts-url", "", "--var", "picture=red.png",
				"--still", "0.5", "-o", "-", file)
			var out, said bytes.Buffer
			command.Stdout, command.Stderr = &out, &said
			err := command.Run()
			if told := said.String(); row.refused != "" {
				// A still shows a placeholder for what cannot be loaded, and says why.
				if !strings.Contains(told, row.refused) || isRed(out.Bytes()) {
					t.Errorf("%v, red %v\n%s", err, isRed(out.Bytes()), told)
				}
				return
			}
			if isRed(out.Bytes()) != row.red || row.red && err != nil {
				t.Errorf("red %v, want %v: %v\n%s", isRed(out.Bytes()), row.red, err, said.String())
			}
		})
	}
}

// A service opens no file of its machine, whatever a movie names.
func TestService_localFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	red := filepath.Join(dir, "red.png")
	harness.WritePNG(t, red, 64, 36, fullRed, fullRed)
	service := harness.NewService(t)
	service.StartAPI()
	client := service.NewAccount("attacker", 600)
	own := strings.Replace(client.Base, "127.0.0.1", "localhost", 1)
	for _, src := range []string{
		red, "file://" + red, "red.png", own + "/local/red.png", own + "/local/" + red, own + "/local/../../" + red,
	} {
		movie := object{"resolution": "custom", "width": 64, "height": 64, "scenes": []any{object{
			"duration": 1, "elements": []any{object{"type": "image", "src": src}},
		}}}
		if ended := client.WaitFor(client.Submit(movie), "error"); !strings.Contains(ended.Message, "Failed to download") {
			t.Errorf("%s: %+v", src, ended)
		}
	}
}

// isRed says that the middle of a picture is red.
func isRed(encoded []byte) bool {
	picture, err := png.Decode(bytes.NewReader(encoded))
	if err != nil {
		return false
	}
	size := picture.Bounds()
	r, g, b, _ := picture.At(size.Dx()/2, size.Dy()/2).RGBA()
	return r > 0xe000 && g < 0x2000 && b < 0x2000
}
