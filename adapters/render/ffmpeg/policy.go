package ffmpeg

import (
	"time"

	"moviola/internal/jail"
)

const (
	maxAddressSpace = 8 << 30
	maxOpenFiles    = 2048
	maxTasks        = 2048 // processes and threads: ffmpeg starts threads for each input and output
)

// decoding is the jail policy for a program of this package: files and folders that it may read, one folder that it may write,
// processor time, and bytes per file.
func decoding(program string, read []string, write string, cpu time.Duration, file uint64) jail.Policy {
	return jail.Policy{
		Program: program, Read: read, Write: write, Calls: jail.DecoderCalls,
		Limits: jail.Limits{
			AddressSpace: maxAddressSpace, OpenFiles: maxOpenFiles, CPUSeconds: uint64(cpu.Seconds()), FileBytes: file, Tasks: maxTasks,
			Memory: maxAddressSpace,
		},
	}
}

// maxHEIFMemory is the memory limit of heif-convert in bytes: a picture of 50 megapixels needs a fifth of it.
const maxHEIFMemory = 3 << 30

func heifPolicy(read, write string) jail.Policy {
	p := decoding(heifProgram, []string{read}, write, 2*stillLimit, stillBytes)
	p.Limits.AddressSpace = maxHEIFMemory
	return p
}

// Policies returns the jail policies of ffmpeg, ffprobe and heif-convert for a file and a folder, for reports.
func Policies(read, write string) []jail.Policy {
	return []jail.Policy{
		decoding("ffmpeg", []string{read}, write, defaultLimit, defaultFileBytes),
		decoding("ffprobe", []string{read}, "", probeCPU, 0),
		heifPolicy(read, write),
	}
}
