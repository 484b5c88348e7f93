package blackbox_test

import (
	"path/filepath"
	"testing"

	"moviola/tests/harness"
)

// topology is a way to run the service.
type topology struct {
	name  string
	start func(t *testing.T, flags ...string) *harness.Service
}

var topologies = []topology{
	{"everything embedded", func(t *testing.T, flags ...string) *harness.Service {
		service := harness.NewService(t, flags...)
		service.StartAPI()
		return service
	}},
	{"MongoDB", func(t *testing.T, flags ...string) *harness.Service {
		service := harness.NewService(t, append(flags, "--mongo", harness.StartMongo(t))...)
		service.StartAPI()
		return service
	}},
	{"event store apart", func(t *testing.T, flags ...string) *harness.Service {
		addr := harness.FreeAddr(t)
		harness.StartEventStore(t, filepath.Join(t.TempDir(), "events"), addr)
		service := harness.NewService(t, append(flags, "--eventstore", "esdb://"+addr+"?tls=false")...)
		service.StartAPI()
		return service
	}},
	{"two renderers", func(t *testing.T, flags ...string) *harness.Service {
		service, _ := startTwoRenderers(t, flags...)
		return service
	}},
}

// startTwoRenderers runs the event store, an API process that renders nothing, and two renderers, all on one data folder.
func startTwoRenderers(t *testing.T, flags ...string) (*harness.Service, [2]*harness.Process) {
	t.Helper()
	addr := harness.FreeAddr(t)
	harness.StartEventStore(t, filepath.Join(t.TempDir(), "events"), addr)
	service := harness.NewService(t, append(flags, "--eventstore", "esdb://"+addr+"?tls=false")...)
	service.StartAPI("--roles", "api,projector,deliverer,keeper")
	var renderers [2]*harness.Process
	for i, name := range []string{"renderer-1", "renderer-2"} {
		renderers[i] = service.StartProcess(name, "--roles", "renderer", "--listen", harness.FreeAddr(t))
	}
	return service, renderers
}
