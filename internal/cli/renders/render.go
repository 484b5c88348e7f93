package renders

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"moviola/adapters/blobs"
	"moviola/adapters/render"
	"moviola/commands"
	"moviola/domain/document"
	"moviola/domain/movie"
	"moviola/domain/template/library"
	"moviola/handlers/http/files"
	"moviola/internal/app/rendering"
	"moviola/internal/config"
	"moviola/third_party/photographs"
)

// RenderCommand is `moviola render`.
func RenderCommand() *cobra.Command {
	var out, level string
	var moment float64
	cfg := config.Config{Cores: runtime.NumCPU(), HeldPictures: true}
	cmd := &cobra.Command{
		Use:   "render FILE",
		Short: "Render a movie JSON without a server",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := document.UseLook(cfg.Look); err != nil {
				return err
			}
			source, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			log, err := config.NewLog(cmd.ErrOrStderr(), level, "text")
			if err != nil {
				return err
			}
			dir, err := os.MkdirTemp("", "moviola-render-")
			if err != nil {
				return err
			}
			defer func() { _ = os.RemoveAll(dir) }()
			stored, err := blobs.Open(cmd.Context(), filepath.Join(dir, "files"))
			if err != nil {
				return err
			}
			defer func() { _ = stored.Close() }() // the folder is removed anyway
			if cfg.PublicURL == "" {              // without a service the built-in templates still need the address of their photographs
				cfg.PublicURL = strings.TrimSuffix(library.Photographs, photographs.Path)
			}
			r, err := rendering.NewRenderer(cmd.Context(), cfg, dir, files.Photographs{}, nil, stored, nil, nil, log)
			if err != nil {
				return err
			}
			if cmd.Flags().Changed(stillFlag) {
				err = drawStill(cmd.Context(), r.Engine, source, moment, out, cmd.OutOrStdout(), cmd.ErrOrStderr())
			} else {
				err = renderFile(cmd.Context(), r.Engine, source, out, cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			return errors.Join(err, r.Close(cmd.Context()))
		},
	}
	f := cmd.Flags()
	f.StringVarP(&out, "output", "o", "movie.mp4", "the MP4 to write; with --still the PNG or JPEG")
	f.Float64Var(&moment, stillFlag, 0, "draw only what is seen at so many seconds, into the picture that --output names; "+
		"sources are loaded, providers are not asked")
	f.StringSliceVar(&cfg.AllowHosts, "allow-host", nil, "host:port that may be reached although its address is not "+
		"public; repeatable")
	f.IntVar(&cfg.Cores, "cores", cfg.Cores, "processor cores to plan for")
	f.IntVar(&cfg.MemoryMB, "memory", 2048, "megabytes that the render may use")
	cfg.BindProviders(f)
	config.BindSandbox(f, &cfg.Sandbox)
	f.StringVar(&level, "log-level", "error", "trace, debug, info, warn or error")
	return cmd
}

// renderFile renders one document, with a progress bar, and moves the movie to out.
func renderFile(ctx context.Context, engine *render.Engine, source []byte, out string, stdout, stderr io.Writer) (err error) {
	progress := mpb.NewWithContext(ctx, mpb.WithOutput(stderr), mpb.WithWidth(60))
	bar := progress.AddBar(100, mpb.PrependDecorators(decor.Name("rendering ")),
		mpb.AppendDecorators(decor.Percentage(), decor.AverageETA(decor.ET_STYLE_GO)))
	done, err := engine.Render(ctx, commands.RenderJob{
		Account:  "local",
		Project:  "local",
		Attempt:  1,
		Document: source,
		Planned:  func(context.Context, movie.Plan, []string) error { return nil },
		Progress: func(percent float64) { bar.SetCurrent(int64(percent)) },
	})
	if err != nil {
		bar.Abort(false)
		progress.Wait()
		return err
	}
	defer done.Close()
	bar.SetCurrent(100)
	progress.Wait()
	if err := moveFile(done.Movie, out); err != nil {
		return fmt.Errorf("write %s: %w", out, err)
	}
	for _, warning := range done.Warnings {
		_, _ = fmt.Fprintln(stderr, "warning:", warning)
	}
	seconds := float64(done.Plan.Frames*done.Plan.FPSDen) / float64(done.Plan.FPSNum)
	_, err = fmt.Fprintf(stdout, "%s: %dx%d, %.2f s, %d bytes\n", out, done.Plan.Width, done.Plan.Height, seconds, done.File.Size)
	return err
}

// moveFile moves a finished file. The target is complete or absent, never half written.
func moveFile(from, to string) error {
	if os.Rename(from, to) == nil {
		return nil
	}
	in, err := os.Open(from) // rename failed: another file system
	if err != nil {
		return err
	}
	defer in.Close()
	tmp, err := os.CreateTemp(filepath.Dir(to), ".moviola-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = io.Copy(tmp, in)
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), to)
}
