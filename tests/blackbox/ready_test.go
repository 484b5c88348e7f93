package blackbox_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"moviola/tests/harness"
	"moviola/tests/harness/servers"
)

// readiness is what /readyz of an operators' address answers; status 0 as long as nothing listens there.
func readiness(t *testing.T, ops string) (status int, body string) {
	t.Helper()
	res, err := http.Get("http://" + ops + "/readyz")
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(raw)
}

// TestReady: a process whose MongoDB or S3 does not answer is not ready and names it, on every role, while it stays alive; it is ready again
// when the store answers again.
func TestReady(t *testing.T) {
	t.Parallel()
	blobs, environment := servers.StartS3Bucket(t)
	environment = append(environment, "MOVIOLA_SECRET=0123456789abcdef0123456789abcdef")
	s3, err := url.Parse(blobs)
	if err != nil {
		t.Fatal(err)
	}
	query := s3.Query()
	endpoint, err := url.Parse(query.Get("endpoint"))
	if err != nil {
		t.Fatal(err)
	}
	mongo, err := url.Parse(harness.StartMongo(t))
	if err != nil {
		t.Fatal(err)
	}
	toFiles, toDocuments := harness.NewWire(t, endpoint.Host), harness.NewWire(t, mongo.Host)
	endpoint.Host, mongo.Host = toFiles.Addr, toDocuments.Addr
	query.Set("endpoint", endpoint.String())
	s3.RawQuery = query.Encode()

	store := harness.FreeAddr(t)
	harness.StartEventStore(t, t.TempDir()+"/events", store)
	service := harness.NewService(t, "--eventstore", "esdb://"+store+"?tls=false", "--mongo", mongo.String(), "--blobs", s3.String())
	service.Environment = environment
	all := map[string]string{}
	for _, role := range []string{"api", "projector", "renderer", "deliverer", "keeper"} {
		all[role] = harness.FreeAddr(t)
		if role == "api" {
			service.LaunchAPI("--roles", role, "--ops-listen", all[role])
			continue
		}
		service.StartProcess(role, "--roles", role, "--ops-listen", all[role], "--listen", harness.FreeAddr(t))
	}
	service.WaitReady()
	for check, wire := range map[string]*harness.Wire{"files": toFiles, "documents": toDocuments} {
		for role, ops := range all {
			harness.Eventually(t, role+" is ready", func() bool {
				status, _ := readiness(t, ops)
				return status == http.StatusOK
			})
		}
		wire.Hold()
		for role, ops := range all {
			harness.Eventually(t, role+" says that its "+check+" are away", func() bool {
				status, body := readiness(t, ops)
				return status == http.StatusServiceUnavailable && strings.Contains(body, `"`+check+`":`) && !strings.Contains(body, `"`+check+`":"ok"`)
			})
			get(t, "http://"+ops+"/healthz")
		}
		wire.Mend()
	}
}
