package ffmpeg

// What a confined helper may use up. Sound libraries map memory as files, which counts as file size.
const (
	helperSeconds = 60
	helperBytes   = 256 << 20
)

// Confine returns the command line that runs a program in the jail of ffmpeg, reading the system's files only and writing none. self
// is a program that answers SandboxCommand by calling SandboxMain.
func Confine(self, program string, args []string) (string, []string) {
	return self, jail{Read: []string{}, CPUSeconds: helperSeconds, FileBytes: helperBytes}.wrap(program, args)
}
