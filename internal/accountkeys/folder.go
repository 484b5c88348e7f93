package accountkeys

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"moviola/domain"
)

// FolderName is the name of the folder with the keys of accounts, below the data folder.
const FolderName = "account-keys"

// erasedFolder is the name of the folder, below FolderName, with a file for each erased account.
const erasedFolder = "erased"

// Folder is a KeyStore in a folder of this host: a file for each key, which only its owner may read.
type Folder struct{ dir string }

var _ KeyStore = Folder{}

// NewFolder returns the store in a folder. The folder need not exist: the methods that write create it.
func NewFolder(dir string) Folder { return Folder{dir} }

// Prepare implements KeyStore.
func (f Folder) Prepare(context.Context) error {
	if err := os.MkdirAll(filepath.Join(f.dir, erasedFolder), 0o700); err != nil {
		return fmt.Errorf("make the folder of the keys of accounts: %w", err)
	}
	return syncFolder(filepath.Dir(f.dir))
}

// accountRule matches the ids of accounts, which are names of files here.
var accountRule = regexp.MustCompile(`^[A-Za-z0-9]{1,64}$`)

func (f Folder) paths(account domain.AccountID) (key, erased string, err error) {
	if !accountRule.MatchString(string(account)) {
		return "", "", fmt.Errorf("%q is no id of an account", account)
	}
	return filepath.Join(f.dir, string(account)), filepath.Join(f.dir, erasedFolder, string(account)), nil
}

// Find implements KeyStore.
func (f Folder) Find(_ context.Context, account domain.AccountID) ([]byte, time.Time, error) {
	keyFile, erasedFile, err := f.paths(account)
	if err != nil {
		return nil, time.Time{}, err
	}
	if at, err := readErased(erasedFile); err != nil || !at.IsZero() {
		return nil, at, err
	}
	text, err := os.ReadFile(keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, time.Time{}, nil
	}
	if err != nil {
		return nil, time.Time{}, err
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != Bytes {
		return nil, time.Time{}, fmt.Errorf("%s holds no key", keyFile)
	}
	return key, time.Time{}, nil
}

// readErased returns the time at which an account was erased; zero: the account was not erased.
func readErased(path string) (time.Time, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	at, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(string(text)))
	if err != nil {
		return time.Time{}, fmt.Errorf("%s does not say when the account was erased", path)
	}
	return at, nil
}

// Add implements KeyStore.
func (f Folder) Add(ctx context.Context, account domain.AccountID, key []byte) error {
	keyFile, erasedFile, err := f.paths(account)
	if err != nil {
		return err
	}
	if err := f.Prepare(ctx); err != nil {
		return err
	}
	if at, err := readErased(erasedFile); err != nil || !at.IsZero() {
		return err
	}
	err = create(keyFile, []byte(hex.EncodeToString(key)+"\n"))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	at, err := readErased(erasedFile) // if the account was erased while its key was written, the erasure has missed the key
	if err == nil && at.IsZero() {
		return nil
	}
	return errors.Join(err, wipe(keyFile))
}

// Erase implements KeyStore.
func (f Folder) Erase(ctx context.Context, account domain.AccountID, at time.Time) error {
	keyFile, erasedFile, err := f.paths(account)
	if err != nil {
		return err
	}
	if err := f.Prepare(ctx); err != nil {
		return err
	}
	err = create(erasedFile, []byte(at.UTC().Format(time.RFC3339Nano)+"\n"))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return wipe(keyFile)
}

// Erased implements KeyStore.
func (f Folder) Erased(context.Context) ([]domain.AccountID, bool, error) {
	entries, err := os.ReadDir(filepath.Join(f.dir, erasedFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	var accounts []domain.AccountID
	for _, entry := range entries {
		if accountRule.MatchString(entry.Name()) {
			accounts = append(accounts, domain.AccountID(entry.Name()))
		}
	}
	return accounts, true, err
}

// Walk implements KeyStore.
func (f Folder) Walk(
	ctx context.Context, visit func(account domain.AccountID, key []byte, erased time.Time) error,
) error {
	for _, dir := range []string{f.dir, filepath.Join(f.dir, erasedFolder)} {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if entry.IsDir() || !accountRule.MatchString(entry.Name()) {
				continue
			}
			account := domain.AccountID(entry.Name())
			key, erased, err := f.Find(ctx, account)
			if err == nil && erased.IsZero() == (dir == f.dir) {
				err = visit(account, key, erased)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// create creates a file with a content, durably; fs.ErrExist: it is there already.
func create(path string, content []byte) error {
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, ".new-") // CreateTemp makes the file readable by its owner only
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.Write(content)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if err := os.Link(tmp.Name(), path); err != nil {
		return err
	}
	return syncFolder(dir)
}

// wipe overwrites a file with zeros and removes it. A file that is not there is no error.
func wipe(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil {
		_, err = file.Write(make([]byte, info.Size()))
	}
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes changes of a folder's names durable.
func syncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
