package outputs

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"moviola/adapters/render/ffmpeg"
)

// mostFrames is the largest number of pictures in the ZIP file of a movie.
const mostFrames = 3000

// frames makes a ZIP file with every frame as a PNG. ffmpeg writes all PNGs into one file, so that the size limit of a file
// limits them together.
func frames(ctx context.Context, w *work) error {
	plan := w.job.Plan
	if plan.Frames > mostFrames {
		return refuse(tooManyPNG, mostFrames, plan.Frames)
	}
	const all, name = "frames.png", "frames.zip"
	graph, inputs := "[0:v]"+rgb(plan.Width, plan.Height)+",format=rgb24[out]", []ffmpeg.Input{w.input(0)}
	if w.job.Matte != "" {
		graph, inputs = w.cutOut("format=rgba"), w.inputs(0)
	}
	err := w.run(ctx, framesBytes, graph, inputs, "-map", "[out]", "-fps_mode", "passthrough", "-threads",
		fmt.Sprint(threads), "-c:v", "png", "-f", "image2pipe", all)
	if err != nil {
		return err
	}
	if err := pack(ctx, w.path(all), w.path(name)); err != nil {
		return fmt.Errorf("pack pictures: %w", err)
	}
	if err := os.Remove(w.path(all)); err != nil {
		return err
	}
	w.shown(plan.Width, plan.Height)
	return w.made(name)
}

// pack writes the PNG pictures of a file, which follow each other, into a ZIP file.
func pack(ctx context.Context, from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	archive := zip.NewWriter(out)
	err = packAll(ctx, bufio.NewReaderSize(in, 1<<20), archive)
	return errors.Join(err, archive.Close(), out.Close())
}

func packAll(ctx context.Context, pictures *bufio.Reader, archive *zip.Writer) error {
	for number := 1; ; number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := pictures.Peek(1); errors.Is(err, io.EOF) {
			return nil
		}
		// The pictures are compressed already.
		entry, err := archive.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("frame-%05d.png", number), Method: zip.Store})
		if err != nil {
			return err
		}
		if err := copyPNG(entry, pictures); err != nil {
			return fmt.Errorf("picture %d: %w", number, err)
		}
	}
}

// signatureBytes is the length in bytes of the signature that a PNG begins with; chunkHead is the length of a chunk's length and
// type, chunkEnd that of its checksum.
const (
	signatureBytes = 8
	chunkHead      = 8
	chunkEnd       = 4
)

// copyPNG copies one PNG: its signature and all its chunks.
func copyPNG(to io.Writer, from io.Reader) error {
	if _, err := io.CopyN(to, from, signatureBytes); err != nil {
		return err
	}
	for {
		var head [chunkHead]byte
		if _, err := io.ReadFull(from, head[:]); err != nil {
			return err
		}
		if _, err := to.Write(head[:]); err != nil {
			return err
		}
		if _, err := io.CopyN(to, from, int64(binary.BigEndian.Uint32(head[:4]))+chunkEnd); err != nil {
			return err
		}
		if string(head[4:]) == "IEND" {
			return nil
		}
	}
}
