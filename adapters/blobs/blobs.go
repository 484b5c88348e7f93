// Package blobs keeps whole files under slash-separated keys, through the portable blob library gocloud.dev: in a local folder
// that several processes of one host may share, or in any bucket whose driver the program links.
//
// In a folder, the files below some prefixes, small and many, stand together in one database, the shelf: making a file and
// syncing it costs more than what is in it. Those that were made as files of their own by earlier versions stay what they are,
// and are found.
//
// A file is never changed in place: Put replaces it whole. In a folder the bytes and the folder's own entry are on disk when Put
// returns; readers see the old file or the new one, never a part. Half-written files are invisible, and Tidy removes those that
// a crash left behind. What the files mean is not known here.
package blobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/gcerrors"

	"moviola/commands"
)

var _ commands.Files = (*Bucket)(nil)

// contentType is set on every write, so that the library does not hold the first bytes back to guess one: a file's type is
// known to those who serve it.
const contentType = "application/octet-stream"

// Bucket is an open store of files. It is safe for concurrent use, by several processes too.
type Bucket struct {
	bucket  *blob.Bucket
	dir     string   // absolute; empty when the files are not in a folder
	folders *folders // below dir; nil when the files are not in a folder
	shelf   *shelf   // nil when the files are not in a folder
	shelved []string // what the keys of the files on the shelf begin with
	rooms   []*Room  // bounds of what accounts store
}

// Open opens the store at a folder, which is made when it does not exist, or at the URL of a bucket (file:///path is a folder).
// In a folder, the files whose keys begin with one of the shelved prefixes are kept in one database; each fits into memory.
func Open(ctx context.Context, where string, shelved ...string) (*Bucket, error) {
	dir, isDir := folderOf(where)
	if !isDir {
		if scheme, _, _ := strings.Cut(where, "://"); !blob.DefaultURLMux().ValidBucketScheme(scheme) {
			return nil, fmt.Errorf("open bucket: no support for %s://", scheme)
		}
		bucket, err := blob.OpenBucket(ctx, where)
		if err != nil {
			return nil, fmt.Errorf("open bucket: %w", err)
		}
		return &Bucket{bucket: bucket}, nil
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find folder %s: %w", dir, err)
	}
	// Temporary files stay beside their goal: a rename works only within one file system.
	bucket, err := fileblob.OpenBucket(dir, &fileblob.Options{
		CreateDir: true, DirFileMode: 0o700, NoTempDir: true, Metadata: fileblob.MetadataDontWrite,
	})
	if err != nil {
		return nil, fmt.Errorf("open folder %s: %w", dir, err)
	}
	if err := syncFolder(filepath.Dir(dir)); err != nil { // the folder itself may be new
		return nil, fmt.Errorf("open folder %s: %w", dir, err)
	}
	shelf, err := openShelf(dir)
	if err != nil {
		return nil, errors.Join(err, bucket.Close())
	}
	return &Bucket{bucket: bucket, dir: dir, folders: newFolders(dir), shelf: shelf, shelved: shelved}, nil
}

// folderOf returns the folder that where names, and false when it names a bucket elsewhere.
func folderOf(where string) (string, bool) {
	if !strings.Contains(where, "://") {
		return where, true
	}
	u, err := url.Parse(where)
	if err != nil || u.Scheme != fileblob.Scheme {
		return "", false
	}
	return filepath.FromSlash(u.Path), true
}

// Close ends the use of the store. No call may be under way or follow.
func (b *Bucket) Close() error {
	for _, r := range b.rooms {
		r.Close()
	}
	if b.dir == "" {
		return b.bucket.Close()
	}
	b.folders.closeAll()
	return errors.Join(b.shelf.close(), b.bucket.Close())
}

// Put stores what r yields under key, replacing what was there. It ends with ctx, and then stores nothing.
func (b *Bucket) Put(ctx context.Context, key string, r io.Reader) error {
	if err := checkKey(key); err != nil {
		return err
	}
	put := b.put
	if b.shelves(key) {
		put = b.putOnShelf
	}
	if err := b.putCounted(ctx, key, r, put); err != nil {
		return fmt.Errorf("store file %s: %w", key, err)
	}
	return nil
}

// put writes into a folder itself, for the library syncs nothing and takes a megabyte of memory for the smallest file. A name
// that the library would write otherwise is left to it.
func (b *Bucket) put(ctx context.Context, key string, r io.Reader) error {
	if b.folders != nil && !strings.Contains(key, "../") {
		dir, name := filepath.Split(b.path(key))
		return b.folders.put(ctx, filepath.Clean(dir), name, r)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var file *os.File
	w, err := b.bucket.NewWriter(ctx, key, &blob.WriterOptions{
		ContentType:                 contentType,
		DisableContentTypeDetection: true,
		BeforeWrite:                 func(as func(any) bool) error { as(&file); return nil },
	})
	if err != nil {
		return err
	}
	_, err = io.Copy(w, contextReader{ctx, r})
	if err == nil && file != nil {
		err = file.Sync()
	}
	if err != nil {
		cancel() // makes Close drop what was written
		return errors.Join(err, ignoreCancelled(w.Close()))
	}
	if err := w.Close(); err != nil {
		return err
	}
	return b.syncFolders(key)
}

// ignoreCancelled drops the error with which a cancelled write is expected to end.
func ignoreCancelled(err error) error {
	if errors.Is(err, context.Canceled) || gcerrors.Code(err) == gcerrors.Canceled {
		return nil
	}
	return err
}

// contextReader stops a copy when its context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// syncFolders puts the entries that lead to key on disk, up to the root: any folder on the way may be new, made by this
// process or by another one that has not come to sync it.
func (b *Bucket) syncFolders(key string) error {
	if b.dir == "" {
		return nil
	}
	for dir := filepath.Dir(b.path(key)); ; dir = filepath.Dir(dir) {
		if err := syncFolder(dir); err != nil {
			return err
		}
		if dir == b.dir || len(dir) < len(b.dir) {
			return nil
		}
	}
}

func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Open returns the file under key, or commands.ErrFileNotFound. Reading ends with ctx where the files are not in a folder.
func (b *Bucket) Open(ctx context.Context, key string) (commands.File, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	if b.shelves(key) {
		return b.openOnShelf(ctx, key)
	}
	return b.open(ctx, key)
}

// open opens a file of its own.
func (b *Bucket) open(ctx context.Context, key string) (commands.File, error) {
	var file *os.File
	r, err := b.bucket.NewReader(ctx, key, &blob.ReaderOptions{
		BeforeRead: func(as func(any) bool) error { as(&file); return nil },
	})
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, fmt.Errorf("open file %s: %w", key, commands.ErrFileNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("open file %s: %w", key, err)
	}
	if file == nil {
		return r, nil
	}
	return &folderFile{File: file, reader: r}, nil
}

// folderFile reads the file that was found by Open, whatever happens to its name meanwhile: the library's own reader would
// look the name up again after every Seek.
type folderFile struct {
	*os.File
	reader *blob.Reader
}

func (f *folderFile) Size() int64        { return f.reader.Size() }
func (f *folderFile) ModTime() time.Time { return f.reader.ModTime() }
func (f *folderFile) Close() error       { return f.reader.Close() }

// Delete removes the file under key. A key that holds nothing is no error.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	defer b.removed(key)
	err := b.delete(ctx, key)
	if err == nil && b.shelves(key) { // last: one that a file has been replaced by is what stands until all is done
		err = b.shelf.remove(ctx, key)
	}
	if err != nil {
		return fmt.Errorf("delete file %s: %w", key, err)
	}
	return nil
}

// delete removes a file of its own.
func (b *Bucket) delete(ctx context.Context, key string) error {
	err := b.bucket.Delete(ctx, key)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil
	}
	if err != nil || b.dir == "" {
		return err
	}
	return syncFolder(filepath.Dir(b.path(key)))
}

// path is where a file of its own lies in the folder.
func (b *Bucket) path(key string) string { return filepath.Join(b.dir, filepath.FromSlash(key)) }

// List returns the keys that begin with prefix, in order.
func (b *Bucket) List(ctx context.Context, prefix string) ([]string, error) {
	if err := checkPrefix(prefix); err != nil {
		return nil, err
	}
	if err := b.readable(prefix); err != nil {
		return nil, fmt.Errorf("list files %s: %w", prefix, err)
	}
	keys, err := b.listShelf(ctx, prefix)
	if err != nil {
		return nil, fmt.Errorf("list files %s: %w", prefix, err)
	}
	onShelf := len(keys)
	for objects := b.bucket.List(&blob.ListOptions{Prefix: prefix}); ; {
		object, err := objects.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("list files %s: %w", prefix, err)
		}
		if checkKey(object.Key) == nil { // not half-written, and no key
			keys = append(keys, object.Key)
		}
	}
	if onShelf > 0 {
		slices.Sort(keys)
		keys = slices.Compact(keys)
	}
	return keys, nil
}

// readable reports the error of reading the folder in which prefix lies: the library would take an unreadable folder for an
// empty one, and files that could not be removed would pass for removed.
func (b *Bucket) readable(prefix string) error {
	if b.dir == "" {
		return nil
	}
	parent, _, _ := cutLast(prefix)
	f, err := os.Open(filepath.Join(b.dir, filepath.FromSlash(parent)))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.ReadDir(1)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
