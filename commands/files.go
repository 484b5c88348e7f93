package commands

import (
	"context"
	"io"

	"moviola/domain"
)

// readFile reads a whole stored file.
func readFile(ctx context.Context, files Files, key string) ([]byte, error) {
	f, err := files.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// deleteAll removes the files under the keys that are not empty.
func deleteAll(ctx context.Context, files Files, keys ...string) error {
	for _, key := range keys {
		if key == "" {
			continue
		}
		if err := files.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// deleteBelow removes every file whose key begins with a prefix.
func deleteBelow(ctx context.Context, files Files, prefix string) error {
	keys, err := files.List(ctx, prefix)
	if err != nil {
		return err
	}
	return deleteAll(ctx, files, keys...)
}

// removeRendered removes every rendered file of a movie, those of attempts that lost included.
func removeRendered(ctx context.Context, files Files, project domain.ProjectID) error {
	return deleteBelow(ctx, files, RenderPrefix(project))
}
