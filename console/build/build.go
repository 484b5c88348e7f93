package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Folders of the repository, from its root.
const (
	sources  = "console/src"
	packages = "third_party/npm"
	built    = "handlers/console/built"
)

// entries are the files that the pages of the console load by name. Code that several entries share, and code that is imported on
// demand, is put into further files (chunks).
var entries = []string{"main.tsx", "operator.tsx", "styles.css"}

// copied are files in the folder of the sources that are served unchanged.
var copied = []string{"index.html", "operator.html", "icon.svg"}

// build returns the files of the console by their names, made from the sources and packages in the repository at root. The
// same sources and packages, built with the same version of esbuild, give the same bytes on every machine.
func build(root string) (map[string][]byte, error) {
	var points []string
	for _, entry := range entries {
		points = append(points, filepath.Join(root, sources, entry))
	}
	npm := filepath.Join(root, packages)
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: root,
		EntryPoints:   points,
		Outdir:        filepath.Join(root, built),
		EntryNames:    "[name]",
		ChunkNames:    "part-[name]-[hash]",
		Bundle:        true,
		Splitting:     true,
		Format:        api.FormatESModule,
		Platform:      api.PlatformBrowser,
		Target:        api.ES2022,
		// Packages are resolved in third_party/npm, which has their readable sources.
		NodePaths: []string{npm},
		Alias: map[string]string{
			"preact":             filepath.Join(npm, "preact/src/index.js"),
			"preact/hooks":       filepath.Join(npm, "preact/hooks/src/index.js"),
			"preact/jsx-runtime": filepath.Join(npm, "preact/jsx-runtime/src/index.js"),
		},
		JSX:               api.JSXAutomatic,
		JSXImportSource:   "preact",
		MinifySyntax:      true,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		LegalComments:     api.LegalCommentsEndOfFile,
		Charset:           api.CharsetUTF8,
		Loader:            map[string]api.Loader{".json": api.LoaderText}, // the movies of the gallery, which are imported as texts
		LogLevel:          api.LogLevelSilent,
		TsconfigRaw:       `{"compilerOptions":{"target":"ES2022"}}`,
	})
	if len(result.Errors) > 0 {
		return nil, errors.New(strings.Join(api.FormatMessages(result.Errors, api.FormatMessagesOptions{}), "\n"))
	}
	files := map[string][]byte{}
	for _, file := range result.OutputFiles {
		files[filepath.Base(file.Path)] = file.Contents
	}
	for _, name := range copied {
		content, err := os.ReadFile(filepath.Join(root, sources, name))
		if err != nil {
			return nil, err
		}
		files[name] = content
	}
	return files, nil
}

// write makes the folder of the built files hold the given files and no others.
func write(root string, files map[string][]byte) error {
	dir := filepath.Join(root, built)
	present, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, entry := range present {
		if _, made := files[entry.Name()]; !made {
			if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}
