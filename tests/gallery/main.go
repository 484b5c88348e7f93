// Command gallery renders every movie in docs/gallery with the built program, keeps one frame of each beside its JSON, and writes
// the page that shows them. `make gallery` runs it.
//
// The movies name their media as https://media.example/picture.jpg, /clip.mp4 and so on; they are made here and served from
// loopback.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// mediaBase is how the movies of the gallery name their media.
const mediaBase = "https://media.example/"

func main() {
	log.SetFlags(0)
	binary := flag.String("moviola", "bin/moviola", "the built program")
	dir := flag.String("dir", "docs/gallery", "folder of the movies")
	only := flag.String("only", "", "render only movies whose name contains one of these, separated by commas")
	flag.Parse()
	if err := run(*binary, *dir, *only); err != nil {
		log.Fatal("gallery: ", err)
	}
}

func run(binary, dir, only string) error {
	work, err := os.MkdirTemp("", "moviola-gallery-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	if err := makeMedia(work); err != nil {
		return err
	}
	ln, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: http.FileServer(http.Dir(work)), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(ln) }() // ends with Close
	defer func() { _ = server.Close() }()

	movies, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}
	var failed []error
	for _, movie := range movies {
		if !slices.ContainsFunc(strings.Split(only, ","), func(part string) bool {
			return strings.Contains(filepath.Base(movie),
				part)
		}) {
			continue
		}
		if err := shoot(binary, movie, work, ln.Addr().String()); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", filepath.Base(movie), err))
		}
	}
	return errors.Join(append(failed, writePage(dir, movies))...)
}

// shoot renders one movie and keeps the frame of its thumbnail time.
func shoot(binary, movie, work, host string) error {
	source, err := os.ReadFile(movie)
	if err != nil {
		return err
	}
	var fields struct {
		Thumbnail float64 `json:"thumbnail"`
	}
	if err := json.Unmarshal(source, &fields); err != nil {
		return err
	}
	local := filepath.Join(work, "movie.json")
	if err := os.WriteFile(local, bytes.ReplaceAll(source, []byte(mediaBase), []byte("http://"+host+"/")), 0o600); err != nil {
		return err
	}
	out := filepath.Join(work, "movie.mp4")
	begin := time.Now()
	if err := command(binary, "render", "--allow-host", host, local, "-o", out); err != nil {
		return err
	}
	log.Printf("%-28s %5.1f s", filepath.Base(movie), time.Since(begin).Seconds())
	picture := strings.TrimSuffix(movie, ".json") + ".jpg"
	// A JPEG has no word for its matrix: readers take that of BT.601.
	scale := "scale=640:-2:flags=lanczos+accurate_rnd:in_color_matrix=bt709:out_color_matrix=bt601:out_range=pc,format=yuvj420p"
	return command("ffmpeg", "-v", "error", "-y", "-ss", fmt.Sprint(fields.Thumbnail), "-i", out, "-frames:v", "1", "-vf", scale,
		"-q:v", "4", picture)
}

func command(name string, args ...string) error {
	out, err := exec.CommandContext(context.Background(), name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, out)
	}
	if len(out) > 0 {
		log.Printf("%s", bytes.TrimSpace(out))
	}
	return nil
}

// writePage writes the page: for each movie its comment, its frame and its JSON.
func writePage(dir string, movies []string) error {
	var page bytes.Buffer
	page.WriteString("# Gallery\n\nOne frame of each feature, beside the movie that makes it. `make gallery` renders them anew.\n")
	for _, movie := range movies {
		source, err := os.ReadFile(movie)
		if err != nil {
			return err
		}
		var fields struct {
			Comment string `json:"comment"`
		}
		if err := json.Unmarshal(source, &fields); err != nil {
			return fmt.Errorf("%s: %w", movie, err)
		}
		name := strings.TrimSuffix(filepath.Base(movie), ".json")
		fmt.Fprintf(&page, "\n## %s\n\n![%s](%s.jpg)\n\n<details><summary>%s.json</summary>\n\n```json\n%s\n```\n\n</details>\n",
			fields.Comment, fields.Comment, name, name, bytes.TrimSpace(source))
	}
	return os.WriteFile(filepath.Join(dir, "README.md"), page.Bytes(), 0o644)
}
