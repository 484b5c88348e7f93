package deploy

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// ours are the services of each file that are containers of ours.
var ours = map[string][]string{
	"one.yaml": {"moviola"}, "small.yaml": {"moviola"}, "cluster.yaml": {"api", "keeper", "projector", "renderer"},
}

// asked are the variables that the files ask the operator for.
var asked = []string{
	"MOVIOLA_HOST=video.example.com", "S3_HOST=s3.example.com", "N8N_HOST=n8n.example.com", "S3_KEY=k", "S3_SECRET=s", "EVENTSTORE_PASSWORD=p",
	"MOVIOLA_SECRET=" + strings.Repeat("s", 40),
}

// loaded is a compose file as Compose reads it.
func loaded(t *testing.T, file string) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{filepath.Join(root, "deploy", "compose", file)}, cli.WithEnv(asked))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return project
}

// The program takes the command and the variables of each of its containers, and listens where they publish ports.
func TestCompose(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "deploy", "compose", "*.yaml"))
	if err != nil || len(files) != len(ours) {
		t.Fatalf("%v, %v", files, err)
	}
	for file, services := range ours {
		project := loaded(t, file)
		for _, name := range services {
			t.Run(file+"/"+name, func(t *testing.T) { checkService(t, project, project.Services[name]) })
		}
		for name, service := range project.Services {
			if mine := strings.HasPrefix(service.Image, "moviola"); mine != slices.Contains(services, name) {
				t.Errorf("%s: %s runs %s", file, name, service.Image)
			}
			if image := service.Image; !strings.HasPrefix(image, "moviola") && (!strings.Contains(image, ":") || strings.HasSuffix(image, ":latest")) {
				t.Errorf("%s: %s runs %s, whatever that is on a day", file, name, image)
			}
		}
	}
}

func checkService(t *testing.T, project *types.Project, service types.ServiceConfig) {
	t.Helper()
	env := map[string]string{}
	for name, value := range service.Environment {
		env[name] = *value
	}
	bringSecrets(t, project, service, env)
	set := container{service.Name, service.Command, env}.check(t)
	for _, published := range service.Ports {
		target := []string{port(t, set["listen"]), port(t, set["ops-listen"])}
		if !slices.Contains(target, fmt.Sprint(published.Target)) {
			t.Errorf("port %d is published; it listens on %v", published.Target, target)
		}
		if fmt.Sprint(published.Target) == target[1] && published.HostIP != "127.0.0.1" {
			t.Errorf("the operators' port is published on %q", published.HostIP)
		}
	}
	enoughTime(t, time.Duration(*service.StopGracePeriod), set)
	if !slices.ContainsFunc(service.Volumes, func(v types.ServiceVolumeConfig) bool { return v.Target == set["data"] }) {
		t.Errorf("%s is lost with the container", set["data"])
	}
	if !service.ReadOnly || !slices.Equal(service.CapDrop, []string{"ALL"}) || !slices.Contains(service.SecurityOpt, "no-new-privileges") {
		t.Errorf("read only %v, without %v, %v", service.ReadOnly, service.CapDrop, service.SecurityOpt)
	}
	for _, option := range service.SecurityOpt {
		if profile, ok := strings.CutPrefix(option, "seccomp="); ok {
			if _, err := os.Stat(filepath.Join(root, "deploy", "compose", profile)); err != nil {
				t.Error(err)
			}
		}
	}
}

// bringSecrets puts files with examples where variables say that secrets are.
func bringSecrets(t *testing.T, project *types.Project, service types.ServiceConfig, env map[string]string) {
	t.Helper()
	examples := map[string]string{
		"eventstore": "esdb://admin:word@kurrent1:2113,kurrent2:2113,kurrent3:2113?tlsCAFile=/run/secrets/ca",
		"mongo":      "mongodb://mongo1,mongo2,mongo3/moviola?replicaSet=moviola", "admin-token": strings.Repeat("t", 40),
	}
	for name, value := range env {
		secret, ok := strings.CutPrefix(value, "/run/secrets/")
		if !ok {
			continue
		}
		mounted := slices.ContainsFunc(service.Secrets, func(s types.ServiceSecretConfig) bool { return s.Source == secret })
		if _, known := project.Secrets[secret]; !known || !mounted || examples[secret] == "" {
			t.Errorf("%s is %s, which is not there", name, value)
		}
		env[name] = filepath.Join(t.TempDir(), secret)
		if err := os.WriteFile(env[name], []byte(examples[secret]+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
