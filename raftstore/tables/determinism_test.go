package tables

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// checker holds functions to what every node comes to alike: it knows, from their types, what they go through and what they call.
type checker struct {
	fset     *token.FileSet
	info     *types.Info
	packages map[string]*types.Package // those that are read from their sources
	exports  map[string]string         // files with what all others export
	others   types.Importer
	bodies   map[*types.Func]*ast.FuncDecl
}

func newChecker() *checker {
	c := &checker{
		fset: token.NewFileSet(), packages: map[string]*types.Package{}, exports: map[string]string{}, bodies: map[*types.Func]*ast.FuncDecl{},
		info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}},
	}
	c.others = importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(c.exports[path]) })
	return c
}

// Import is that of types.Importer.
func (c *checker) Import(path string) (*types.Package, error) {
	if known := c.packages[path]; known != nil {
		return known, nil
	}
	return c.others.Import(path)
}

// add checks a package, after those that it imports.
func (c *checker) add(path string, files []*ast.File) error {
	checked, err := (&types.Config{Importer: c}).Check(path, c.fset, files, c.info)
	c.packages[path] = checked
	for _, file := range files {
		for _, decl := range file.Decls {
			if fn, is := decl.(*ast.FuncDecl); is {
				c.bodies[c.info.Defs[fn.Name].(*types.Func)] = fn
			}
		}
	}
	return err
}

// load reads this package, all of ours that it is made of, and what the others export, with which it was built just now.
func (c *checker) load(t *testing.T) {
	t.Helper()
	args := []string{"list", "-deps", "-export", "-json=ImportPath,Dir,GoFiles,Export"}
	if build, known := debug.ReadBuildInfo(); known && slices.Contains(build.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		args = append(args, "-race") // or all of it would be built once more
	}
	list := exec.CommandContext(t.Context(), "go", append(args, ".")...)
	var said bytes.Buffer
	list.Stderr = &said
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v: %s", err, &said)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		if c.exports[p.ImportPath] = p.Export; !strings.HasPrefix(p.ImportPath, "overcrank/") {
			continue
		}
		var files []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(c.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		if err := c.add(p.ImportPath, files); err != nil {
			t.Fatal(err)
		}
	}
}

// chancy are packages of which a rule may use nothing: what they give is another on each node, or at each time.
var chancy = []string{
	"crypto/rand", "io/fs", "log", "log/slog", "math/rand", "math/rand/v2", "net", "net/http", "os", "os/exec", "runtime", "runtime/debug", "sync", "sync/atomic",
	"github.com/oklog/ulid/v2",
}

// unordered are functions that give what is in a map in any order. What is sorted at once is in one.
var unordered = []string{"maps.All", "maps.Keys", "maps.Values"}

// timely are the functions of package time that look at the clock, wait for it, or read how a place keeps time. So do the method and the
// variable Local.
var timely = []string{"After", "AfterFunc", "LoadLocation", "NewTicker", "NewTimer", "Now", "Since", "Sleep", "Tick", "Until"}

func isMethod(of types.Object) bool {
	fn, is := of.(*types.Func)
	return is && fn.Signature().Recv() != nil
}

// faults are what in a function depends on more than its arguments, one for each place.
func (c *checker) faults(fn *ast.FuncDecl) (found []string) {
	note := func(n ast.Node, what string) {
		at := c.fset.Position(n.Pos())
		found = append(found, fmt.Sprintf("%s:%d %s", filepath.Base(at.Filename), at.Line, what))
	}
	sorted := map[ast.Node]bool{}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.RangeStmt:
			switch core(c.info.TypeOf(n.X)).(type) {
			case *types.Map:
				note(n, "goes through a map")
			case *types.Chan:
				note(n, "goes through a channel")
			}
		case *ast.GoStmt:
			note(n, "starts a goroutine")
		case *ast.SelectStmt:
			note(n, "waits for one of several")
		case *ast.CallExpr:
			called := c.called(n)
			if strings.HasPrefix(called, "slices.Sorted") && len(n.Args) > 0 {
				sorted[n.Args[0]] = true
			}
			if slices.Contains(unordered, called) && !sorted[n] {
				note(n, "goes through a map by "+called)
			}
		case *ast.Ident:
			used := c.info.Uses[n]
			if used == nil || used.Pkg() == nil {
				break
			}
			path, name := used.Pkg().Path(), used.Name()
			if slices.Contains(chancy, path) || path == "time" && (name == "Local" || slices.Contains(timely, name) && !isMethod(used)) {
				note(n, "uses "+path+"."+name)
			}
		}
		return true
	})
	return found
}

// core is what a type is under its name. Of a type parameter it is what the first term of its constraint is, since one can only go through
// those whose terms are all of one kind.
func core(t types.Type) types.Type {
	constraint, is := t.Underlying().(*types.Interface)
	if !is || constraint.NumEmbeddeds() == 0 {
		return t.Underlying()
	}
	if union, is := constraint.EmbeddedType(0).(*types.Union); is {
		return union.Term(0).Type().Underlying()
	}
	return constraint.EmbeddedType(0).Underlying()
}

// called is the function that a call names, such as slices.Sorted; "" for methods and for values.
func (c *checker) called(call *ast.CallExpr) string {
	selector, is := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !is {
		return ""
	}
	fn, is := c.info.Uses[selector.Sel].(*types.Func)
	if !is || fn.Signature().Recv() != nil {
		return ""
	}
	return fn.Pkg().Path() + "." + fn.Name()
}

// aside are functions that rules lead to and that are not looked at, with what makes them come to the same on all nodes.
var aside = map[string]string{
	"(*overcrank/raftstore/record.Packers).content": "works in memory that is used again",
	"(*overcrank/raftstore/tables.Tx).randomJobs":   "shuffles by a seed that comes with the query, and is no rule",
	"overcrank/raftstore/record.withReader":         "works in memory that is used again",
	"overcrank/raftstore/record.Spread":             "does pieces of work that do not depend on each other",
}

const rulesPath = "overcrank/raftstore/tables"

// deciding are the packages on which it depends what a command comes to. What lies below them keeps rows and decides nothing.
var deciding = []string{rulesPath, "overcrank/raftstore/command", "overcrank/raftstore/record", "overcrank/farm"}

// reached are the functions that others lead to, with these, each with one that names it: those of packages that are deciding, and none by
// way of those that are aside.
func (c *checker) reached(from []*types.Func) map[*types.Func]*types.Func {
	by := map[*types.Func]*types.Func{}
	isAside := func(fn *types.Func) bool {
		_, is := aside[fn.FullName()]
		return is
	}
	decides := func(fn *types.Func) bool {
		path := fn.Pkg().Path()
		return slices.Contains(deciding, path) || strings.HasPrefix(path, "overcrank/farm/")
	}
	next := slices.DeleteFunc(slices.Clone(from), isAside)
	for _, fn := range next {
		by[fn] = nil
	}
	for ; len(next) > 0; next = next[1:] {
		ast.Inspect(c.bodies[next[0]], func(n ast.Node) bool {
			name, is := n.(*ast.Ident)
			if !is {
				return true
			}
			used, is := c.info.Uses[name].(*types.Func)
			if !is {
				return true
			}
			used = used.Origin()
			if _, known := by[used]; !known && c.bodies[used] != nil && decides(used) && !isAside(used) {
				by[used] = next[0]
				next = append(next, used)
			}
			return true
		})
	}
	return by
}

// rules are the functions of this package.
func (c *checker) rules() (found []*types.Func) {
	for fn := range c.bodies {
		if fn.Pkg().Path() == rulesPath {
			found = append(found, fn)
		}
	}
	return found
}

// TestRulesKnowNoClockAndNoChance looks at all that the rules of the state lead to within this repository.
func TestRulesKnowNoClockAndNoChance(t *testing.T) {
	t.Parallel()
	c := newChecker()
	c.load(t)
	c.findsSins(t)
	rules := c.rules()
	reached := c.reached(rules)
	t.Logf("%d functions are looked at, and lead to %d", len(rules), len(reached))
	if len(rules) < 300 {
		t.Errorf("only %d functions are taken for rules", len(rules))
	}
	for name := range aside {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(c.bodies)), func(fn *types.Func) bool { return fn.FullName() == name }) {
			t.Errorf("%s is aside and is not there", name)
		}
	}
	for fn := range reached {
		for _, fault := range c.faults(c.bodies[fn]) {
			way := fn.FullName()
			for by := reached[fn]; by != nil; by = reached[by] {
				way = by.FullName() + " → " + way
			}
			t.Errorf("%s: a rule depends on more than the state and the command; the way there: %s", fault, way)
		}
	}
}

// TestRulesImportNothingThatDiffers holds this package to packages that give the same on every node. What of these does not, such as
// time.Now, is found by TestRulesKnowNoClockAndNoChance.
func TestRulesImportNothingThatDiffers(t *testing.T) {
	t.Parallel()
	allowed := strings.Fields(`bytes cmp crypto/sha256 encoding/base64 encoding/binary encoding/json errors fmt maps math math/rand/v2 reflect slices
		strconv strings time github.com/cespare/xxhash/v2 go.etcd.io/bbolt
		overcrank/farm overcrank/raftstore/command overcrank/raftstore/layered overcrank/raftstore/record`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			looked++
			if path := strings.Trim(spec.Path.Value, `"`); !slices.Contains(allowed, path) {
				t.Errorf("%s imports %s: a rule must come to the same on every node and at each replay", name, path)
			}
		}
	}
	if looked < 90 {
		t.Errorf("only %d imports were looked at", looked)
	}
}

// sins has a fault in each line that ends with what it is, and in no other.
const sins = `package sins

import (
	"crypto/rand"
	"maps"
	"os"
	"slices"
	"sync"
	"time"
)

type byName map[string]int

var mu sync.Mutex

func inOrder(m byName) []string { return slices.Sorted(maps.Keys(m)) }

func inNone(m byName) []string { return slices.Collect(maps.Keys(m)) } // goes through a map by maps.Keys

func plain(list []int, at time.Time) time.Time {
	for range list {
		at = at.Add(time.Second)
	}
	for i := range 3 {
		at = at.AddDate(0, 0, i)
	}
	if at.After(at.Add(1)) {
		return at
	}
	return at.UTC()
}

func through[M ~map[string]int](m M, n byName, c chan int) {
	for range m { // goes through a map
	}
	for range n { // goes through a map
	}
	for range c { // goes through a channel
	}
	go inOrder(n) // starts a goroutine
	select {      // waits for one of several
	default:
	}
}

func asks(at time.Time) any {
	now := time.Now // uses time.Now
	_ = rand.Text() // uses crypto/rand.Text
	mu.Lock()       // uses sync.Lock
	if at.Local().Before(now()) { // uses time.Local
		return os.Args // uses os.Args
	}
	return nil
}
`

// findsSins makes sure that the checker finds what it is for.
func (c *checker) findsSins(t *testing.T) {
	t.Helper()
	file, err := parser.ParseFile(c.fset, "sins.go", sins, parser.SkipObjectResolution)
	if err == nil {
		err = c.add("sins", []*ast.File{file})
	}
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for i, line := range strings.Split(sins, "\n") {
		if _, what, has := strings.Cut(line, " // "); has {
			want = append(want, fmt.Sprintf("sins.go:%d %s", i+1, what))
		}
	}
	for _, decl := range file.Decls {
		if fn, is := decl.(*ast.FuncDecl); is {
			got = append(got, c.faults(fn)...)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the checker finds\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
