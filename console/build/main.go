// Command build makes the files of the console that are embedded in the program: from the sources console/src and third_party/npm
// it makes handlers/console/built. It needs neither Node nor a network. `make console` runs it.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "console: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		return err
	}
	files, err := build(root)
	if err != nil {
		return err
	}
	return write(root, files)
}
