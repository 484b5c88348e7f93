// Command moviola is a self-hosted video rendering service: post a movie as JSON, get an MP4.
package main

import (
	"os"

	"moviola/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args, os.Stdout, os.Stderr))
}
