package logfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// The format of SQLite's write-ahead log: a header, then frames, each a frame header and a page. Each frame header contains the
// salts of the log's generation, and a checksum that continues that of the previous frame.
const (
	walHeaderBytes = 32
	walFrameBytes  = 24 + pageBytes
)

// walSum is the state of the write-ahead log's running checksum.
type walSum [2]uint32

func (s walSum) add(order binary.ByteOrder, data []byte) walSum {
	for ; len(data) >= 8; data = data[8:] {
		s[0] += order.Uint32(data) + s[1]
		s[1] += order.Uint32(data[4:]) + s[0]
	}
	return s
}

func storedSum(data []byte) walSum {
	return walSum{binary.BigEndian.Uint32(data), binary.BigEndian.Uint32(data[4:])}
}

// checkWAL looks for damage in the write-ahead log that a crash left, before SQLite reads it. SQLite takes the first frame
// with a wrong checksum for the end of the write-ahead log, and drops that frame and all after it. That is right when the
// crash interrupted the write of the frame. It is wrong when the frame was written completely and damaged later. The later
// frames show which is the case: SQLite writes nothing after a commit until the disk has that commit and all before it. So
// if a commit is in the bad frame or after it, and valid frames follow that commit, then the bad frame was written
// completely. Damage in the last commit, or at the end of the commit before it, cannot be told from an interrupted write.
func checkWAL(path string) (err error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	damaged, err := scanWAL(bufio.NewReaderSize(file, 1<<20))
	if err == nil && damaged >= 0 {
		err = &CorruptError{File: path, Frame: damaged}
	}
	if err != nil {
		return fmt.Errorf("check %s: %w", path, err)
	}
	return nil
}

// whole is the result of scanWAL when it finds no damage.
const whole = -1

// scanWAL returns the number of the damaged frame, counted from 1, or 0 for the header, or whole.
func scanWAL(r io.Reader) (int, error) {
	header := make([]byte, walHeaderBytes)
	if _, err := io.ReadFull(r, header); err != nil {
		return whole, ignoreEnd(err)
	}
	s := &walScan{order: binary.BigEndian, salts: header[16:24]}
	if header[3]&1 == 0 {
		s.order = binary.LittleEndian
	}
	s.computed = walSum{}.add(s.order, header[:24])
	s.stored = storedSum(header[24:])
	magic := binary.BigEndian.Uint32(header)
	sound := magic&^1 == 0x377f0682 && binary.BigEndian.Uint32(header[8:]) == pageBytes && s.computed == s.stored
	frame := make([]byte, walFrameBytes)
	for number := 1; ; number++ {
		if _, err := io.ReadFull(r, frame); err != nil {
			return whole, ignoreEnd(err)
		}
		if !sound {
			// The frames contain the salts of this header, so the header was complete and synced before the frames were written.
			// The header's checksum is wrong now, so the header is damaged.
			if bytes.Equal(frame[8:12], header[16:20]) || bytes.Equal(frame[12:16], header[20:24]) {
				return 0, nil
			}
			return whole, nil
		}
		if s.next(number, frame) {
			return s.broken, nil
		}
	}
}

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// walScan is the state of a scan of the frames of the write-ahead log.
type walScan struct {
	order    binary.ByteOrder
	salts    []byte
	computed walSum // checksum computed over everything up to the last frame that was read, this frame included
	stored   walSum // checksum that the header of the last frame that was read contains
	broken   int    // number of the first frame whose checksum does not match
	commit   bool   // a commit was found at the broken frame or after it
}

// next looks at the next frame of the write-ahead log. It returns true when this frame proves that the frame s.broken,
// the first with a wrong checksum, was written completely and is damaged. That is proven when this frame is valid, and a
// commit is in s.broken or between s.broken and this frame.
func (s *walScan) next(number int, frame []byte) bool {
	ours := bytes.Equal(frame[8:16], s.salts)
	sum := storedSum(frame[16:])
	follows := func(before walSum) bool {
		return before.add(s.order, frame[:8]).add(s.order, frame[24:]) == sum
	}
	matches := ours && (follows(s.stored) || s.broken > 0 && follows(s.computed))
	if s.broken > 0 && s.commit && matches {
		return true
	}
	if s.broken == 0 && !matches {
		s.broken = number
	}
	if s.broken > 0 && ours && binary.BigEndian.Uint32(frame[4:]) != 0 {
		s.commit = true
	}
	s.computed = s.computed.add(s.order, frame[:8]).add(s.order, frame[24:])
	s.stored = sum
	return false
}
