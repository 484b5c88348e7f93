package entry

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestUsers_keepsOwnerAndMode: a users file that is changed can be read afterwards by whoever could read it before, such as the
// server, when an administrator changes it as root.
func TestUsers_keepsOwnerAndMode(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "users")
	look := func() (os.FileMode, uint32, uint32) {
		t.Helper()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		owner := info.Sys().(*syscall.Stat_t)
		return info.Mode().Perm(), owner.Uid, owner.Gid
	}
	if err := AddUser(path, "anna", "anna's password", RoleFull, false); err != nil {
		t.Fatal(err)
	}
	if mode, _, _ := look(); mode != 0o600 {
		t.Errorf("a new file has the mode %o", mode)
	}
	uid, gid := os.Getuid(), os.Getgid()
	if uid == 0 {
		uid, gid = 4242, 4243
	}
	if err := os.Chown(path, uid, gid); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := AddUser(path, "bert", "bert's password", RoleReadOnly, false); err != nil {
		t.Fatal(err)
	}
	if err := RemoveUser(path, "anna"); err != nil {
		t.Fatal(err)
	}
	if mode, u, g := look(); mode != 0o640 || int(u) != uid || int(g) != gid {
		t.Errorf("the file has the mode %o and belongs to %d:%d; it had 640 and %d:%d", mode, u, g, uid, gid)
	}
}
