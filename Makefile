# Overcrank. The main job: make demo. The tests: make test. For machines of others: make packages.

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
GO      ?= go
LDFLAGS := -s -w -X main.version=$(VERSION)
KEEP    ?=
BENCH   ?=
FUZZTIME ?= 20s
DURATION ?= 10m
SEED    ?=
RACE    ?=
FOR     ?=
SAMPLES ?= ../shared/samples
ARCH    ?=

comma := ,
space := $() $()

.DEFAULT_GOAL := build
.PHONY: build generate lint test test-farms demo chaos bench fuzz fidelity release-checks pictures packages test-packages flags clean

# Nobody debugs what is built here: without debugging information the compiler has a fifth less to do. Programs, tests, checks and packages share what
# is compiled: all have the same flags, and only the race detector needs cgo. It does not watch over what others wrote that computes on the goroutine
# of its caller: keys of passphrases alone took a quarter of the time of the API's tests under it. A fifth of what a compiler does is collecting
# garbage, which it has less of with GOGC=400.
COMPUTES := golang.org/x/crypto golang.org/x/image golang.org/x/text github.com/dop251/goja github.com/klauspost/compress github.com/andybalholm/brotli regexp
build demo generate lint test test-farms chaos packages test-packages flags: export GOFLAGS += -trimpath -gcflags=all=-dwarf=false \
	$(foreach module,$(COMPUTES),'-gcflags=$(module)/...=-dwarf=false -race=false') '-toolexec=env GOGC=400'
build demo generate lint packages test-packages: export CGO_ENABLED = 0

# The linters collect less garbage too.
lint: export GOGC = 400

# Agents step back behind what else a machine does. Beside compilers and three other packages of tests they would stand for minutes.
test test-farms chaos: export OVERCRANK_AGENT_PRIORITY = normal

# Debian's ffmpeg comes with a recogniser of speech, and with it whichever BLAS the machine has. OpenBLAS is a third of each start of ffmpeg, of which the
# tests have thousands, and half of its time: where the small one is there too, they take that.
test test-farms chaos: export LD_LIBRARY_PATH := $(subst $(space),:,$(strip $(wildcard /usr/lib/*-linux-gnu/blas /usr/lib/*-linux-gnu/lapack) $(LD_LIBRARY_PATH)))

## build: the programs: bin/overcrank is the whole farm, bin/overcrank-agent what a workstation needs of it, bin/overcrank-launcher what keeps that running
build:
	@mkdir -p bin
	$(GO) build -ldflags '$(LDFLAGS)' -o bin ./cmd/overcrank ./cmd/overcrank-agent ./cmd/overcrank-launcher

## demo: an After Effects project becomes a film, without any Adobe software. KEEP=1 leaves the farm up.
demo:
	@scripts/require ffmpeg fonts
	@$(MAKE) --no-print-directory build
	@bin/overcrank demo --dir demo-output $(if $(KEEP),--keep)

## test: the tests of every room, and of whole farms those that matter most. RACE=1 puts what runs at once under the race detector, farms in trouble too
test:
	@scripts/require ffmpeg fonts browser node python strace deflate desktop
	@# The S3 server of the tests is large: built first, so that no test has to wait beside its compiler.
	-@CGO_ENABLED=0 $(GO) build -modfile=tools/s3.mod -o /dev/null ./agent/upload/s3test/testdata/versitygw
ifeq ($(RACE),)
	CGO_ENABLED=0 $(GO) test -vet=off -p 4 -timeout 20m $(DEAREST) $(filter-out $(DEAREST),$(ROOMS))
	CGO_ENABLED=0 $(GO) test -vet=off -p 4 -timeout 20m -run '$(FIRST_OF_FARMS)' $(FARMS)
else
	$(GO) test -race -vet=off -p 4 -timeout 20m -skip '$(ONE_AFTER_ANOTHER)' $(DEAREST) $(TROUBLE) $(filter-out $(DEAREST) $(ONE_GOROUTINE),$(ROOMS))
	$(GO) test -race -vet=off -run '$(FRAMES_AT_ONCE)' ./engine/render
	CGO_ENABLED=0 $(GO) test -vet=off -p 4 -timeout 20m $(ONE_GOROUTINE)
	CGO_ENABLED=0 $(GO) test -vet=off -p 4 -run '$(ONE_AFTER_ANOTHER)' ./raftstore ./raftstore/tables ./agent ./web/language
endif
	$(GO) -C installers test -vet=off ./...

## test-farms: all tests of whole farms, and the dashboard in a browser
test-farms:
	@scripts/require ffmpeg fonts browser node python strace desktop
	@# The program too: tests of farms need all of it at once.
	@CGO_ENABLED=0 $(GO) build -o /dev/null ./cmd/overcrank
	CGO_ENABLED=0 $(GO) test -vet=off -p 4 -timeout 45m $(FARMS)

# Packages are begun in the order in which go is told of them: those that take longest come first, so that none of them is alone at the end.
DEAREST := $(addprefix overcrank/,coordinator api web agent raftstore cmd/overcrank cmd/overcrank/workstation engine/aerender)
FARMS := $(addprefix overcrank/cmd/overcrank/farmtest/,pages films clients machines cluster trouble backups)
TROUBLE := overcrank/cmd/overcrank/farmtest/trouble
ROOMS = $(filter-out $(FARMS),$(shell $(GO) list ./...))

# Of each subject of farms what would hurt most: acknowledged jobs and films when machines, coordinators and engines die, a farm that grows and one that is
# put back to a backup, jobs that are joined, results in a bucket, commands, generated clients, the dashboard from a template to its film.
FIRST_OF_FARMS := TestNothingAcknowledgedIsLostWhenEverythingIsKilled|TestAKilledEngineIsTriedAgain|TestUpRendersAJobIntoAFilm|TestRendersGoOnWhenTheLeaderIsKilled|TestAFarmOfOneBecomesAFarmOfThreeWhileItWorks|TestARunningFarmIsPutBackToABackup|TestATaskOfAKilledMachineIsDeliveredOnceByAnother|TestClipsAndNestedJobsAreJoined|TestAResultGoesToABucketInsteadOfTheFarm|TestASessionWithAFarm|TestTypedClientsWork|TestAProducerRendersInTheBrowser

# What reads, draws, scripts and plans on one goroutine gains nothing of the race detector, which makes it ten times as slow. house_test.go holds the
# list to that; engine/render draws several frames at once, and the tests of that run under the detector too.
ONE_GOROUTINE := $(addprefix overcrank/,aep/cos aep/rifx agent/doctor agent/film agent/script cmd/overcrank/previewing coordinator/backup coordinator/schedule engine/deep engine/digest engine/effect engine/eval engine/fidelity engine/footage/photoshop engine/footage/vector/pdf engine/footage/vector/svg engine/geom engine/likeness engine/preflight engine/profile engine/random engine/raster engine/render engine/shape engine/style engine/text/animate engine/text/cff engine/text/program farm/names farm/redact farm/variants ffmpeg/gather fontfile release)
FRAMES_AT_ONCE := TestFramesComeInOrder|TestRenderingEnds|TestFilmsAreGivenBack|TestAnExpressionThatNeverEnds|TestWhatIsKeptBetweenFrames|TestAFrameThatSeveral|TestAFaultOfAHelper
# Tests that do one thing after the other many times, in packages whose other tests run under the race detector: properties of the state,
# damaged files, films that must be the same however they were drawn, every text of the sources.
ONE_AFTER_ANOTHER = $(PROPERTIES)|$(DAMAGE)|$(SAME_FILMS)|$(TEXTS)
PROPERTIES := TestAnyStateIsPutBack|TestAnyStateTakesThePlace|TestRandomFamilies|TestSplitJobsAlwaysEnd|TestRandomCommands|TestFingerprintsOfThePast
DAMAGE := TestAFlippedBitOfTheStateFileIsFoundAtTheStart|TestTornLastPages|TestDamagedLogIsRefused|TestMarksAreRememberedForLong
SAME_FILMS := TestAFilmOfParts|TestAFilmThatAfterEffects
TEXTS := TestEachTextIsInEachLanguage|TestEachRefusalCanBeTranslated

# Tests that have one party do as much as it may: others are answered within 250 ms, which release-checks judges.
AT_A_BOUND := TestOneAddressAtItsBound|TestStrangersDoNotBlock|TestStrangersStreams|TestATeamsTemplatesLeave|TestAnArchiveWaits|TestThumbnailsOfAnAttempt|TestOneWho.*LeavesOthersRoom

## chaos: three coordinators and eight agents work for DURATION while they are killed, frozen and cut off; SEED repeats a run, RACE=1 has all of it look for races
chaos:
	@scripts/require ffmpeg
	OVERCRANK_CHAOS=$(DURATION) OVERCRANK_CHAOS_SEED=$(SEED) $(GO) test $(if $(RACE),-race) -vet=off -timeout 24h -count 1 -run '^TestChaos$$' -v ./cmd/overcrank/chaos

## generate: the code that templ makes of the pages
generate:
	$(GO) tool templ generate -lazy=false

## lint: what .ci/run checks before the tests. Of this system, go vet is one of the linters
lint:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) run ./tools/crossvet windows ./agent/... ./launcher/... ./cmd/...
	$(GO) run ./tools/crossvet darwin ./agent/... ./launcher/... ./cmd/...
	$(GO) tool -modfile=tools/lint.mod golangci-lint run
	cd installers && $(GO) tool -modfile=../tools/lint.mod golangci-lint run

## bench: the figures, for benchstat. BENCH=million measures a farm of a million jobs instead, in about ten minutes
bench:
ifeq ($(BENCH),million)
	OVERCRANK_BENCH_JOBS=1000000 $(GO) test -run '^$$' -bench 'Large/(fill|get|list)' -benchtime 2s -timeout 2h ./api
	@scripts/require ffmpeg fonts
	OVERCRANK_BENCH_JOBS=1000000 $(GO) test -run '^$$' -bench 'Million' -benchtime 1x -timeout 2h ./cmd/overcrank
else
	@scripts/require ffmpeg fonts
	$(GO) test -run '^$$' -bench . -benchmem -timeout 2h ./...
	@echo 'make bench BENCH=million measures a farm of a million jobs'
endif

## fuzz: every fuzz target for FUZZTIME
fuzz:
	@for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$pkg || exit 1; \
		done; \
	done

## release-checks: what runs before each release, in about two hours; its figures go into docs/benchmarks.md
release-checks:
	.ci/run
	OVERCRANK_FIGURES=1 $(GO) test -count 1 -v -run '^TestAnAgentAtRestTakesLittle$$' ./cmd/overcrank/farmtest/machines
	OVERCRANK_FIGURES=1 $(GO) test -count 1 -v -run '^TestThePreviewFollowsWhatIsTyped$$' ./cmd/overcrank/farmtest/pages
	OVERCRANK_FIGURES=1 $(GO) test -count 1 -p 1 -run '$(AT_A_BOUND)' ./inbound ./coordinator/internode ./gossip ./coordinator ./api
	OVERCRANK_FIGURES=1 OVERCRANK_PACKAGES=$(CURDIR)/dist $(GO) -C installers test -vet=off -count 1 -v -timeout 20m -run '^TestThePackageOnWindows$$' ./windows/winetest
	$(MAKE) --no-print-directory bench
	$(MAKE) --no-print-directory bench BENCH=million
	$(MAKE) --no-print-directory fuzz
	$(MAKE) --no-print-directory chaos DURATION=10m SEED=1
	$(MAKE) --no-print-directory chaos DURATION=10m SEED=2

## pictures: the pictures in the documentation, taken of the real dashboard, and docs/pages.md, which shows every page
pictures:
	@scripts/require ffmpeg fonts browser
	OVERCRANK_PICTURES=$(CURDIR)/docs/pictures $(GO) test -count 1 -timeout 45m -run '^TestAProducer|^TestAStudio|^TestAPage|^TestEveryPage|^TestTheDocumentation' ./cmd/overcrank/farmtest/pages

## fidelity: docs/fidelity.md, how like After Effects the embedded engine draws. SAMPLES is a folder of projects with what others drew of them
fidelity:
	@scripts/require ffmpeg fonts
	$(GO) run ./engine/fidelity -samples '$(SAMPLES)' -docs docs

## packages: what is installed on machines, in dist/. FOR=linux makes those of one system, ARCH=amd64 those of one processor
packages:
	@scripts/require $(if $(FOR),$(foreach system,$(subst $(comma), ,$(FOR)),$(TOOLS_$(system))),$(TOOLS_linux) $(TOOLS_windows) $(TOOLS_macos))
	$(GO) -C installers run ./build --root .. --dist ../dist --for '$(FOR)' --arch '$(ARCH)'

# What packages of each system are made with, by the names that scripts/require knows.
TOOLS_linux :=
TOOLS_windows := msi
TOOLS_macos := deflate
# What their tests read and install them with.
TESTED_WITH := ffmpeg fonts node packages deflate msi wine

## test-packages: packages are made, read by others' tools, installed, started and removed again. As root, in folders of their own
test-packages:
	@scripts/require $(TESTED_WITH)
	@$(MAKE) --no-print-directory packages ARCH=$(or $(ARCH),amd64)
	@OVERCRANK_PACKAGES=$(CURDIR)/dist $(GO) -C installers test -vet=off -count 1 -p 1 -timeout 20m -v ./... 2>&1 | scripts/tested installers/skips.txt

# What is built beside these targets finds what they have compiled with the flags that this prints.
flags:
	@echo "$$GOFLAGS"

clean:
	rm -rf bin dist demo-output
