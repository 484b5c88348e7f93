// Package blobs stores whole files under slash-separated keys, mostly through the portable blob library gocloud.dev: in a
// local folder that several processes of one host may share, or in a bucket: s3://, gs:// or azblob://.
//
// In a folder, files below some prefixes, which are small and many, are stored in one database, the shelf: creating and syncing a
// file for each would cost more than its content. Earlier versions of this program stored each of them as a file of the folder:
// such files are still read.
//
// A file is never changed in place: Put replaces it as a whole. In a folder the bytes and the directory entry are on disk when
// Put returns; readers see the old file or the new one, never a part. Files that are being written are invisible, and Tidy
// removes those that a crash left behind. This package does not know what the files mean.
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
	"gocloud.dev/blob/s3blob"
	"gocloud.dev/gcerrors"

	"moviola/commands"
	"moviola/internal/clouds"
)

var _ commands.Files = (*Bucket)(nil)

// contentType is set on every write, so that gocloud.dev/blob does not buffer the first bytes to guess a type: whoever
// serves a file knows its type.
const contentType = "application/octet-stream"

// The sizes in bytes of the parts in which files are uploaded to gs:// and azblob://. The size of a part for Google Cloud
// Storage must be a multiple of uploadUnit; uploadBuffer is the largest size.
const (
	uploadUnit   = 256 << 10
	uploadBuffer = 8 << 20
)

// Bucket is an open store of files. It is safe for concurrent use, by several processes too.
type Bucket struct {
	bucket  *blob.Bucket
	scheme  string       // scheme of the bucket's address; empty for a folder
	name    string       // name of a bucket at s3://
	prefix  string       // prefix of the keys of all files in a bucket at s3://
	end     func() error // called after the bucket was closed; may be nil
	dir     string       // absolute path of the folder; empty for a bucket
	folders *folders     // open folders below dir; nil for a bucket
	shelf   *shelf       // database of small files; nil for a bucket
	shelved []string     // prefixes of the keys of files on the shelf
	rooms   []*Room      // bounds of the files of accounts
}

// Open opens the store in a folder, which is created if necessary, or at the URL of a bucket (file:///path is a folder). In a
// folder, files whose keys begin with one of the shelved prefixes are stored in one database; each must fit into memory.
func Open(ctx context.Context, where string, shelved ...string) (*Bucket, error) {
	return OpenWithKey(ctx, where, "", shelved...)
}

// OpenWithKey opens a store, as Open does. The parameter key contains the credentials of two kinds of buckets: for gs:// the JSON
// key of a service account or clouds.FromEnvironment, for azblob:// the access key of the storage account.
func OpenWithKey(ctx context.Context, where, key string, shelved ...string) (*Bucket, error) {
	dir, isDir := FolderOf(where)
	if !isDir {
		bucket, err := openBucket(ctx, where, key)
		if err != nil {
			return nil, fmt.Errorf("open bucket: %w", err)
		}
		return bucket, nil
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find folder %s: %w", dir, err)
	}
	// Temporary files are in the folder of their target, because a rename works only within one file system.
	bucket, err := fileblob.OpenBucket(dir, &fileblob.Options{
		CreateDir: true, DirFileMode: 0o700, NoTempDir: true, Metadata: fileblob.MetadataDontWrite,
	})
	if err != nil {
		return nil, fmt.Errorf("open folder %s: %w", dir, err)
	}
	if err := syncFolder(filepath.Dir(dir)); err != nil { // the entry of the folder is synced, because the folder may be new
		return nil, fmt.Errorf("open folder %s: %w", dir, err)
	}
	shelf, err := openShelf(dir)
	if err != nil {
		return nil, errors.Join(err, bucket.Close())
	}
	return &Bucket{bucket: bucket, dir: dir, folders: newFolders(dir), shelf: shelf, shelved: shelved}, nil
}

// openBucket opens a bucket by its address.
func openBucket(ctx context.Context, where, key string) (*Bucket, error) {
	p, isCloud, err := placeOf(where, key)
	if err != nil {
		return nil, err
	}
	if isCloud {
		bucket, end, err := p.open(ctx)
		return &Bucket{bucket: bucket, scheme: p.scheme, end: end}, err
	}
	scheme, _, _ := strings.Cut(where, "://")
	if !blob.DefaultURLMux().ValidBucketScheme(scheme) {
		return nil, fmt.Errorf("no support for %s://", scheme)
	}
	u, err := url.Parse(where)
	if err != nil {
		return nil, errors.New("its address cannot be read")
	}
	bucket, err := blob.OpenBucket(ctx, where)
	return &Bucket{bucket: bucket, scheme: scheme, name: u.Host, prefix: u.Query().Get("prefix")}, err
}

// FolderOf returns the folder that the parameter where names; false: it names no folder.
func FolderOf(where string) (string, bool) {
	if !strings.Contains(where, "://") {
		return where, true
	}
	u, err := url.Parse(where)
	if err != nil || u.Scheme != fileblob.Scheme {
		return "", false
	}
	return filepath.FromSlash(u.Path), true
}

// Close closes the store. No call may be running or follow.
func (b *Bucket) Close() error {
	for _, r := range b.rooms {
		r.Close()
	}
	if b.dir == "" {
		err := b.bucket.Close()
		if b.end != nil {
			err = errors.Join(err, b.end())
		}
		return err
	}
	b.folders.closeAll()
	return errors.Join(b.shelf.close(), b.bucket.Close())
}

// Put stores the bytes of r under key, and replaces an existing file. If ctx ends it stores nothing.
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

// put stores the content of r under key. In a folder it writes the file itself, because the library gocloud.dev/blob does
// not sync files, and takes a megabyte of memory for the smallest file. Only files whose keys contain ../ are written by
// the library, because it escapes these characters in their names.
func (b *Bucket) put(ctx context.Context, key string, r io.Reader) error {
	if b.folders != nil && !strings.Contains(key, "../") {
		dir, name := filepath.Split(b.path(key))
		return b.folders.put(ctx, filepath.Clean(dir), name, r)
	}
	if b.dir == "" {
		options := blob.WriterOptions{ContentType: contentType}
		if b.scheme != s3blob.Scheme {
			options.BufferSize, options.MaxConcurrency = bufferOf(r), 2
		}
		broken, err := clouds.Upload(ctx, b.bucket, key, contextReader{ctx, r}, options)
		return errors.Join(ctx.Err(), broken, err)
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
		cancel() // makes Close discard the written bytes
		return errors.Join(err, ignoreCancelled(w.Close()))
	}
	if err := w.Close(); err != nil {
		return err
	}
	return b.syncFolders(key)
}

// bufferOf returns the size in bytes of the parts in which a file is uploaded to one of the clouds: the libraries take the memory
// of a whole part for the smallest file.
func bufferOf(r io.Reader) int {
	if sized, ok := r.(interface{ Len() int }); ok {
		return min(uploadBuffer, (sized.Len()/uploadUnit+1)*uploadUnit)
	}
	return uploadBuffer
}

// ignoreCancelled drops the expected error of a cancelled write.
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

// syncFolders syncs the directory entries that lead to key, up to the root: any folder on the way may be new, made by this
// process or by another one that has not synced it yet.
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

// Open returns the file under key, or commands.ErrFileNotFound. In a bucket, reading ends with ctx.
func (b *Bucket) Open(ctx context.Context, key string) (commands.File, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	if b.shelves(key) {
		return b.openOnShelf(ctx, key)
	}
	return b.open(ctx, key)
}

// open opens a file that is not on the shelf.
func (b *Bucket) open(ctx context.Context, key string) (commands.File, error) {
	var file *os.File
	r, err := b.bucket.NewReader(ctx, key, &blob.ReaderOptions{
		BeforeRead: func(as func(any) bool) error { as(&file); return nil },
	})
	if missing(err) {
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

// missing reports whether an error of the library gocloud.dev/blob means that there is no such file.
func missing(err error) bool { return gcerrors.Code(err) == gcerrors.NotFound && !clouds.Refused(err) }

// folderFile reads the file that Open has found, even if its name is reused meanwhile: the reader of gocloud.dev/blob would
// look the name up again after every Seek.
type folderFile struct {
	*os.File
	reader *blob.Reader
}

func (f *folderFile) Size() int64        { return f.reader.Size() }
func (f *folderFile) ModTime() time.Time { return f.reader.ModTime() }
func (f *folderFile) Close() error       { return f.reader.Close() }

// Delete removes the file under key. It is no error if there is none.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	defer b.removed(key)
	err := b.delete(ctx, key)
	// The file on the shelf is removed last: if it were removed first, readers could find an older file of the folder
	// under the key.
	if err == nil && b.shelves(key) {
		err = b.shelf.remove(ctx, key)
	}
	if err != nil {
		return fmt.Errorf("delete file %s: %w", key, err)
	}
	return nil
}

// delete removes a file that is not on the shelf.
func (b *Bucket) delete(ctx context.Context, key string) error {
	err := b.bucket.Delete(ctx, key)
	if missing(err) {
		return nil
	}
	if err != nil || b.dir == "" {
		return err
	}
	return syncFolder(filepath.Dir(b.path(key)))
}

// path returns the path of the file of a key in the folder. A file on the shelf has no such path.
func (b *Bucket) path(key string) string { return filepath.Join(b.dir, filepath.FromSlash(key)) }

// List returns the keys that begin with prefix, sorted.
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
		if checkKey(object.Key) == nil { // skips temporary files and names that are no keys
			keys = append(keys, object.Key)
		}
	}
	if onShelf > 0 {
		slices.Sort(keys)
		keys = slices.Compact(keys)
	}
	return keys, nil
}

// readable returns the error of reading the folder of prefix: gocloud.dev/blob treats an unreadable folder as an empty
// one, so files that could not be removed would seem to be removed.
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
