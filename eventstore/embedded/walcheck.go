package embedded

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// The write-ahead log as SQLite's file format describes it: a header, then frames of a header and a page. Every header carries
// the salts of its generation and a checksum that goes on from the frame before.
const (
	walHeaderBytes = 32
	walFrameBytes  = 24 + pageBytes
)

// walSum is the state of the write-ahead log's checksum.
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

// checkWAL looks for damage in a write-ahead log that was left by a crash, before SQLite reads it: SQLite takes the first
// frame that does not match for the end of the log, which is right for a write that the crash cut short, and forgets every
// commit behind it. Frames behind a commit were written after that commit had been synced; so when there are some behind a frame
// that does not match, the frame was whole once and is damaged. Only damage to the last commits cannot be told from a write
// that never ended.
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

// whole is what scanWAL returns when it finds no damage.
const whole = -1

// scanWAL returns the number of the damaged frame, from 1, or 0 for the header, or whole.
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
			// A header whose salts are those of the frames was written before them, and synced: it was whole once.
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

// walScan goes through frames.
type walScan struct {
	order    binary.ByteOrder
	salts    []byte
	computed walSum // of everything up to the last frame
	stored   walSum // what the last frame says
	broken   int    // the first frame that does not match
	commit   bool   // a commit was seen from there on
}

// next takes a frame, and returns true when it shows that the broken one is damaged.
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
