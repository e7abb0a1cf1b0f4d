# Overcrank. The main job: make demo. The tests: make test.

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
GO      ?= go
LDFLAGS := -s -w -X main.version=$(VERSION)
KEEP    ?=
BENCH   ?=
FUZZTIME ?= 20s
DURATION ?= 10m
SEED    ?=

.DEFAULT_GOAL := build
.PHONY: build generate lint test demo chaos bench fuzz release-checks pictures clean

## build: the binary, bin/overcrank
build:
	@mkdir -p bin
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/overcrank ./cmd/overcrank

## demo: an After Effects project becomes a film, without any Adobe software. KEEP=1 leaves the farm up.
demo:
	@scripts/require ffmpeg fonts
	@$(MAKE) --no-print-directory build
	@bin/overcrank demo --dir demo-output $(if $(KEEP),--keep)

## test: all tests, under the race detector where races can be. Four packages at a time, since most tests wait most of the time
test: export GOFLAGS += -trimpath
test:
	@scripts/require ffmpeg fonts browser node python
	@# The S3 server of the tests is large: built first, so that no test has to wait beside its compiler.
	-@CGO_ENABLED=0 $(GO) build -modfile=tools/s3.mod -o /dev/null github.com/versity/versitygw/cmd/versitygw
	$(GO) test -race -vet=off -p 4 -timeout 20m $(filter-out $(WITHOUT_RACE),$(shell $(GO) list ./...))
	$(GO) test -race -vet=off -run '$(FRAMES_AT_ONCE)' ./engine/render
	CGO_ENABLED=0 $(GO) test -vet=off -p 4 -timeout 20m $(WITHOUT_RACE)
	CGO_ENABLED=0 $(GO) test -vet=off -run '$(PROPERTIES)' ./raftstore/...

# What draws, scripts and plans on one goroutine gains nothing of the race detector, which makes it ten times as slow. house_test.go holds the
# list to that; engine/render draws several frames at once, and the tests of that run under the detector too.
ONE_GOROUTINE := $(addprefix overcrank/,agent/script coordinator/schedule engine/raster engine/render)
FRAMES_AT_ONCE := TestFramesComeInOrder|TestRenderingEnds|TestFilmsAreGivenBack|TestAnExpressionThatNeverEnds|TestWhatIsKeptBetweenFrames
# Whole farms under the race detector are those to which something happens while they work.
PLAIN_FARMS := $(addprefix overcrank/cmd/overcrank/farmtest/,backups clients films pages)
WITHOUT_RACE = $(ONE_GOROUTINE) $(PLAIN_FARMS)
# Properties of the state, of which the race detector sees a quarter of the cases.
PROPERTIES := TestAnyStateIsPutBack|TestAnyStateTakesThePlace|TestRandomFamilies|TestSplitJobsAlwaysEnd|TestRandomCommands|TestFingerprintsOfThePast

## chaos: three coordinators and eight agents work for DURATION while they are killed, frozen and cut off; SEED repeats a run
chaos:
	@scripts/require ffmpeg
	OVERCRANK_CHAOS=$(DURATION) OVERCRANK_CHAOS_SEED=$(SEED) $(GO) test -timeout 24h -count 1 -run '^TestChaos$$' -v ./cmd/overcrank/chaos

## generate: the code that templ makes of the pages
generate:
	$(GO) tool templ generate -lazy=false

## lint: what .ci/run checks before the tests
lint:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	GOOS=windows $(GO) vet ./agent/... ./cmd/...
	GOOS=darwin $(GO) vet ./agent/... ./cmd/...
	$(GO) tool -modfile=tools/lint.mod golangci-lint run

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
	$(MAKE) --no-print-directory bench
	$(MAKE) --no-print-directory bench BENCH=million
	$(MAKE) --no-print-directory fuzz
	$(MAKE) --no-print-directory chaos DURATION=10m SEED=1
	$(MAKE) --no-print-directory chaos DURATION=10m SEED=2

## pictures: the pictures in the documentation, taken of the real dashboard
pictures:
	@scripts/require ffmpeg fonts browser
	OVERCRANK_PICTURES=$(CURDIR)/docs/pictures $(GO) test -count 1 -run '^TestAProducer|^TestAStudio|^TestAPage' ./cmd/overcrank/farmtest/pages

clean:
	rm -rf bin dist demo-output
