package console_test

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"

	"moviola/tests/harness"
)

// TestMedia_dropped: a file that is dropped anywhere on the page goes into the folder that is shown.
func TestMedia_dropped(t *testing.T) {
	t.Parallel()
	c := newService(t).NewAccount("maker", 100)
	must(t, c, "POST", "/media/folder", map[string]any{"folder": "season"})
	b := visit(t, c)
	b.goTo("/media?path=season")
	b.see("This folder is empty")
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: []string{fileOf(t, "dropped.txt", "dropped")}, DragOperationsMask: 1}
	b.do("drag a file over the page", input.DispatchDragEvent(input.DragEnter, 700, 300, data), input.DispatchDragEvent(input.DragOver, 701, 301, data))
	b.see("Drop the files to upload them to season")
	b.do("drop it", input.DispatchDragEvent(input.Drop, 701, 301, data))
	b.until("it is there", `document.querySelector(".upload .badge.good") && control("Look at dropped.txt")`)
	b.gone("Drop the files to upload them")
	must(t, c, "GET", "/media/file?path=season/dropped.txt", nil)
}

// TestMedia_broken: an upload whose connection breaks is told of clearly, and goes through when it is tried again.
func TestMedia_broken(t *testing.T) {
	t.Parallel()
	s := harness.NewService(t)
	wire := harness.NewWire(t, strings.TrimPrefix(s.Client("").Base, "http://"))
	through := harness.Client{Base: "http://" + wire.Addr}
	s.StartAPI("--log-requests=false", "--public-url", pageAddress(&through))
	c := s.NewAccount("maker", 100)
	through.Key = c.Key
	b := visit(t, &through)
	b.goTo("/media")
	b.see("Removed after three days")
	large := filepath.Join(t.TempDir(), "large.bin")
	if err := os.WriteFile(large, make([]byte, 20<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	wire.Slow(64 << 10) // it takes more than five minutes
	b.give(large)
	b.until("bytes are on their way", `document.querySelector(".upload progress, .upload [role=progressbar]") && /[1-9]/.test(document.querySelector(".upload .upto").innerText + (document.querySelector(".upload progress")?.value ?? ""))`)
	wire.Cut()
	b.see("The connection broke. Nothing is lost: try again.")
	b.until("what has not come is not called uploaded", `!document.querySelector(".upload .badge.good")`)
	wire.Mend()
	b.click("Try again: large.bin")
	b.until("it is there", `document.querySelector(".upload .badge.good") && control("Look at large.bin")`)
	b.gone("The connection broke")
	b.gone("not here yet") // what the service has not got whole
}

// halfLoud is a sound of a second: silence, and then a tone.
func halfLoud() []byte {
	const rate = 8000
	raw := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, 36+2*rate)...)
	raw = append(raw, "WAVEfmt "...)
	raw = binary.LittleEndian.AppendUint32(raw, 16)
	for _, v := range []uint16{1, 1, rate, 0, 2 * rate, 0, 2, 16} {
		raw = binary.LittleEndian.AppendUint16(raw, v)
	}
	raw = append(raw, "data"...)
	raw = binary.LittleEndian.AppendUint32(raw, 2*rate)
	for i := range rate {
		level := 0.0
		if i >= rate/2 {
			level = 30000 * math.Sin(float64(i)/3)
		}
		raw = binary.LittleEndian.AppendUint16(raw, uint16(int16(level)))
	}
	return raw
}

// TestMedia_wave: how loud a sound is over its time is drawn.
func TestMedia_wave(t *testing.T) {
	t.Parallel()
	c := newService(t).NewAccount("maker", 100)
	b := visit(t, c)
	b.goTo("/media")
	b.give(fileOf(t, "tone.wav", string(halfLoud())))
	b.click("Look at tone.wav")
	// painted counts the painted pixels of a part of the wave's width.
	const painted = `((from, to) => { const c = document.querySelector("canvas.wave"); if (!c) return -1; const w = Math.floor(c.width * (to - from));
		return c.getContext("2d").getImageData(Math.floor(c.width * from), 0, w, c.height).data.filter((v, i) => i % 4 === 3 && v > 0).length })`
	b.until("the loud half is tall, the silent one flat", painted+"(0.55, 1) > 20 * "+painted+"(0, 0.45) && "+painted+"(0, 0.45) > 0")
	b.until("it can be heard", "document.querySelector('dialog audio')?.readyState >= 1")
	b.look("media-wave")
}
