package deploy

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// settings reads what `moviola config print` says.
func settings(t *testing.T, printed string) map[string]string {
	t.Helper()
	var all map[string]any
	if err := yaml.Unmarshal([]byte(printed), &all); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	set := map[string]string{}
	for name, value := range all {
		set[name] = fmt.Sprint(value)
	}
	return set
}

// leastAfterDrain is how long a process may take to end when its work has been handed back.
const leastAfterDrain = 5 * time.Second

// checkGrace: a process is not ended before it has handed its work back.
func checkGrace(t *testing.T, spec corev1.PodSpec, set map[string]string) {
	t.Helper()
	enoughTime(t, time.Duration(*spec.TerminationGracePeriodSeconds)*time.Second, set)
}

func enoughTime(t *testing.T, grace time.Duration, set map[string]string) {
	t.Helper()
	drain, err := time.ParseDuration(set["drain-timeout"])
	if err != nil || grace < drain+leastAfterDrain {
		t.Errorf("it gets %s to end, and drains for %s: %v", grace, set["drain-timeout"], err)
	}
}
