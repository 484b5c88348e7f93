package style_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "moviola/"

// layer is a row of the import table: packages below the prefix may import packages below the allowed ones.
type layer struct {
	prefix  string
	allowed []string
	reason  string
}

// layers is searched from the top; the first prefix that fits a package rules it.
var layers = []layer{
	{"domain", []string{"domain"}, "the rules depend on nothing"},
	{"eventstore/storetest", []string{"eventstore", "domain"}, "a suite knows the interface it tests"},
	{"eventstore/memory", []string{"eventstore", "domain"}, "an event store knows the Store interface"},
	{"eventstore/eventstoredb", []string{"eventstore", "domain"}, "an event store knows the Store interface"},
	{"eventstore/archived", []string{"eventstore", "domain"}, "an event store knows the Store interface"},
	{"eventstore/embedded/logfile", []string{"eventstore/embedded/logfile"}, "the file of the log knows no protocol and no caller"},
	{"eventstore/embedded/wire", []string{"eventstore/embedded/logfile"}, "messages are made of records, whoever asks"},
	{"eventstore/embedded/entry", []string{"eventstore", "eventstore/embedded/logfile", "eventstore/embedded/wire", "internal/certificate"},
		"who may connect does not depend on what is asked"},
	{"eventstore/embedded", []string{"eventstore", "domain", "internal/certificate"}, "the server is no client of the service"},
	{"eventstore", []string{"domain"}, "the codec knows the events"},
	{"commands/storage", []string{"domain"}, "what is said of a file knows no use case"},
	{"commands/ledgers", []string{"domain", "eventstore"}, "credits know no use case that spends them"},
	{"commands", []string{"domain", "eventstore", "commands", "internal/fair", "internal/quota"}, "a use case knows no HTTP and no driver"},
	{"projections", []string{"domain", "eventstore", "projections"}, "a read model decides nothing"},
	{"handlers/http", []string{"domain", "commands", "projections", "eventstore", "handlers/http", "docs", "third_party", "internal/fair", "internal/quota"},
		"drivers of the use cases know no adapter, and a request waits for no background work"},
	{"handlers/console", []string{"domain", "commands/accounts", "projections/keyring", "handlers/http/access", "handlers/http/web"},
		"the console speaks the public interface only, and adds sessions to it"},
	{"handlers/mcp", []string{"domain", "docs", "handlers/http"}, "a tool asks the HTTP interface, and decides nothing itself"},
	{"handlers/background/claims", []string{"domain", "commands", "projections", "eventstore"}, "a claim is held alike, whatever was claimed"},
	{"handlers/background/clearing", []string{"domain", "commands", "projections", "eventstore"},
		"what is removed does not depend on who asks for it"},
	{"handlers/background/submitted", []string{"domain", "commands", "eventstore", "handlers/background/claims"},
		"what was submitted is the same for every kind of work"},
	{"handlers/background/delivery", []string{"domain", "commands", "projections", "eventstore", "handlers/background/claims",
		"handlers/background/submitted"}, "a delivery knows no work list and no other kind of work"},
	{"handlers/background", []string{"domain", "commands", "projections", "eventstore", "handlers/background", "internal/fair", "internal/quota"},
		"drivers of the use cases know no adapter, and background work knows no HTTP resource"},
	{"internal/drawing", []string{"domain", "commands", "internal/drawing", "third_party"}, "drawing starts no program and knows no adapter"},
	{"internal/host", []string{"domain", "adapters/workqueue", "internal/oom"}, "a process knows its machine before its parts"},
	{"internal/accountkeys", []string{"domain", "eventstore", "internal/accountkeys"}, "keys know nothing of what they encrypt"},
	{"internal/stores", []string{"domain", "adapters", "eventstore", "projections", "internal/accountkeys", "internal/background", "internal/config", "internal/quota", "internal/secret"},
		"stores are opened without knowing who uses them"},
	{"internal/wal", nil, "a write-ahead log is emptied without knowing what the file stores"},
	{"internal/clouds", nil, "clouds are opened without knowing what is stored there"},
	{"internal/secret", []string{"domain", "adapters/vault"}, "keys are derived without knowing flags or wiring"},
	{"internal/config", []string{"domain", "adapters", "internal/jail", "internal/secret"}, "flags know the values they fill, and no use case"},
	{"internal/extract", []string{"domain", "eventstore", "projections", "adapters/sqlite", "handlers/http/web", "internal/extract"}, "tables know the read models, not where they are"},
	{"internal/cli/remote", []string{"domain", "handlers/http", "handlers/mcp", "internal/cli/exit", "internal/cli/input", "internal/cli/progress", "internal/config", "internal/drawing"},
		"what asks a running service opens no store"},
	{"internal/cli/audits", []string{"domain", "eventstore", "projections", "handlers/http/web", "internal/cli/eventstores", "internal/config",
		"internal/stores"}, "credits are recomputed from the log, without the parts of a service"},
	{"internal/metrics", []string{"domain", "eventstore", "handlers/background/processors"}, "what is counted knows no wiring"},
	{"adapters/render/artwork", []string{"domain", "commands", "adapters/render/workspace", "internal/drawing"},
		"what is drawn in this process starts no program"},
	{"adapters/render/mp4file", []string{"domain", "internal/h264"}, "MP4 files are read and written without a program"},
	{"adapters/render/workspace", []string{"domain", "commands", "internal/quota"}, "what is on the disk does not depend on how movies are made"},
	{"adapters/assets/examine", []string{"domain", "commands"}, "what a file is does not depend on where it came from"},
	{"adapters", []string{"domain", "eventstore", "commands", "projections", "third_party", "internal/drawing", "internal/oom", "internal/jail", "internal/fair", "internal/pressure", "internal/quota", "internal/h264", "internal/clouds", "internal/wal"}, "adapters implement ports, and know no other adapter"},
}

// stdOnly are the packages that may import nothing from outside the standard library and this module.
var stdOnly = []string{"domain"}

// drivers may be imported below the named packages only.
var drivers = map[string][]string{
	"github.com/EventStore/EventStore-Client-Go": {"eventstore/eventstoredb", "eventstore/embedded", "eventstore/storetest/cluster"},
	"go.mongodb.org/mongo-driver":                {"adapters/mongodb", "adapters/sqlite"},
	"zombiezen.com/go/sqlite":                    {"adapters/sqlite", "adapters/blobs", "eventstore/embedded", "internal/wal"},
	"github.com/gorilla/mux":                     {"handlers/http", "handlers/console", "handlers/mcp", "internal/app"},
	"github.com/modelcontextprotocol":            {"handlers/mcp", "internal/cli"},
	"github.com/ThreeDotsLabs/watermill":         {"handlers/background/processors", "adapters/workqueue", "internal/app"},
	"github.com/prometheus":                      {"internal/metrics", "internal/app", "handlers/http/ops"},
	"github.com/coreos/go-oidc":                  {"adapters/oidc"},
	"gocloud.dev":                                {"adapters/blobs", "adapters/buckets", "internal/clouds"},
}

type pkg struct {
	ImportPath string
	Imports    []string
	Standard   bool
}

// TestImports enforces the direction of imports: handlers → commands, projections → eventstore → domain, adapters → ports.
func TestImports(t *testing.T) {
	t.Parallel()
	for _, p := range listPackages(t) {
		own, ok := strings.CutPrefix(p.ImportPath, module)
		if !ok {
			continue
		}
		for _, imported := range p.Imports {
			if inner, ok := strings.CutPrefix(imported, module); ok {
				checkInner(t, own, inner)
				continue
			}
			checkOuter(t, own, imported)
		}
	}
}

func checkInner(t *testing.T, own, imported string) {
	t.Helper()
	for _, l := range layers {
		if !below(own, l.prefix) {
			continue
		}
		if l.prefix == "adapters" && below(imported, "adapters") && adapterOf(own) == adapterOf(imported) {
			return
		}
		for _, a := range l.allowed {
			if below(imported, a) {
				return
			}
		}
		t.Errorf("%s imports %s: %s", own, imported, l.reason)
		return
	}
}

func checkOuter(t *testing.T, own, imported string) {
	t.Helper()
	for _, prefix := range stdOnly {
		if below(own, prefix) && strings.Contains(strings.Split(imported, "/")[0], ".") {
			t.Errorf("%s imports %s: it may use the standard library only", own, imported)
		}
	}
	for driver, homes := range drivers {
		if !strings.HasPrefix(imported, driver) || below(own, "tests") {
			continue
		}
		allowed := false
		for _, home := range homes {
			allowed = allowed || below(own, home)
		}
		if !allowed {
			t.Errorf("%s imports %s, which belongs to %s", own, imported, strings.Join(homes, ", "))
		}
	}
}

// below reports whether path is prefix or lies in its folder.
func below(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}

// adapterOf is the folder of one technology: adapters/render of internal/drawing/text.
func adapterOf(path string) string {
	parts := strings.SplitN(path, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

func listPackages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,Standard", "moviola/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("go list printed: %v", err)
		}
		packages = append(packages, p)
	}
	if len(packages) < 10 {
		t.Fatalf("go list found %d packages only", len(packages))
	}
	return packages
}
