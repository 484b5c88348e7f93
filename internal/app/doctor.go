package app

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"moviola/adapters/disk"
)

// requirement is something from outside that Moviola uses.
type requirement struct {
	name    string
	command string // looked up in PATH; or
	file    string // looked up as it is
	pkg     string // Debian package
	use     string
	needed  bool // without it nothing renders
}

var requirements = []requirement{
	{"ffmpeg", "ffmpeg", "", "ffmpeg", "encodes every movie", true},
	{"ffprobe", "ffprobe", "", "ffmpeg", "reads videos and sounds", true},
	{"headless Chromium", "", "/usr/lib/chromium/chromium-headless-shell", "chromium-headless-shell", "html elements and SVG pictures", false},
	{"heif-convert", "heif-convert", "", "libheif-examples", "HEIC and AVIF pictures", false},
	{"espeak-ng", "espeak-ng", "", "espeak-ng", "voice elements", false},
	{"Noto fonts", "", "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf", "fonts-noto-core", "texts of most scripts", true},
	{"Noto CJK fonts", "", "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc", "fonts-noto-cjk", "Chinese, Japanese and Korean texts", false},
	{"Noto Color Emoji", "", "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf", "fonts-noto-color-emoji", "emoji", false},
	{"Inter", "", "/usr/share/doc/fonts-inter", "fonts-inter", "more scripts and weights of the default font", false},
	{"Roboto", "", "/usr/share/doc/fonts-roboto", "fonts-roboto", "more scripts and weights of text styles", false},
}

func doctorCommand() *cobra.Command {
	data := "./data"
	var reserve disk.Reserve
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
			if err := printRoom(cmd.OutOrStdout(), data, reserve); err != nil {
				return err
			}
			if err := printSandbox(cmd.OutOrStdout()); err != nil {
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
	return cmd
}

func (r requirement) present() bool {
	if r.command != "" {
		_, err := exec.LookPath(r.command)
		return err == nil
	}
	_, err := os.Stat(r.file)
	return err == nil
}
