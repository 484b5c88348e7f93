package entry

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/crypto/bcrypt"

	"moviola/eventstore/embedded/logfile"
)

// Role is what a user of the event store may do.
type Role string

// The roles of users.
const (
	RoleFull     Role = "full"      // may do everything
	RoleUser     Role = "user"      // may do what the $acl of each stream allows, but not manage groups or scavenge
	RoleReadOnly Role = "read-only" // may read and subscribe where the $acl of a stream allows it, and change nothing
)

// Roles lists the roles, in the order in which messages name them.
var Roles = []Role{RoleFull, RoleUser, RoleReadOnly}

// hashCost is the bcrypt cost of new passwords: checking one takes about a quarter of a second.
const hashCost = 12

// minPassword is the minimum length of a password in bytes. bcrypt's maximum is 72.
const minPassword = 8

// user is a line of the users file: name, bcrypt hash and role, with colons between.
type user struct {
	Name, hash string
	Role       Role
}

// readUsers reads a users file. Empty lines and those that begin with # are comments.
func readUsers(path string) (map[string]user, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the users: %w", err)
	}
	users, number := map[string]user{}, 0
	for line := range strings.Lines(string(content)) {
		number++
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		one, err := parseUser(line)
		if err != nil {
			// the error leaves out the line's text, which contains a hash
			return nil, fmt.Errorf("line %d of the users file %s: %w", number, path, err)
		}
		if _, twice := users[one.Name]; twice {
			return nil, fmt.Errorf("line %d of the users file %s: there is a user %s already", number, path, one.Name)
		}
		users[one.Name] = one
	}
	return users, nil
}

func parseUser(line string) (user, error) {
	fields := strings.Split(line, ":")
	if len(fields) != 3 {
		return user{}, errors.New("it is not NAME:HASH:ROLE")
	}
	one := user{Name: fields[0], hash: fields[1], Role: Role(fields[2])}
	if err := checkUserName(one.Name); err != nil {
		return user{}, err
	}
	if !slices.Contains(Roles, one.Role) {
		return user{}, fmt.Errorf("the role of %s is none of %v", one.Name, Roles)
	}
	if _, err := bcrypt.Cost([]byte(one.hash)); err != nil {
		return user{}, fmt.Errorf("the hash of %s is none of bcrypt", one.Name)
	}
	return one, nil
}

// checkUserName accepts 1 to 64 ASCII letters, digits and -._@, which are safe in connection strings.
func checkUserName(name string) error {
	for _, c := range name {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._@", c) {
			return fmt.Errorf("the user name %q has other characters than letters, digits and -._@", name)
		}
	}
	if name == "" || len(name) > 64 {
		return errors.New("the name of a user has 1 to 64 characters")
	}
	return nil
}

// AddUser adds a user to a users file, which is created when missing. An existing user of that name is an error, unless
// replace is set. A running server reads the change at its next check of the file (Access.Watch).
func AddUser(path, name, password string, role Role, replace bool) error {
	if err := checkUserName(name); err != nil {
		return err
	}
	if !slices.Contains(Roles, role) {
		return fmt.Errorf("%q is no role: give one of %v", role, Roles)
	}
	if len(password) < minPassword || len(password) > 72 {
		return fmt.Errorf("a password has %d to 72 bytes, this one has %d", minPassword, len(password))
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), hashCost)
	if err != nil {
		return err
	}
	return changeUsers(path, name, func(there bool) (string, error) {
		if there && !replace {
			return "", fmt.Errorf("there is a user %s in %s already", name, path)
		}
		return fmt.Sprintf("%s:%s:%s\n", name, hash, role), nil
	})
}

// RemoveUser removes a user from a users file. From its next check of the file on (Access.Watch), a running server refuses
// the user's calls and ends the user's subscriptions. After the removal of the last user a running server lets nobody in,
// and no server starts with the file.
func RemoveUser(path, name string) error {
	return changeUsers(path, name, func(there bool) (string, error) {
		if !there {
			return "", fmt.Errorf("there is no user %s in %s", name, path)
		}
		return "", nil
	})
}

// changeUsers rewrites a users file with a user's line added, replaced or removed; everything else stays as it is.
func changeUsers(path, name string, line func(there bool) (string, error)) error {
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the users: %w", err)
	}
	if err == nil {
		if _, err := readUsers(path); err != nil {
			return err
		}
	}
	lines := slices.Collect(strings.Lines(string(content)))
	kept := slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return strings.HasPrefix(strings.TrimSpace(line), name+":")
	})
	added, err := line(len(kept) < len(lines))
	if err != nil {
		return err
	}
	var whole bytes.Buffer
	for _, line := range kept {
		whole.WriteString(strings.TrimSuffix(line, "\n") + "\n")
	}
	whole.WriteString(added)
	return replaceFile(path, whole.Bytes())
}

// replaceFile writes a file atomically. A new file has the mode 0600; one that is there keeps its mode and its owner, so that the
// server can still read it.
func replaceFile(path string, content []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".users-*")
	if err != nil {
		return fmt.Errorf("write the users: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("write the users: %w", errors.Join(err, os.Remove(file.Name())))
		}
	}()
	_, err = file.Write(content)
	if err = errors.Join(err, likeFormer(path, file), file.Sync(), file.Close()); err != nil {
		return err
	}
	if err = os.Rename(file.Name(), path); err != nil {
		return err
	}
	return logfile.SyncFolder(filepath.Dir(path))
}

// likeFormer gives a new file the mode and the owner of the one that it replaces, if there is one.
func likeFormer(path string, file *os.File) error {
	former, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if owner, ok := former.Sys().(*syscall.Stat_t); ok {
		if err := file.Chown(int(owner.Uid), int(owner.Gid)); err != nil {
			return fmt.Errorf("keep the owner of %s; change it as that user or as root: %w", path, err)
		}
	}
	return file.Chmod(former.Mode().Perm())
}
