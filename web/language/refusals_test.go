package language

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// vocabulary is the package whose functions word what the farm says to people.
const vocabulary = "overcrank/farm"

// vocabularySayers are those functions, with their arguments that are texts.
var vocabularySayers = map[string][]int{
	vocabulary + ".Say": {0}, vocabulary + ".Count": {2}, vocabulary + ".Errorf": {1}, vocabulary + ".Invalid": {0}, vocabulary + ".Field": {1},
}

// unheard are files whose refusals nobody reads on a page: those of machines, of other coordinators, and of programs that call the interface.
var unheard = []string{
	"api/input/document.go",
	"api/input/ids.go",
	"api/input/query.go",
	"api/public/batches.go",
	"api/public/fonts.go",
	"api/public/jobquery.go",
	"api/public/outputs.go",
	"api/public/preset.go",
	"api/public/secrets.go",
	"api/request/credentials.go",
	"api/route/",
	"coordinator/cluster/admit.go",
	"coordinator/cluster/gossip.go",
	"coordinator/cluster/invite.go",
	"coordinator/cluster/keys.go",
	"coordinator/cluster/seek.go",
	"coordinator/dispatch/attempt_",
	"coordinator/dispatch/hello.go",
	"coordinator/dispatch/kept_frames.go",
	"coordinator/dispatch/lease_files.go",
	"coordinator/dispatch/storagetrial.go",
	"coordinator/downloads/downloads.go",
	"coordinator/downloads/package.go",
	"coordinator/downloads/shipped.go",
	"coordinator/enrolment/enrolment.go",
	"coordinator/files/picture.go",
	"coordinator/handout/",
	"coordinator/machines/firstframe.go",
	"coordinator/peers/command.go",
	"coordinator/peers/question.go",
	"coordinator/putback.go",
	"coordinator/results/proxy.go",
	"coordinator/results/sample.go",
	"coordinator/results/thumbnail.go",
	"coordinator/templates/poster.go",
	"farm/download.go",
	"farm/wire/",
	"raftstore/command/",
	"raftstore/members.go",
	"raftstore/putback.go",
	"raftstore/rebuild.go",
	"raftstore/tables/apply_cluster.go",
	"raftstore/tables/apply_code.go",
	"raftstore/tables/apply_download.go",
	"raftstore/tables/apply_failures.go",
	"raftstore/tables/apply_gossip.go",
	"raftstore/tables/apply_level.go",
	"raftstore/tables/apply_membership.go",
	"raftstore/tables/apply_putback.go",
	"raftstore/tables/apply_split.go",
	"raftstore/tables/apply_task.go",
}

// wordsElsewhere are files that say words which are listed elsewhere (wordRooms, actions, roles, states).
var wordsElsewhere = []string{"farm/wording/budget.go", "farm/wording/clock.go", "farm/wording/span.go"}

// spoken is what the rooms that answer pages say to people, read with their types.
type spoken struct {
	fset   *token.FileSet
	root   string
	rooms  []*room
	sayers map[string][]int       // the functions that say a text, with their arguments that are one
	local  map[types.Object][]int // the same of functions within others

	texts map[string]bool // each text that is said, and whether it counts
	mute  []string        // places where what is said is no text of the code
}

// room is a package, read with its types.
type room struct {
	files []*ast.File
	info  *types.Info
}

// readRooms reads the rooms that a page's answer may come from, which are those that package web is built of.
var readRooms = sync.OnceValues(func() (*spoken, error) {
	out, err := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Export,Dir,GoFiles,Module", "overcrank/web").Output()
	if err != nil {
		return nil, err
	}
	type listed struct {
		ImportPath, Export, Dir string
		GoFiles                 []string
		Module                  *struct {
			Main bool
			Dir  string
		}
	}
	w := &spoken{fset: token.NewFileSet(), sayers: map[string][]int{}, local: map[types.Object][]int{}, texts: map[string]bool{}}
	exports := map[string]string{}
	var own []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if p.Module != nil && p.Module.Main {
			own, w.root = append(own, p), p.Module.Dir
		}
	}
	from := importer.ForCompiler(w.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range own {
		r := &room{info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}}
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(w.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			r.files = append(r.files, file)
		}
		if _, err := (&types.Config{Importer: from}).Check(p.ImportPath, w.fset, r.files, r.info); err != nil {
			return nil, err
		}
		w.rooms = append(w.rooms, r)
	}
	for name, args := range vocabularySayers {
		w.sayers[name] = args
	}
	for w.learn() {
	}
	for _, r := range w.rooms {
		w.read(r)
	}
	return w, nil
})

// eachFunction calls look with each function of a room that has a name, and with its parameters.
func (r *room) eachFunction(look func(named types.Object, params []types.Object, body *ast.BlockStmt)) {
	visit := func(name *ast.Ident, of *ast.FuncType, body *ast.BlockStmt) {
		named := r.info.Defs[name]
		if named == nil {
			named = r.info.Uses[name]
		}
		if named == nil || body == nil {
			return
		}
		var params []types.Object
		for _, field := range of.Params.List {
			for _, name := range field.Names {
				params = append(params, r.info.Defs[name])
			}
		}
		look(named, params, body)
	}
	for _, file := range r.files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				visit(n.Name, n.Type, n.Body)
			case *ast.AssignStmt:
				for i, right := range n.Rhs {
					name, isName := n.Lhs[min(i, len(n.Lhs)-1)].(*ast.Ident)
					if f, ok := right.(*ast.FuncLit); ok && isName {
						visit(name, f.Type, f.Body)
					}
				}
			}
			return true
		})
	}
}

// learn finds functions that hand a text on to one that says it, and tells whether there were any that were not known.
func (w *spoken) learn() (more bool) {
	for _, r := range w.rooms {
		r.eachFunction(func(named types.Object, params []types.Object, body *ast.BlockStmt) {
			ast.Inspect(body, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				for _, text := range w.textsOf(r, call) {
					name, ok := text.(*ast.Ident)
					if !ok {
						continue
					}
					if i := slices.Index(params, r.info.Uses[name]); i >= 0 && !slices.Contains(w.argsOf(named), i) {
						more = true
						if f, ok := named.(*types.Func); ok {
							w.sayers[f.FullName()] = append(slices.Clone(w.argsOf(named)), i)
						} else {
							w.local[named] = append(w.local[named], i)
						}
					}
				}
				return true
			})
		})
	}
	return more
}

// argsOf are the arguments of a function that are texts.
func (w *spoken) argsOf(named types.Object) []int {
	if f, ok := named.(*types.Func); ok {
		return w.sayers[f.FullName()]
	}
	return w.local[named]
}

// textsOf are the arguments of a call that are texts.
func (w *spoken) textsOf(r *room, call *ast.CallExpr) (texts []ast.Expr) {
	var name *ast.Ident
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		name = fun
	case *ast.SelectorExpr:
		name = fun.Sel
	default:
		return nil
	}
	for _, i := range w.argsOf(r.info.Uses[name]) {
		if i < len(call.Args) {
			texts = append(texts, call.Args[i])
		}
	}
	return texts
}

// read notes what a room says.
func (w *spoken) read(r *room) {
	handedOn := map[types.Object]bool{} // texts that are read where their functions are called
	r.eachFunction(func(named types.Object, params []types.Object, _ *ast.BlockStmt) {
		for _, i := range w.argsOf(named) {
			handedOn[params[i]] = true
		}
	})
	for _, file := range r.files {
		path := w.at(file)
		if isIn(unheard, path) {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				for _, text := range w.textsOf(r, n) {
					name, isName := text.(*ast.Ident)
					switch value := r.info.Types[text].Value; {
					case value != nil:
						w.say(constant.StringVal(value), isCount(n))
					case isName && handedOn[r.info.Uses[name]], isIn(wordsElsewhere, path), r.isWord(text):
					default:
						w.mute = append(w.mute, w.at(text))
					}
				}
				for _, arg := range n.Args {
					if value := r.info.Types[arg].Value; value != nil && isKind(r.info.Types[arg].Type) {
						w.say(constant.StringVal(value), false)
					}
				}
			case *ast.ValueSpec:
				for _, value := range n.Values {
					if t := r.info.Types[value]; t.Value != nil && len(n.Names) > 0 && isKind(r.info.Defs[n.Names[0]].Type()) {
						w.say(constant.StringVal(t.Value), false)
					}
				}
			case *ast.CompositeLit:
				if isError(r.info.Types[n].Type) && len(n.Elts) > 0 && !hasKey(n, "Says") {
					w.mute = append(w.mute, w.at(n))
				}
			}
			return true
		})
	}
}

// say notes a text.
func (w *spoken) say(text string, counts bool) {
	text = strings.ReplaceAll(text, "%w", "%v")
	if verb.ReplaceAllString(text, "") == "" {
		return // it has no words of its own
	}
	w.texts[text] = counts || w.texts[text]
}

// at is a place in the code, from the root of the repository on.
func (w *spoken) at(n ast.Node) string {
	at, err := filepath.Rel(w.root, w.fset.Position(n.Pos()).String())
	if err != nil {
		return w.fset.Position(n.Pos()).String()
	}
	return filepath.ToSlash(at)
}

func isIn(paths []string, path string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(path, p) })
}

func isCount(call *ast.CallExpr) bool {
	name := nameOf(call.Fun)
	return name == "Count" || name == "farm.Count"
}

// isWord tells whether a text is a value of a type whose words are listed elsewhere: a role, a level, a state.
func (r *room) isWord(text ast.Expr) bool {
	call, ok := text.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || nameOf(call.Fun) != "string" {
		return false
	}
	named, ok := r.info.Types[call.Args[0]].Type.(*types.Named)
	return ok && named.Obj().Pkg() != nil
}

// isKind tells whether a type is that of api/input's words for kinds of values.
func isKind(t types.Type) bool { return t != nil && t.String() == "overcrank/api/input.Kind" }

func isError(t types.Type) bool {
	if t == nil {
		return false
	}
	name := t.String()
	return name == vocabulary+".Error" || name == vocabulary+".FieldError"
}

func hasKey(lit *ast.CompositeLit, key string) bool {
	return slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool {
		pair, ok := e.(*ast.KeyValueExpr)
		return ok && nameOf(pair.Key) == key
	})
}

// TestEachRefusalCanBeTranslated holds the rooms that answer pages to texts of the code, which TestEachTextIsInEachLanguage then holds the catalogues to.
func TestEachRefusalCanBeTranslated(t *testing.T) {
	t.Parallel()
	w, err := readRooms()
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range w.mute {
		t.Errorf("%s: a refusal whose words are no text of the code: nobody can translate it (farm.Errorf, farm.Field)", at)
	}
	if len(w.texts) < 400 {
		t.Errorf("only %d texts were found in the code", len(w.texts))
	}
}
