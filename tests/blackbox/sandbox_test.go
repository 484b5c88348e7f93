package blackbox_test

import (
	"os/exec"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// What confines programs stands in the metrics, and in what the doctor says.
func TestSandbox_isTold(t *testing.T) {
	t.Parallel()
	ops := harness.FreeAddr(t)
	s := harness.NewService(t)
	s.StartAPI("--sandbox", "best", "--ops-listen", ops)
	metrics := get(t, "http://"+ops+"/metrics")
	said, err := exec.CommandContext(t.Context(), harness.Binary(t), "doctor").CombinedOutput()
	if err != nil {
		t.Fatalf("doctor: %v\n%s", err, said)
	}
	for _, program := range []string{"ffmpeg", "ffprobe", "espeak-ng", "chromium"} {
		for _, layer := range []string{"namespaces", "user", "capabilities", "no-new-privileges", "landlock", "seccomp", "limits", "cgroup"} {
			if !strings.Contains(metrics, `moviola_sandbox_layer{layer="`+layer+`",program="`+program+`",state="`) {
				t.Errorf("no metric of %s of %s", layer, program)
			}
		}
		if !strings.Contains(string(said), "sandbox of "+program) {
			t.Errorf("the doctor does not know %s:\n%s", program, said)
		}
	}
}

// An encoder that does not work here leaves the movies to x264: the log says why, and metrics and the doctor what encodes them.
func TestEncoder_isTold(t *testing.T) {
	t.Parallel()
	ops := harness.FreeAddr(t)
	s := harness.NewService(t)
	s.StartAPI("--encoder", "vaapi", "--ops-listen", ops)
	if metrics := get(t, "http://"+ops+"/metrics"); !strings.Contains(metrics, `moviola_encoder_info{encoder="x264",version="core `) {
		t.Error("no metric of the encoder")
	}
	harness.Eventually(t, "the log says why x264 encodes", func() bool {
		log := s.API.Output()
		return strings.Contains(log, "windows are encoded by x264: --encoder vaapi does not work here") && strings.Contains(log, "why=")
	})
	said, err := exec.CommandContext(t.Context(), harness.Binary(t), "doctor").CombinedOutput()
	if err != nil {
		t.Fatalf("doctor: %v\n%s", err, said)
	}
	for _, line := range []string{"encoder x264       ok: core ", "encoder nvenc ", "encoder qsv ", "encoder vaapi "} {
		if !strings.Contains(string(said), line) {
			t.Errorf("the doctor does not say %q:\n%s", line, said)
		}
	}
	out, err := exec.CommandContext(t.Context(), harness.Binary(t), "serve", "--encoder", "gpu", "--data", t.TempDir()).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "none of x264, auto, nvenc, vaapi and qsv") {
		t.Errorf("an encoder that is none: %v, %s", err, out)
	}
}

func TestSandbox_flag(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), harness.Binary(t), "serve", "--sandbox", "half", "--data", t.TempDir()).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "none of require, best and off") {
		t.Errorf("a mode that is none: %v, %s", err, out)
	}
}
