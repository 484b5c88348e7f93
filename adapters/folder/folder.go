// Package folder writes files to export folders: folders of this host that the operator has named, and that other tools
// read. A file becomes visible completely or not at all: it is written in the subfolder .moviola first, and then gets its
// name. No path leads out of an export folder: links to folders and ".." are refused. Decision 78.
package folder

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/connection"
)

var _ deliveries.Sender = (*Sender)(nil)

// Config is the configuration of a Sender.
type Config struct {
	Folders []Folder
	Own     []string // folders of the service; an export folder must not lie inside or above one of these
	// Room returns how many bytes may still be written to the disk of a folder; negative when the disk's free space is below its
	// reserve.
	Room func(dir string) (int64, error)
}

// Sender writes to export folders. It is safe for concurrent use.
type Sender struct {
	cfg     Config
	folders map[string]Folder
}

// New returns a sender. It refuses a name that is given twice, a path that is not a folder, and a folder inside or above one of
// the service's own.
func New(cfg Config) (*Sender, error) {
	s := &Sender{cfg: cfg, folders: map[string]Folder{}}
	for _, f := range cfg.Folders {
		if _, twice := s.folders[f.Name]; twice {
			return nil, fmt.Errorf("the name %s is given twice", f.Name)
		}
		if err := f.check(cfg.Own); err != nil {
			return nil, err
		}
		s.folders[f.Name] = f
	}
	return s, nil
}

// Send implements deliveries.Sender.
func (s *Sender) Send(ctx context.Context, parcel deliveries.Parcel) (deliveries.Receipt, error) {
	_, name, err := parcel.Settings.LocalPath()
	if err != nil {
		return deliveries.Receipt{}, notDelivered(parcel, err.Error())
	}
	return deliveries.Receipt{}, s.with(ctx, parcel, func(to *place) error {
		overwrite := parcel.Settings["overwrite"] == "true"
		if err := to.free(name, parcel.Size, overwrite); err != nil {
			return err
		}
		video, err := parcel.Open(ctx)
		if err != nil {
			return outside{err}
		}
		defer video.Close()
		return to.put(ctx, name, video, parcel.Size, overwrite)
	})
}

// testContent is the content of the file that Test writes.
const testContent = "A test of a connection. It can be removed.\n"

// Test implements deliveries.Sender: it writes a small file and removes it.
func (s *Sender) Test(ctx context.Context, parcel deliveries.Parcel) (deliveries.Receipt, error) {
	return deliveries.Receipt{}, s.with(ctx, parcel, func(to *place) error {
		name := "moviola-connection-test-" + rand.Text() + ".txt"
		if err := to.put(ctx, name, bytes.NewReader([]byte(testContent)), int64(len(testContent)), false); err != nil {
			return err
		}
		return to.root.Remove(name)
	})
}

// with opens the place that a parcel goes to, calls do, and converts errors of do to messages for the account.
func (s *Sender) with(ctx context.Context, parcel deliveries.Parcel, do func(*place) error) error {
	name := parcel.Settings["folder"]
	f, known := s.folders[name]
	// an unknown folder and a forbidden one get the same message, so that accounts do not learn which folders others have
	if !known || !f.serves(parcel.Account) {
		return notDelivered(parcel, "this server has no export folder of that name for this account (--export-folder)")
	}
	dirs, _, err := parcel.Settings.LocalPath()
	if err != nil {
		return notDelivered(parcel, err.Error())
	}
	if err := f.check(s.cfg.Own); err != nil { // the folder may have been replaced since the start
		return notDelivered(parcel, "the operator's folder is not there, or not a folder that may be written to")
	}
	err = s.at(f, dirs, do)
	var refusal *domain.Error
	var why refused
	var not outside
	var number syscall.Errno
	switch {
	case err == nil || errors.As(err, &refusal):
		return err
	case errors.As(err, &not):
		return not.error
	case errors.As(err, &why):
		return notDelivered(parcel, string(why))
	case ctx.Err() != nil:
		return fmt.Errorf("write to the export folder %s: %w", name, context.Cause(ctx))
	case errors.As(err, &number): // the number of a system error names no path, unlike the error's text
		return notDelivered(parcel, number.Error())
	}
	return fmt.Errorf("write to the export folder %s: %w", name, err)
}

// at opens the folders on the path of a file, and calls do.
func (s *Sender) at(f Folder, dirs []string, do func(*place) error) error {
	base, err := os.OpenRoot(f.Dir)
	if err != nil {
		return err
	}
	defer func() { _ = base.Close() }()
	to := &place{room: func() (int64, error) { return s.cfg.Room(f.Dir) }}
	if err := to.hasRoom(0); err != nil {
		return err
	}
	if to.working, err = enter(base, connection.WorkingFolder); err != nil {
		return err
	}
	defer func() { _ = to.working.Close() }()
	sweep(to.working)
	if to.root, err = descend(base, dirs); err != nil {
		return err
	}
	defer func() { _ = to.root.Close() }()
	return do(to)
}

// refused is a reason for the account why nothing is written.
type refused string

func (r refused) Error() string { return string(r) }

const noRoom = refused("the disk of the folder has no room above its reserve")

// outside marks an error of reading the video, for which the folder is not to blame.
type outside struct{ error }

func (o outside) Unwrap() error { return o.error }

func notDelivered(parcel deliveries.Parcel, why string) error {
	return domain.Errorf(domain.Invalid, "not_delivered", "Not delivered to folder %s: %s", parcel.Settings["folder"], why)
}

// source reads the video. It wraps each read error in outside, because the folder is not to blame for it.
type source struct{ io.Reader }

func (s source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = outside{fmt.Errorf("read the video: %w", err)}
	}
	return n, err
}
