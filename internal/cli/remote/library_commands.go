package remote

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"moviola.example/client"

	"moviola/internal/cli/input"
)

// TemplatesCommand is `moviola templates`.
func TemplatesCommand() *cobra.Command {
	a := &asking{}
	cmd := a.group("templates", "Look at the saved templates of a service")
	cmd.AddCommand(
		a.command("list", "List the saved templates", cobra.NoArgs, func(cmd *cobra.Command, service *client.Client, _ []string) error {
			all, err := during(cmd, asks, func() (*client.Templates, error) { return service.Templates(cmd.Context()) })
			if err != nil {
				return err
			}
			return a.print(cmd.OutOrStdout(), all, func(w io.Writer) {
				for _, t := range all.Templates {
					_, _ = fmt.Fprintf(w, "%s\t%dx%d\t%s\t%s\n", t.ID, t.Width, t.Height, t.Name, strings.Join(t.Tags, ", "))
				}
			})
		}),
		a.command("show ID", "Print the movie JSON of a saved template", cobra.ExactArgs(1),
			func(cmd *cobra.Command, service *client.Client, args []string) error {
				template, err := during(cmd, asks, func() (*client.Template, error) { return service.Template(cmd.Context(), args[0]) })
				if err != nil {
					return err
				}
				var shown any = template.Movie
				if a.asJSON {
					shown = template
				}
				encoder := json.NewEncoder(cmd.OutOrStdout())
				encoder.SetEscapeHTML(false)
				encoder.SetIndent("", "  ")
				return encoder.Encode(shown)
			}))
	return cmd
}

// MediaCommand is `moviola media`.
func MediaCommand() *cobra.Command {
	a := &asking{}
	cmd := a.group("media", "List, upload and delete files of the media library of a service")
	cmd.AddCommand(a.mediaList(), a.mediaUpload(), a.mediaDelete())
	return cmd
}

func (a *asking) mediaList() *cobra.Command {
	return a.command("list [FOLDER]", "List a folder of the media library", cobra.MaximumNArgs(1),
		func(cmd *cobra.Command, service *client.Client, args []string) error {
			page, err := during(cmd, asks, func() (*client.MediaList, error) {
				return service.Media(cmd.Context(), url.Values{"path": args})
			})
			if err != nil {
				return err
			}
			return a.print(cmd.OutOrStdout(), page, func(w io.Writer) {
				for _, folder := range page.Folders {
					_, _ = fmt.Fprintf(w, "%s/\n", folder)
				}
				for _, f := range page.Files {
					_, _ = fmt.Fprintf(w, "%s\t%s\t%d bytes\t%s\n", f.Name, f.Status, f.Size, f.FileUrl)
				}
				if page.HasNext {
					_, _ = fmt.Fprintf(w, "and more: %d files in all\n", page.Total)
				}
			})
		})
}

func (a *asking) mediaUpload() *cobra.Command {
	var folder, kind string
	cmd := a.command("upload FILE", "Upload a file; its address for movies is printed, alone, on standard output",
		cobra.ExactArgs(1),
		func(cmd *cobra.Command, service *client.Client, args []string) (err error) {
			file, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer func() { _ = file.Close() }() // closing a file that was only read loses nothing
			info, err := file.Stat()
			if err != nil {
				return err
			}
			if !info.Mode().IsRegular() {
				return fmt.Errorf("%s is no file", args[0])
			}
			name := filepath.Base(args[0])
			if kind = cmp.Or(kind, mime.TypeByExtension(strings.ToLower(filepath.Ext(name)))); kind == "" {
				return fmt.Errorf("%s: its name does not say what is in it: give --type, such as video/mp4", args[0])
			}
			bar := newBar(cmd, "uploading", info.Size())
			at, err := service.Upload(cmd.Context(), client.Upload{
				Name: name, ContentType: kind, Size: info.Size(), Folder: folder, Body: bar.Reader(file),
			})
			bar.Close()
			if err != nil {
				return err
			}
			return a.print(cmd.OutOrStdout(), map[string]any{"fileUrl": at}, func(w io.Writer) { _, _ = fmt.Fprintln(w, at) })
		})
	cmd.Flags().StringVar(&folder, "folder", "", "folder of the library (default: its root)")
	cmd.Flags().StringVar(&kind, "type", "", "MIME type (default: by the extension of the name)")
	return cmd
}

func (a *asking) mediaDelete() *cobra.Command {
	return a.command("delete [FOLDER/]NAME", "Delete a file of the media library", cobra.ExactArgs(1),
		func(cmd *cobra.Command, service *client.Client, args []string) error {
			folder, name := "", args[0]
			if i := strings.LastIndex(name, "/"); i >= 0 {
				folder, name = name[:i], name[i+1:]
			}
			done, err := during(cmd, asks, func() (*client.MediaDone, error) { return service.DeleteMedia(cmd.Context(), folder, name) })
			if err != nil {
				return err
			}
			return a.print(cmd.OutOrStdout(), done, func(w io.Writer) { _, _ = fmt.Fprintln(w, args[0], "is deleted") })
		})
}

// StillCommand is `moviola still`: a service draws one moment of a movie as a picture.
func StillCommand() *cobra.Command {
	a := &asking{}
	var vars input.Variables
	var moment float64
	var out string
	var options client.StillOptions
	cmd := a.command("still FILE|-", "Have a service draw a moment of a movie without making it", cobra.ExactArgs(1),
		func(cmd *cobra.Command, service *client.Client, args []string) error {
			switch options.Format = strings.ToLower(strings.TrimPrefix(filepath.Ext(out), ".")); {
			case out == "-":
				options.Format = "png"
			case options.Format == "jpeg":
				options.Format = "jpg"
			case options.Format != "png" && options.Format != "jpg":
				return fmt.Errorf("--output %s: a still is a .png or a .jpg", out)
			}
			if out == "-" && a.asJSON {
				return errors.New("--json and --output -: give one of them, standard output holds either")
			}
			raw, err := input.Read(args[0], cmd.InOrStdin(), input.MaxMovie)
			if err == nil {
				raw, err = vars.Over(raw)
			}
			if err != nil {
				return err
			}
			if !json.Valid(raw) {
				return refusedMovie(fmt.Errorf("%s is no JSON: see `moviola validate %s`", args[0], args[0]))
			}
			if cmd.Flags().Changed("time") {
				options.Times = []float64{moment}
			}
			drawn, err := during(cmd, "drawing the still", func() (*client.Stills, error) {
				return service.Stills(cmd.Context(), json.RawMessage(raw), options)
			})
			if err != nil {
				return refusedMovie(err)
			}
			return a.writeStill(cmd, drawn, out)
		})
	cmd.Long = cmd.Short + ": --url names the service, " + apiKeyEnv +
		" carries the key. Without a service, see `moviola render --still`."
	a.bind(cmd.Flags())
	f := cmd.Flags()
	vars.Bind(f)
	f.BoolVar(&a.asJSON, "json", false, "print what was drawn as one JSON object")
	f.Float64Var(&moment, "time", 0, "seconds from the start of the movie (default: the moment of its thumbnail)")
	f.StringVarP(&out, "output", "o", "still.png", "the PNG or JPEG to write; - for a PNG on standard output")
	f.BoolVar(&options.Fetch, "fetch", false, "load what is not at hand")
	f.IntVar(&options.Size, "size", 0, "pixels of the longer side (default: the most that the service gives)")
	return cmd
}

// writeStill writes the first picture of an answer into a file or to standard output.
func (a *asking) writeStill(cmd *cobra.Command, drawn *client.Stills, out string) error {
	if len(drawn.Stills) == 0 {
		return errors.New("the service has drawn nothing")
	}
	picture := drawn.Stills[0]
	if err := writePicture(cmd.OutOrStdout(), picture.Data, out); err != nil {
		return fmt.Errorf("write %s: %w", out, err)
	}
	for _, warning := range append(drawn.Warnings, drawn.Missing...) {
		_, _ = fmt.Fprintln(cmd.ErrOrStderr(), "warning:", warning)
	}
	if out == "-" {
		return nil
	}
	made := map[string]any{"output": out, "width": picture.Width, "height": picture.Height, "frame": picture.Frame + 1,
		"frames": drawn.Frames}
	return a.print(cmd.OutOrStdout(), made, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "%s: %dx%d, frame %d of %d\n", out, picture.Width, picture.Height, picture.Frame+1, drawn.Frames)
	})
}

func writePicture(stdout io.Writer, data, out string) error {
	picture, err := base64.StdEncoding.DecodeString(data)
	switch {
	case err != nil:
		return fmt.Errorf("read the answer of the service: %w", err)
	case out == "-":
		_, err = stdout.Write(picture)
		return err
	}
	return os.WriteFile(out, picture, 0o644)
}
