# Moviola: everything a developer types. `make help` lists it.
.DEFAULT_GOAL := help

TOOL    := go tool -modfile=tools/go.mod
LDFLAGS := -s -w -X moviola/internal/config.Version=$(shell git describe --tags --always 2>/dev/null || echo dev)
ARGS    ?=

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## install what is missing and start the service (ARGS="--listen :9000")
	@scripts/deps.sh run
	./bin/moviola serve $(ARGS)

build: ## build bin/moviola, a static binary
	scripts/build.sh bin/moviola -ldflags "$(LDFLAGS)"

# The race detector makes pictures and parsers many times slower, and has nothing to find where nothing runs beside anything else. Packages
# without a goroutine (PURE) are tested without it only, and so are the test files of other packages that say //go:build !race. What takes
# longest comes first.
PURE := ^moviola/domain|^moviola/adapters/(assets/examine|render/mp4file)$$|^moviola/internal/(h264|drawing/(canvas|component|picture|goldentest))$$

release: ## build dist/: binaries for amd64 and arm64, man pages, completions, an SBOM of each and checksums, of the tag that is checked out
	scripts/release.sh dist

test: ## run every test, black-box ones on the built binary, packages under the race detector
	@scripts/deps.sh test
	scripts/beside.sh "$(MAKE) test-packages" "$(MAKE) test-modules"
	scripts/norace.sh "./tests/blackbox ./tests/hostile ./tests/... $$(go list ./... | grep -E '$(PURE)' | tr '\n' ' ')" -p 2 -timeout 60m

test-packages:
	scripts/test.sh "./adapters/render ./adapters/browser ./eventstore/embedded $$(go list ./... | grep -vE '^moviola/tests|$(PURE)' | tr '\n' ' ')" -race -p 3 -timeout 60m

# Modules of their own, so that what they need never enters ours. They wait for most of their time.
test-modules: export CGO_ENABLED=0
test-modules:
	cd tests/mongo && go test -timeout 60m ./...
	cd client && go vet ./... && go test -count=1 ./...
	cd console/build && go test -count=1 ./...
	cd tests/console && go test -count=1 -timeout 60m ./...

FAST := grep -vE '/drawing|/adapters/(render|browser|speech|assets|images|ftp)|/eventstore/(embedded|eventstoredb|storetest)'

test-fast: ## unit and contract tests that start no program, without the race detector: for the loop while you write
	@go test $$(go list ./domain/... ./commands/... ./eventstore/... ./projections/... ./handlers/... ./adapters/... ./internal/... ./tests/style | $(FAST))

test-one: ## one test anew, under the race detector: make test-one P=./handlers/http/movies T=TestList
	go test -race -count=1 -v -run '$(T)' $(P)

test-race: ## the black-box tests on a binary built with the race detector
	@scripts/deps.sh test
	MOVIOLA_TEST_RACE=1 scripts/test.sh ./tests/... -race -timeout 90m

test-random: ## try new cases in property tests and fuzz targets: make test tries the same ones each time
	@scripts/deps.sh test
	scripts/random.sh 20000
	scripts/fuzz.sh 100000x ./handlers/... ./domain/...

test-long: ## the long versions of the fault tests; a million cases for each fuzz target of what clients send
	@scripts/deps.sh test
	MOVIOLA_TEST_LONG=1 go test -timeout 240m ./domain/ledger ./internal/h264 ./commands/... ./eventstore/... ./tests/...
	scripts/fuzz.sh 1000000x ./handlers/... ./domain/...

test-hostile: ## the corpora of malicious media and bodies, with a table of what became of it (MOVIOLA_TEST_LONG=1: all of it)
	@scripts/deps.sh test
	CGO_ENABLED=0 go test -v -timeout 240m -bench Time -benchtime 1x ./tests/hostile ./tests/bodies

test-faults: ## break an installation in roles for three minutes and hold it against its clients' journals (MOVIOLA_FAULTS_TIME=2h, MOVIOLA_FAULTS_SEED=7)
	@scripts/deps.sh test
	MOVIOLA_FAULTS_TIME=$(or $(MOVIOLA_FAULTS_TIME),3m) MOVIOLA_FAULTS_SEED=$(MOVIOLA_FAULTS_SEED) MOVIOLA_FAULTS_KIND=$(MOVIOLA_FAULTS_KIND) CGO_ENABLED=0 go test -v -count=1 -timeout 24h -run TestFaults ./tests/faults

test-alerts: ## let Prometheus watch an installation that breaks: every alert fires and clears, every panel has data (15 minutes)
	@scripts/deps.sh test
	MOVIOLA_WATCH=1 CGO_ENABLED=0 go test -v -count=1 -timeout 2h -run TestWatch ./tests/watch

test-release: ## make a release of a copy of the sources for every architecture, and look at what is in it
	@scripts/deps.sh test
	MOVIOLA_RELEASE=1 CGO_ENABLED=0 go test -v -count=1 -timeout 1h ./tests/release

test-cluster: ## elect, freeze and lose the nodes of a cluster of event stores for three minutes under a service (MOVIOLA_CLUSTER_TIME=1h)
	@scripts/deps.sh test
	MOVIOLA_CLUSTER_TIME=$(or $(MOVIOLA_CLUSTER_TIME),3m) CGO_ENABLED=0 go test -v -count=1 -timeout 24h -run TestCluster ./tests/faults

test-deploy: ## deploy/: the chart by Helm's engine and the types of Kubernetes, the compose files by compose-go, their flags and variables by the program; alerts by promtool, queries by the parser of Prometheus
	@scripts/deps.sh test
	cd tests/deploy && CGO_ENABLED=0 go test -vet=off -count=1 -timeout 20m ./...

image: ## build both images of deploy/Dockerfile without a registry and say how large they are (needs buildah and mmdebstrap, and root)
	scripts/image.sh

test-clients: build ## clients that nobody here wrote: the official Node SDK renders a movie, generated types know every property (needs node and npm)
	@scripts/deps.sh test
	tests/clients/run.sh

test-n8n: ## n8n 1.123.0 runs the workflows of deploy/migrate/n8n against a service; installs 1.6 GB and removes them (MOVIOLA_TEST_N8N_HOME=FOLDER: keeps them)
	@scripts/deps.sh test
	tests/n8n/run.sh

audit-deps: ## licences of all that is shipped, known vulnerabilities (MOVIOLA_VULNDB=folder of a copy of vuln.go.dev), tested versions of system packages
	go build -C tools -o ../bin/auditdeps ./auditdeps
	./bin/auditdeps

mutate-guard: ## take the guard's lines away one by one; a test has to notice each
	go run ./tests/mutateguard

bench: bench-eventstore bench-render bench-api bench-ledger bench-access bench-delivery bench-media bench-previews ## measure everything beside this machine's limits

bench-eventstore: ## appends, reads, delivery, start and memory of the event store
	@scripts/deps.sh test
	go test -run '^$$' -bench BenchmarkTable -benchtime 1x -timeout 30m ./eventstore/embedded/

bench-render: ## whole movies by us, by the best ffmpeg graphs in tests/bench/hand, and their frames by x264 alone (MOVIOLA_BENCH_RUNS=1, MOVIOLA_BENCH_PODCAST=60 for a short run, MOVIOLA_BENCH_CASES="text slides,podcast with words" for some); again, one caption changed, memory
	@scripts/deps.sh test
	CGO_ENABLED=0 go test -run '^$$' -bench BenchmarkRender -benchtime 1x -timeout 240m ./tests/bench/

bench-api: ## submissions and answers beside fsyncs and a bare handler, with up to a million movies in history (MOVIOLA_BENCH_HISTORY=100000 for fewer)
	@scripts/deps.sh test
	CGO_ENABLED=0 go test -run '^$$' -bench BenchmarkTable -benchtime 1x -timeout 60m ./tests/bench/

bench-scale: ## an installation in roles with a million movies: memory of each process, lists, lag, audit, backup, export, rebuild (MOVIOLA_BENCH_HISTORY=100000 for fewer)
	@scripts/deps.sh test
	CGO_ENABLED=0 go test -run '^$$' -bench BenchmarkScale -benchtime 1x -timeout 240m ./tests/bench/

bench-media: ## uploads and downloads beside plain copies over loopback HTTP, their memory, and a folder of 100,000 files
	CGO_ENABLED=0 go test -run '^$$' -bench BenchmarkMedia -benchtime 1x -timeout 60m ./tests/bench/

bench-previews: ## stills of movies from the field whose sources are at hand, and a render beside 10,000 previews of another account (MOVIOLA_EXAMPLES=folder of movies)
	@scripts/deps.sh test
	CGO_ENABLED=0 go test -run '^$$' -bench BenchmarkPreviews -benchtime 1x -timeout 60m ./tests/bench/

bench-ledger: ## holds on a ledger with a million renders beside a new one, and the audit beside a read of the log (MOVIOLA_BENCH_HISTORY=100000 for fewer)
	go test -run '^$$' -bench BenchmarkLedger -benchtime 1x -timeout 60m ./tests/books/

bench-year: ## the log, the archive and the start of both in a year of 1,000 movies a day with --history 720h (MOVIOLA_BENCH_MOVIES=20 for fewer a day)
	go test -run '^$$' -bench BenchmarkYear -benchtime 1x -timeout 240m ./tests/books/
bench-access: ## what it costs to find out who holds a key, with 100,000 of them known
	go test -run '^$$' -bench BenchmarkAuthenticate ./handlers/http/access/

bench-delivery: ## deliveries beside a bare HTTP client and the store's appends
	@scripts/deps.sh test
	CGO_ENABLED=0 go test -run '^$$' -bench BenchmarkDelivery -benchtime 3s -timeout 30m ./tests/delivery/

console: ## build the console's files from console/src, without Node (handlers/console/built; they are committed)
	cd console/build && go run .

console-pictures: ## take the pictures of every page of the consoles anew, in both schemes and at two widths, into docs/images/console
	cd tests/console && MOVIOLA_TEST_PICTURES=$(CURDIR)/docs/images/console CGO_ENABLED=0 go test -count=1 -timeout 20m -run '_(axe|looks)$$' .
	rm -f docs/images/console/*-light-390.png docs/images/console/*-dark-1280.png

gallery: build ## render docs/gallery anew
	@scripts/deps.sh run
	go run ./tests/gallery

# Without cgo, as the program is built and most tests are: what one compiles the others find compiled.
lint: ## static checks
	CGO_ENABLED=0 go vet ./...
	CGO_ENABLED=0 $(TOOL) staticcheck ./...
	CGO_ENABLED=0 $(TOOL) errcheck -exclude tools/errcheck.txt ./...
	scripts/deadcode.sh
	$(TOOL) gocyclo -over 15 -ignore '_test\.go$$|third_party' .

fmt: ## format the code
	gofmt -w $$(git ls-files '*.go')

generate: ## regenerate golden files
	go generate ./...

check: ## what must hold before every commit: format, lint, go.mod
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -d $$(git ls-files '*.go'); exit 1; }
	$(MAKE) --no-print-directory lint
	go mod tidy -diff
	go mod verify

.PHONY: release test-release test-packages test-modules test-hostile image test-deploy help run build test test-fast test-one test-race test-random test-long test-faults test-alerts test-cluster test-clients test-n8n bench bench-eventstore bench-render bench-api bench-ledger bench-year bench-access bench-media bench-previews bench-scale console console-pictures gallery lint fmt generate check audit-deps mutate-guard bench-delivery
