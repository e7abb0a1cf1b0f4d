// Package house_test holds the house to its design: which room may import which.
package house_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// allowed lists, for each room, the other rooms it may import. docs/architecture.md draws the same picture.
var allowed = map[string][]string{
	"cmd":         {"web", "api", "coordinator", "agent", "engine", "aep", "farm", "durable", "outbound", "inbound", "interval", "faults", "release", "launcher", "panel", "ffmpeg"},
	"web":         {"api", "coordinator", "farm", "aep", "inbound", "panel"},
	"api":         {"coordinator", "farm", "aep", "inbound", "release"},
	"coordinator": {"raftstore", "gossip", "farm", "aep", "fontfile", "durable", "outbound", "inbound", "interval", "release"},
	"raftstore":   {"farm", "durable", "interval"},
	"agent":       {"gossip", "farm", "aep", "fontfile", "ffmpeg", "frames", "durable", "outbound", "interval", "memory", "release", "launcher"},
	"gossip":      {"farm", "inbound"},
	"engine":      {"aep", "ffmpeg", "frames", "memory"},
	"aep":         {},
	"panel":       {},
	"farm":        {},
	"fontfile":    {"farm"},
	"ffmpeg":      {"farm"},
	"frames":      {},
	"durable":     {},
	"outbound":    {"farm"},
	"inbound":     {},
	"interval":    {},
	"memory":      {},
	"release":     {"durable", "farm"},
	"launcher":    {"release", "durable", "interval"},
	"faults":      {"interval"},
	"installers":  {"launcher", "panel", "release", "durable", "farm"},
	"tools":       {},
}

// modules are the folders with a go.mod: the program's, and that of the tools that make its packages, whose dependencies the program does not have.
var modules = []string{".", "installers"}

type goPackage struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func TestImportsFollowTheDesign(t *testing.T) {
	for _, p := range packages(t) {
		room := roomOf(p.ImportPath)
		rooms, known := allowed[room]
		if !known {
			t.Errorf("%s: the room %q is not in the design", p.ImportPath, room)
			continue
		}
		if forTests(p.ImportPath) { // may import what tests may
			continue
		}
		for _, imp := range p.Imports {
			if forTests(imp) {
				t.Errorf("%s imports %s, which is for tests", p.ImportPath, imp)
			}
			if other := roomOf(imp); other != "" && other != room && !slices.Contains(rooms, other) {
				t.Errorf("%s imports %s: %s may import only %v", p.ImportPath, imp, room, rooms)
			}
		}
	}
}

// drawn reads the picture of docs/architecture.md: the lines below each room, and the arrows from room to room.
func drawn(t *testing.T) (rooms map[string]string, arrows map[string][]string) {
	t.Helper()
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	rooms, arrows = map[string]string{}, map[string][]string{}
	entry, room := regexp.MustCompile(`^    ([a-z]+)(?:/\S+)?\s{2,}\S`), ""
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.Contains(line, "→") && strings.HasPrefix(line, "    "):
			for chain := range strings.SplitSeq(regexp.MustCompile(`\s{3,}`).ReplaceAllString(strings.TrimSpace(line), "\n"), "\n") {
				links := strings.Split(chain, " → ")
				for i, from := range links[:len(links)-1] {
					for name := range strings.SplitSeq(from, ", ") {
						arrows[name] = append(arrows[name], strings.Split(strings.TrimSuffix(links[i+1], "nothing of ours"), ", ")...)
					}
				}
			}
		case entry.MatchString(line) && len(arrows) == 0:
			room = entry.FindStringSubmatch(line)[1]
			rooms[room] += line
		case room != "" && strings.HasPrefix(line, "     ") && len(arrows) == 0:
			rooms[room] += line
		case len(arrows) > 0 && strings.TrimSpace(line) == "":
			return rooms, arrows
		}
	}
	t.Fatal("docs/architecture.md has no picture")
	return nil, nil
}

// TestThePictureOfTheHouseIsTrue: what docs/architecture.md draws may be imported, and each room that may be imported can be reached by its arrows.
func TestThePictureOfTheHouseIsTrue(t *testing.T) {
	_, arrows := drawn(t)
	var reach func(from string, seen map[string]bool)
	reach = func(from string, seen map[string]bool) {
		for _, to := range arrows[from] {
			if !seen[to] {
				seen[to] = true
				reach(to, seen)
			}
		}
	}
	for room, rooms := range allowed {
		for _, to := range arrows[room] {
			if to != "" && !slices.Contains(rooms, to) {
				t.Errorf("docs/architecture.md has an arrow from %s to %s, which it may not import", room, to)
			}
		}
		reached := map[string]bool{}
		reach(room, reached)
		for _, to := range rooms {
			if !reached[to] {
				t.Errorf("no arrow of docs/architecture.md leads from %s to %s, which it may import", room, to)
			}
		}
	}
	for room := range arrows {
		if _, known := allowed[room]; !known {
			t.Errorf("docs/architecture.md draws %q, which is no room", room)
		}
	}
}

// TestThePictureNamesThePackages: of the rooms that are many packages, all but those that are for tests.
func TestThePictureNamesThePackages(t *testing.T) {
	rooms, _ := drawn(t)
	for _, p := range packages(t) {
		room, name := roomOf(p.ImportPath), p.ImportPath[strings.LastIndex(p.ImportPath, "/")+1:]
		if !slices.Contains([]string{"cmd", "api", "coordinator", "raftstore", "agent"}, room) || forTests(p.ImportPath) || name == room ||
			strings.Contains(p.ImportPath, "/internal/") || strings.Contains(p.ImportPath, "test/") || strings.Contains(p.ImportPath, "/chaos/") {
			continue
		}
		if !regexp.MustCompile(`\b` + name + `\b`).MatchString(rooms[room]) {
			t.Errorf("docs/architecture.md does not name %s", p.ImportPath)
		}
	}
}

func TestVocabularyIsPure(t *testing.T) {
	impure := []string{"os", "net", "net/http", "math/rand", "math/rand/v2", "crypto/rand", "os/exec", "log"}
	for _, p := range packages(t) {
		if roomOf(p.ImportPath) != "farm" {
			continue
		}
		for _, imp := range p.Imports {
			if slices.Contains(impure, imp) {
				t.Errorf("%s imports %s, but farm does no I/O and knows neither clock nor chance", p.ImportPath, imp)
			}
		}
	}
}

func TestAReleaseHasNoFaults(t *testing.T) {
	for tags, want := range map[string]bool{"": false, "faults": true} {
		out, err := exec.Command("go", "list", "-tags", tags, "-deps", "./cmd/overcrank").Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		if has := slices.Contains(strings.Fields(string(out)), "overcrank/faults"); has != want {
			t.Errorf("built with tags %q, the program has package faults: %v", tags, has)
		}
	}
}

// severalAtOnce are packages that `make test RACE=1` tests without the race detector though they or their tests start goroutines. What those share is tested
// under it: by the tests of engine/render that the Makefile names, and for the process that draws previews by coordinator/preview, whose room asks it.
var severalAtOnce = []string{"engine/render", "cmd/overcrank/previewing"}

func TestWhatIsTestedWithoutTheRaceDetectorHasOneGoroutine(t *testing.T) {
	text, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?m)^ONE_GOROUTINE := \$\(addprefix overcrank/,(.*)\)$`).FindSubmatch(text)
	if list == nil {
		t.Fatal("the Makefile no longer says what is tested without the race detector")
	}
	concurrent := regexp.MustCompile(`(?m)^\s*go |\.Go\(|\bsync\.|\batomic\.`)
	for _, dir := range strings.Fields(string(list[1])) {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s has no files: %v", dir, err)
		}
		for _, path := range files {
			code, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if concurrent.Match(code) && !slices.Contains(severalAtOnce, dir) {
				t.Errorf("%s is for several goroutines: its package belongs under the race detector", path)
			}
		}
	}
}

// TestTestsThatTheMakefileNamesAreThere holds the lists of single tests to the tests: one that is renamed would no longer run, and nobody would see it.
func TestTestsThatTheMakefileNamesAreThere(t *testing.T) {
	text, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	farms, err := filepath.Glob("cmd/overcrank/farmtest/*")
	if err != nil {
		t.Fatal(err)
	}
	for list, dirs := range map[string][]string{
		"FIRST_OF_FARMS": farms, "FRAMES_AT_ONCE": {"engine/render"}, "PROPERTIES": {"raftstore", "raftstore/tables"}, "DAMAGE": {"raftstore"}, "SAME_FILMS": {"agent"}, "TEXTS": {"web/language"},
	} {
		names := regexp.MustCompile(`(?m)^` + list + ` := (.*)$`).FindSubmatch(text)
		if names == nil {
			t.Errorf("the Makefile has no list %s", list)
			continue
		}
		var tests []byte
		for _, dir := range dirs {
			files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
			for _, path := range files {
				code, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				tests = append(tests, code...)
			}
		}
		for name := range strings.SplitSeq(string(names[1]), "|") {
			if !strings.Contains(string(tests), "\nfunc "+name) {
				t.Errorf("%s names %s, and no test of %s is called so", list, name, dirs)
			}
		}
	}
}

// interfaceParts lists, for each package of api, which others of api it may import: handlers know what reads requests and writes answers, and the
// farm's own interface may show what the public one shows. api itself puts all of them together.
var interfaceParts = map[string][]string{
	"request":  {},
	"input":    {"request"},
	"answer":   {"request"},
	"throttle": {"request"},
	"route":    {"input"},
	"openapi":  {},
	"socket":   {},
	"public":   {"request", "input", "answer", "route"},
	"farmv1":   {"request", "input", "answer", "route", "throttle", "socket", "public"},
	"agents":   {"request", "input", "answer", "throttle", "socket"},
}

func TestPartsOfTheInterfaceKnowOnlyWhatTheyNeed(t *testing.T) {
	for _, p := range packages(t) {
		name, part := strings.CutPrefix(p.ImportPath, "overcrank/api/")
		if !part || forTests(p.ImportPath) {
			continue
		}
		may, known := interfaceParts[name]
		if !known {
			t.Errorf("api/%s is not among interfaceParts", name)
		}
		for _, imp := range p.Imports {
			if other, ours := strings.CutPrefix(imp, "overcrank/api"); ours && !slices.Contains(may, strings.TrimPrefix(other, "/")) {
				t.Errorf("api/%s imports %s: it may import only %v", name, imp, may)
			}
		}
	}
}

// wholeFarm are the files of api and web that know the coordinator as a whole: those that are given one, and those that take it apart. All others
// are given the room that they need, or a small interface that they declare.
var wholeFarm = []string{"api/api.go", "api/farm.go", "web/farm.go", "web/session.go", "web/web.go"}

func TestHandlersAreGivenWhatTheyNeed(t *testing.T) {
	for _, pattern := range []string{"api/*.go", "api/*/*.go", "web/*.go", "web/*/*.go"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") || slices.Contains(wholeFarm, path) {
				continue
			}
			code, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(code), "coordinator.Coordinator") {
				t.Errorf("%s knows the coordinator as a whole: give it a room, or declare a small interface of what it asks", path)
			}
		}
	}
}

// forTests tells whether a package of ours is there for tests only, as its name says: porttest, apitest, farmtest.
func forTests(path string) bool {
	return strings.HasPrefix(path, "overcrank/") && strings.HasSuffix(path, "test")
}

// roomOf is the top folder of a package of ours, "" for others' packages and for the root.
func roomOf(path string) string {
	rest, ours := strings.CutPrefix(path, "overcrank/")
	if !ours {
		return ""
	}
	room, _, _ := strings.Cut(rest, "/")
	return room
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	var all []goPackage
	for _, dir := range modules {
		all = append(all, packagesOf(t, dir)...)
	}
	if len(all) < len(allowed) {
		t.Fatalf("go list knows only %d packages", len(all))
	}
	return all
}

func packagesOf(t *testing.T, module string) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "-C", module, "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...").Output()
	if err != nil {
		t.Fatalf("go list in %s: %v", module, err)
	}
	var all []goPackage
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		if p.ImportPath != "overcrank" {
			all = append(all, p)
		}
	}
	return all
}

// explained is the page that names what modules earn and how they are licensed.
const explained = "docs/dependencies.md"

func TestDependenciesAreExplained(t *testing.T) {
	page, err := os.ReadFile(explained)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range modules {
		out, err := exec.Command("go", "-C", dir, "mod", "edit", "-json").Output()
		if err != nil {
			t.Fatalf("go mod edit in %s: %v", dir, err)
		}
		var module struct {
			Require []struct {
				Path     string
				Indirect bool
			}
		}
		if err := json.Unmarshal(out, &module); err != nil || len(module.Require) == 0 {
			t.Fatalf("go.mod of %s requires %v: %v", dir, module.Require, err)
		}
		for _, needed := range module.Require {
			name := strings.TrimPrefix(strings.TrimPrefix(needed.Path, "github.com/"), "golang.org/")
			if !needed.Indirect && needed.Path != "overcrank" && !strings.Contains(string(page), name) {
				t.Errorf("%s does not say what %s is for and how it is licensed", explained, needed.Path)
			}
		}
	}
}
