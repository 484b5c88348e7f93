package logfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"net/url"
	"path/filepath"
	"sync"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	lib "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"
)

// A record's checksum detects a damaged record, but not a damaged index that no longer leads to the record. So every page of
// the log's file carries a checksum too. A VFS (SQLite's name for a layer between SQLite and the operating system's files)
// writes the checksum into the bytes that the file's header reserves at the end of each page, and refuses a page whose
// checksum does not match.
const (
	vfsName       = "moviola-checked"
	pageBytes     = 4096
	reservedBytes = 4 // number of bytes at the end of each page, which hold the page's checksum
)

// checkedFile is an open file of the VFS. It has the methods of SQLite's own file.
type checkedFile struct {
	path    string
	pages   bool // true: the log's file, whose pages are checked; false: the write-ahead log, which SQLite checks
	methods lib.Tsqlite3_io_methods
	// returns the error code of SQLite that a test injects into a read, write or sync; 0: no error
	fault func(operation string) int32
}

var (
	checkedFiles sync.Map // *checkedFile of each open file, by SQLite's pointer to the file
	badPages     sync.Map // number of the damaged page that was found last in a file, by the file's path
	failedSyncs  sync.Map // true for each path of a file whose sync has failed
	// for tests: the function fault that a checkedFile gets when its file is opened, by the path of the file
	FileFaults sync.Map

	systemVFS      lib.Tsqlite3_vfs
	checkedMethods = struct {
		sync.Mutex
		// address of our copy of each of SQLite's tables of file methods, by the address of SQLite's table
		of map[uintptr]uintptr
	}{of: map[uintptr]uintptr{}}
)

// registerVFS registers with SQLite the VFS that checks the checksums of pages.
var registerVFS = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	if rc := lib.Xsqlite3_initialize(tls); rc != lib.SQLITE_OK {
		return fmt.Errorf("initialize SQLite: %d", rc)
	}
	system := lib.Xsqlite3_vfs_find(tls, 0)
	name, err := libc.CString(vfsName)
	if err != nil || system == 0 {
		return errors.Join(errors.New("SQLite has no files to build on"), err)
	}
	systemVFS = *(*lib.Tsqlite3_vfs)(pointer(system))
	ours := libc.Xcalloc(tls, 1, types.Size_t(unsafe.Sizeof(systemVFS)))
	if ours == 0 {
		return errors.New("no memory for SQLite's files")
	}
	vfs := (*lib.Tsqlite3_vfs)(pointer(ours)) // the memory is never freed, because SQLite keeps the pointer
	*vfs = systemVFS
	vfs.FpNext, vfs.FzName, vfs.FxOpen = 0, name, address(openChecked)
	if rc := lib.Xsqlite3_vfs_register(tls, ours, 0); rc != lib.SQLITE_OK {
		return fmt.Errorf("register the checked files with SQLite: %d", rc)
	}
	return nil
})

// checkedURI is the URI by which SQLite opens a file through the VFS that checks pages.
func checkedURI(path string) (string, error) {
	if err := registerVFS(); err != nil {
		return "", err
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return (&url.URL{Scheme: "file", Path: absolute, RawQuery: "vfs=" + vfsName}).String(), nil
}

// pointer converts an address that SQLite gave. The memory is not Go's, so the garbage collector does not move it.
func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// address returns the address by which SQLite, which is C code translated to Go, calls the Go function f. The function
// must not be a closure.
func address[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// function returns the Go function of type F that an address from one of SQLite's tables stands for. It is the inverse of
// address.
func function[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&struct{ uintptr }{p})) }

type (
	openFunc  = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32
	rangeFunc = func(tls *libc.TLS, file, buffer uintptr, amount int32, offset int64) int32
	syncFunc  = func(tls *libc.TLS, file uintptr, flags int32) int32
	closeFunc = func(tls *libc.TLS, file uintptr) int32
)

func openChecked(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32 {
	rc := function[openFunc](systemVFS.FxOpen)(tls, vfs, name, file, flags, outFlags)
	if rc != lib.SQLITE_OK || name == 0 || flags&(lib.SQLITE_OPEN_MAIN_DB|lib.SQLITE_OPEN_WAL) == 0 {
		return rc
	}
	methods := &(*lib.Tsqlite3_file)(pointer(file)).FpMethods
	opened := &checkedFile{
		path: libc.GoString(name), pages: flags&lib.SQLITE_OPEN_MAIN_DB != 0,
		methods: *(*lib.Tsqlite3_io_methods)(pointer(*methods)),
		fault:   func(string) int32 { return lib.SQLITE_OK },
	}
	if fault, ok := FileFaults.Load(opened.path); ok {
		opened.fault = fault.(func(string) int32)
	}
	checkedFiles.Store(file, opened)
	*methods = methodsOver(tls, *methods)
	return lib.SQLITE_OK
}

// methodsOver returns a copy of SQLite's table of file methods in which some methods are replaced by Go functions of this
// package. There is one copy for each of SQLite's tables.
func methodsOver(tls *libc.TLS, theirs uintptr) uintptr {
	checkedMethods.Lock()
	defer checkedMethods.Unlock()
	if ours, ok := checkedMethods.of[theirs]; ok {
		return ours
	}
	ours := libc.Xcalloc(tls, 1, types.Size_t(unsafe.Sizeof(lib.Tsqlite3_io_methods{})))
	methods := (*lib.Tsqlite3_io_methods)(pointer(ours))
	*methods = *(*lib.Tsqlite3_io_methods)(pointer(theirs))
	methods.FxClose, methods.FxSync = address(closeChecked), address(syncChecked)
	methods.FxRead, methods.FxWrite = address(readChecked), address(writeChecked)
	checkedMethods.of[theirs] = ours
	return ours
}

func opened(file uintptr) *checkedFile {
	f, _ := checkedFiles.Load(file)
	return f.(*checkedFile) // SQLite passes only files that it has opened
}

func closeChecked(tls *libc.TLS, file uintptr) int32 {
	f := opened(file)
	checkedFiles.Delete(file)
	return function[closeFunc](f.methods.FxClose)(tls, file)
}

func syncChecked(tls *libc.TLS, file uintptr, flags int32) int32 {
	f := opened(file)
	rc := f.fault("sync")
	if rc == lib.SQLITE_OK {
		rc = function[syncFunc](f.methods.FxSync)(tls, file, flags)
	}
	if rc != lib.SQLITE_OK {
		failedSyncs.Store(f.path, true)
	}
	return rc
}

// readChecked is the file method for reading. Of the log's file it checks the checksum of the page. When SQLite wants a part
// of a page, such as the header while it opens the file, readChecked reads and checks the whole page.
func readChecked(tls *libc.TLS, file, buffer uintptr, amount int32, offset int64) int32 {
	f := opened(file)
	if rc := f.fault("read"); rc != lib.SQLITE_OK {
		return rc
	}
	read := function[rangeFunc](f.methods.FxRead)
	if !f.pages || amount == pageBytes {
		rc := read(tls, file, buffer, amount, offset)
		if f.pages && rc == lib.SQLITE_OK && !pageMatches(buffer, offset) {
			return f.damaged(offset)
		}
		return rc
	}
	page := libc.Xmalloc(tls, pageBytes)
	if page == 0 {
		return lib.SQLITE_NOMEM
	}
	defer libc.Xfree(tls, page)
	within := offset % pageBytes
	rc := read(tls, file, page, pageBytes, offset-within)
	if rc == lib.SQLITE_IOERR_SHORT_READ { // a new file has fewer bytes than SQLite asks for; the missing bytes are zeros
		clear(unsafe.Slice((*byte)(pointer(buffer)), amount))
	}
	if rc != lib.SQLITE_OK {
		return rc
	}
	if within+int64(amount) > pageBytes || !pageMatches(page, offset-within) {
		return f.damaged(offset)
	}
	copy(unsafe.Slice((*byte)(pointer(buffer)), amount), unsafe.Slice((*byte)(pointer(page)), pageBytes)[within:])
	return lib.SQLITE_OK
}

func (f *checkedFile) damaged(offset int64) int32 {
	badPages.Store(f.path, offset/pageBytes+1)
	return lib.SQLITE_IOERR_DATA
}

// writeChecked sets the checksum of a page and writes it. The reserved bytes are in SQLite's buffer, but SQLite does not use
// them.
func writeChecked(tls *libc.TLS, file, buffer uintptr, amount int32, offset int64) int32 {
	f := opened(file)
	if rc := f.fault("write"); rc != lib.SQLITE_OK {
		return rc
	}
	if f.pages && amount == pageBytes {
		page := unsafe.Slice((*byte)(pointer(buffer)), pageBytes)
		binary.LittleEndian.PutUint32(page[pageBytes-reservedBytes:], pageChecksum(page, offset))
	}
	return function[rangeFunc](f.methods.FxWrite)(tls, file, buffer, amount, offset)
}

func pageMatches(buffer uintptr, offset int64) bool {
	page := unsafe.Slice((*byte)(pointer(buffer)), pageBytes)
	return binary.LittleEndian.Uint32(page[pageBytes-reservedBytes:]) == pageChecksum(page, offset)
}

// pageChecksum covers a page and its offset, so that a page written to the wrong place is detected.
func pageChecksum(page []byte, offset int64) uint32 {
	var place [8]byte
	binary.LittleEndian.PutUint64(place[:], uint64(offset))
	return crc32.Update(crc32.Checksum(place[:], castagnoli), castagnoli, page[:pageBytes-reservedBytes])
}

// emptyPage is the first page of a file without tables: SQLite's header (page size, reserved bytes, write-ahead log) and the root
// of an empty table.
func emptyPage() []byte {
	page := make([]byte, pageBytes)
	copy(page, "SQLite format 3\x00")
	binary.BigEndian.PutUint16(page[16:], pageBytes)
	// versions of the file format for writing and reading (2: write-ahead log), and the reserved bytes of each page
	page[18], page[19], page[20] = 2, 2, reservedBytes
	page[21], page[22], page[23] = 64, 32, 32 // payload fractions, which the file format fixes
	binary.BigEndian.PutUint32(page[24:], 1)  // counter of changes to the file
	binary.BigEndian.PutUint32(page[28:], 1)  // size of the file, in pages
	binary.BigEndian.PutUint32(page[44:], 4)  // number of the schema's format
	binary.BigEndian.PutUint32(page[56:], 1)  // text encoding: UTF-8
	binary.BigEndian.PutUint32(page[92:], 1)  // value of the counter of changes when the size was last set (version-valid-for)
	binary.BigEndian.PutUint32(page[96:], sqlite.VersionNumber)
	page[100] = 13 // type of the page: leaf of a table's tree
	binary.BigEndian.PutUint16(page[105:], pageBytes-reservedBytes)
	binary.LittleEndian.PutUint32(page[pageBytes-reservedBytes:], pageChecksum(page, 0))
	return page
}

// readError converts SQLite's error to a *CorruptError when SQLite found damage while it read a file.
func readError(path string, err error) error {
	switch code := sqlite.ErrCode(err); {
	case code == sqlite.ResultCode(lib.SQLITE_IOERR_DATA):
		page, _ := badPages.Load(path)
		number, _ := page.(int64)
		return &CorruptError{File: path, Page: number}
	case code.ToPrimary() == sqlite.ResultCorrupt, code.ToPrimary() == sqlite.ResultNotADB:
		return fmt.Errorf("%w: %w", &CorruptError{File: path}, err)
	default:
		return err
	}
}
