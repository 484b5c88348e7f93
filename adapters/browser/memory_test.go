package browser

import (
	"bufio"
	"os/exec"
	"slices"
	"testing"
)

// TestFamily: the ways to find the descendants of a process find its child and its grandchild, and the same ones. A kernel without
// lists of children has one way only.
func TestFamily(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `sh -c 'sh -c "echo begun; read end"; true'; true`)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "begun\n" {
		t.Errorf("the last shell says %q, %v", line, err)
	}
	pid := cmd.Process.Pid
	walk := familyOf(pid, allChildren())
	if len(walk) != 3 || walk[0] != pid {
		t.Errorf("the family of %d is %v by the parents of all processes", pid, walk)
	}
	if lists := familyOf(pid, childrenOf); listsChildren() && !slices.Equal(lists, walk) {
		t.Errorf("the family of %d is %v by lists, %v by parents", pid, lists, walk)
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
