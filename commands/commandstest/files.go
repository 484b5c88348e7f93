// Package commandstest has in-memory doubles of the dependencies of commands, for tests.
package commandstest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"moviola/commands"
)

var _ commands.Files = (*Files)(nil)

// Files keeps files in memory. Its calls can be made to fail. It is safe for concurrent use.
type Files struct {
	mu       sync.Mutex
	content  map[string][]byte
	written  map[string]time.Time
	now      func() time.Time
	failFunc func(call, key string) error
}

// NewFiles returns an empty Files. now is the clock for the age of its files.
func NewFiles(now func() time.Time) *Files {
	return &Files{content: make(map[string][]byte), written: make(map[string]time.Time), now: now}
}

// Fail sets a function that returns the error of a call (put, open, delete, list); nil: no call fails.
func (f *Files) Fail(failFunc func(call, key string) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failFunc = failFunc
}

func (f *Files) failing(ctx context.Context, call, key string) error {
	f.mu.Lock()
	failFunc := f.failFunc
	f.mu.Unlock()
	if failFunc == nil {
		return ctx.Err()
	}
	return errors.Join(ctx.Err(), failFunc(call, key))
}

// Put implements commands.Files.
func (f *Files) Put(ctx context.Context, key string, r io.Reader) error {
	content, err := io.ReadAll(r)
	if err = errors.Join(err, f.failing(ctx, "put", key)); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.content[key], f.written[key] = content, f.now()
	return nil
}

// Open implements commands.Files.
func (f *Files) Open(ctx context.Context, key string) (commands.File, error) {
	if err := f.failing(ctx, "open", key); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	content, ok := f.content[key]
	if !ok {
		return nil, commands.ErrFileNotFound
	}
	return openFile{bytes.NewReader(content), f.written[key]}, nil
}

// Delete implements commands.Files.
func (f *Files) Delete(ctx context.Context, key string) error {
	if err := f.failing(ctx, "delete", key); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.content, key)
	delete(f.written, key)
	return nil
}

// List implements commands.Files.
func (f *Files) List(ctx context.Context, prefix string) ([]string, error) {
	if err := f.failing(ctx, "list", prefix); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var keys []string
	for key := range f.content {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}

// Walk calls visit with every key below a prefix, in order, and the time when the key's file was
// written. An error of visit ends the walk.
func (f *Files) Walk(ctx context.Context, prefix string, visit func(key string, written time.Time) error) error {
	keys, err := f.List(ctx, prefix)
	for _, key := range keys {
		f.mu.Lock()
		written := f.written[key]
		f.mu.Unlock()
		if err = visit(key, written); err != nil {
			return err
		}
	}
	return err
}

// Text is the content of the file under key; empty when there is no file.
func (f *Files) Text(key string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return string(f.content[key])
}

// openFile is an open file of Files.
type openFile struct {
	*bytes.Reader
	written time.Time
}

func (openFile) Close() error         { return nil }
func (f openFile) ModTime() time.Time { return f.written }
