package browser

import (
	"bufio"
	"os/exec"
	"slices"
	"testing"
)

// TestFamily: both ways to find the descendants of a process find its child and its grandchild.
func TestFamily(t *testing.T) {
	t.Parallel()
	if !listsChildren() {
		t.Skip("this kernel does not list the children of threads")
	}
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
	lists, walk := familyOf(pid, childrenOf), familyOf(pid, allChildren())
	if len(lists) != 3 || lists[0] != pid || !slices.Equal(lists, walk) {
		t.Errorf("the family of %d is %v by lists, %v by parents", pid, lists, walk)
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
