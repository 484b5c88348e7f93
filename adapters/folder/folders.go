package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"moviola/domain"
	"moviola/domain/connection"
)

// Folder is one export folder of the operator.
type Folder struct {
	Name     string // name by which connections refer to the folder
	Dir      string // absolute path of the folder
	Accounts []domain.AccountID
}

// ids matches the ids of accounts.
var ids = regexp.MustCompile(`^[A-Za-z0-9]{1,64}$`)

// Parse reads NAME=DIR[:account…]. DIR must not contain a colon or a comma.
func Parse(text string) (Folder, error) {
	name, rest, found := strings.Cut(text, "=")
	parts := strings.Split(rest, ":")
	f := Folder{Name: name, Dir: parts[0]}
	switch {
	case !found || !connection.FolderNames.MatchString(name):
		return Folder{}, errors.New("give NAME=DIR, where NAME has 1 to 64 letters, digits, dashes and underscores")
	case !filepath.IsAbs(f.Dir):
		return Folder{}, errors.New("give the folder by its whole path, which begins with /")
	}
	for _, account := range parts[1:] {
		if !ids.MatchString(account) {
			return Folder{}, errors.New("give the ids of accounts after the folder, with colons between them: NAME=DIR:account:account")
		}
		f.Accounts = append(f.Accounts, domain.AccountID(account))
	}
	return f, nil
}

// serves reports whether an account may use the folder. A folder without a list of accounts is for all.
func (f Folder) serves(account domain.AccountID) bool {
	return len(f.Accounts) == 0 || slices.Contains(f.Accounts, account)
}

// check refuses a path that is not a folder, or that lies inside or above one of the service's own.
func (f Folder) check(own []string) error {
	dir, err := filepath.EvalSymlinks(f.Dir)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Dir, err)
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", f.Dir, err)
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", f.Dir)
	}
	for _, mine := range own {
		apart, err := apart(dir, mine)
		if err != nil {
			return err
		}
		if !apart {
			return fmt.Errorf("%s lies inside or above %s, where the service keeps its own files: give another folder", f.Dir, mine)
		}
	}
	return nil
}

// apart reports whether neither of two folders contains the other. If mine does not exist, they are apart.
func apart(dir, mine string) (bool, error) {
	mine, err := filepath.Abs(mine)
	if err == nil {
		mine, err = filepath.EvalSymlinks(mine)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil
	case err != nil:
		return false, err
	}
	inside, err := within(dir, mine)
	if err != nil || inside {
		return false, err
	}
	above, err := within(mine, dir)
	return !above, err
}

// within reports whether the folder inner is the folder outer or lies in it. It compares the folders themselves, not their
// names.
func within(inner, outer string) (bool, error) {
	want, err := os.Stat(outer)
	if err != nil {
		return false, err
	}
	for at := inner; ; at = filepath.Dir(at) {
		got, err := os.Stat(at)
		if err != nil {
			return false, err
		}
		if os.SameFile(want, got) {
			return true, nil
		}
		if at == filepath.Dir(at) {
			return false, nil
		}
	}
}
