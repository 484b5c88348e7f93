package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"moviola/adapters/disk"
	"moviola/adapters/outbound"
	"moviola/adapters/webfonts"
	"moviola/internal/app/observing"
	"moviola/internal/app/rendering"
	"moviola/internal/app/roads"
	"moviola/internal/config"
)

// requirement is a program or file of the system that Moviola uses.
type requirement struct {
	name    string
	command string // name of the required program, which is searched in PATH
	file    string // path of a file that is looked for instead
	pkg     string // Debian package with the program or file
	use     string
	needed  bool // without this requirement, nothing can be rendered
}

var requirements = []requirement{
	{"ffmpeg", "ffmpeg", "", "ffmpeg", "encodes every movie", true},
	{"ffprobe", "ffprobe", "", "ffmpeg", "reads videos and sounds", true},
	{"headless Chromium", "", "/usr/lib/chromium/chromium-headless-shell", "chromium-headless-shell",
		"html elements and SVG pictures", false},
	{"heif-convert", "heif-convert", "", "libheif-examples", "HEIC and AVIF pictures", false},
	{"espeak-ng", "espeak-ng", "", "espeak-ng", "voice elements", false},
	{"Noto fonts", "", "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf", "fonts-noto-core", "texts of most scripts", true},
	{"Noto CJK fonts", "", "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc", "fonts-noto-cjk",
		"Chinese, Japanese and Korean texts", false},
	{"Noto Color Emoji", "", "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf", "fonts-noto-color-emoji", "emoji", false},
	{"Inter", "", "/usr/share/doc/fonts-inter", "fonts-inter", "more scripts and weights of the default font", false},
	{"Roboto", "", "/usr/share/doc/fonts-roboto", "fonts-roboto", "more scripts and weights of text styles", false},
}

func doctorCommand() *cobra.Command {
	data := "./data"
	var reserve disk.Reserve
	var fonts, storage, key, publicURL, issuer string
	var allow []string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is missing on this machine and how to get it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			missing := false
			for _, r := range requirements {
				state := "ok"
				if !r.present() {
					state = "missing: apt-get install " + r.pkg
					missing = missing || r.needed
				}
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%-18s %-42s (%s)\n", r.name, state, r.use); err != nil {
					return err
				}
			}
			if err := printFontService(cmd, fonts, allow); err != nil {
				return err
			}
			if err := printUploads(cmd, storage, key, publicURL); err != nil {
				return err
			}
			if err := observing.PrintProvider(cmd.Context(), cmd.OutOrStdout(), issuer); err != nil {
				return err
			}
			if err := observing.PrintRoom(cmd.OutOrStdout(), data, reserve); err != nil {
				return err
			}
			if err := rendering.PrintSandbox(cmd.OutOrStdout()); err != nil {
				return err
			}
			if err := rendering.PrintEncoders(cmd.Context(), cmd.OutOrStdout()); err != nil {
				return err
			}
			if missing {
				return errors.New("movies cannot be rendered on this machine yet")
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&data, "data", data, "data folder whose disk is looked at")
	cmd.Flags().Var(&reserve, "disk-reserve", "room that is to be kept free there")
	config.BindBlobs(cmd.Flags(), &storage, &key, "storage of files whose bucket is asked whether it can be used, and whether the "+
		"console may upload to it: s3://…, gs://… or azblob://…")
	config.BindBlobsKeyFile(cmd.Flags())
	cmd.Flags().StringVar(&publicURL, "public-url", "", "address at which the console is opened")
	cmd.Flags().StringVar(&issuer, "operators-oidc-issuer", "", "OpenID provider that is asked what it offers")
	config.BindFonts(cmd.Flags(), &fonts)
	cmd.Flags().StringSliceVar(&allow, "allow-host", nil, "host:port that may be reached although its address is not "+
		"public; repeatable")
	return cmd
}

// printFontService prints whether font families can be fetched. Movies can be rendered without the font service.
func printFontService(cmd *cobra.Command, address string, allow []string) error {
	state := "off: families that are not there have a stand-in"
	if address != "" {
		state = "reachable"
		if err := askFontService(cmd.Context(), address, allow); err != nil {
			state = "does not answer"
			if why, known := outbound.Explain(err); known {
				state += ": " + why
			}
		}
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%-18s %-42s (%s)\n", "font service", state,
		"families that are neither installed nor shipped")
	return err
}

func askFontService(ctx context.Context, address string, allow []string) error {
	guard, err := roads.NewGuard(config.Config{AllowHosts: allow})
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, webfonts.DefaultPatience)
	defer stop()
	return webfonts.Reachable(ctx, guard.Client(rendering.FontTimes), address)
}

func (r requirement) present() bool {
	if r.command != "" {
		_, err := exec.LookPath(r.command)
		return err == nil
	}
	_, err := os.Stat(r.file)
	return err == nil
}
