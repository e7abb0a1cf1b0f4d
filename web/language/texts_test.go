package language

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"overcrank/farm"
)

// sayers are the functions that say a text: which of their arguments it is, and whether it counts.
var sayers = map[string]struct {
	text   int
	counts bool
}{
	"say": {1, false}, "language.Say": {1, false}, "phrase": {0, false}, "language.Pieces": {1, false}, "language.Text": {0, false},
	"s.say": {1, false}, "r.say": {0, false}, "w": {0, false}, "counted": {1, true},
	"farm.Say": {0, false}, "farm.Count": {2, true},
	"Say": {1, false}, "Text": {0, false}, "many": {3, true}, "manyOf": {2, true}, "language.Count": {3, true}, "language.CountedPieces": {3, true},
}

// wordRooms are files whose every text is said somewhere: they name states.
var wordRooms = []string{"../../farm/wording/state.go", "../../farm/wording/phase.go", "../../farm/wording/cause.go"}

// frames put texts of the farm together: lists, and an error with what is wrong with its fields.
var frames = []string{"%s and %s", "%s: %s"}

// texts are the texts in the code of the dashboard, and whether each counts.
func texts(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	fset := token.NewFileSet()
	read := func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sayer, ok := sayers[nameOf(call.Fun)]
			if ok && len(call.Args) > sayer.text {
				if text, ok := literal(call.Args[sayer.text]); ok {
					found[farm.Say(text).Key] = sayer.counts
				}
			}
			return true
		})
		return nil
	}
	for _, room := range []string{"..", "../../farm/wording"} {
		if err := filepath.WalkDir(room, read); err != nil {
			t.Fatal(err)
		}
	}
	told, err := readRooms()
	if err != nil {
		t.Fatal(err)
	}
	for text, counts := range told.texts {
		found[text] = counts || found[text]
	}
	for _, text := range slices.Concat(frames, wrappers, failures, standings, refused, findings, needs, drawings, warnings, untold, []string{several}) {
		found[text] = false
	}
	for m := time.January; m <= time.December; m++ {
		found[m.String()], found[m.String()[:3]] = false, false
	}
	scripts, err := ScriptTexts(os.DirFS("../static"))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(found, scripts)
	for _, action := range farm.AuditActions() {
		found[action.Words()] = false
	}
	for _, grant := range farm.Grants() {
		found[string(grant.Action)] = false
	}
	for _, class := range farm.FailureClasses {
		found[class.Consequence().Words] = false
	}
	for _, path := range wordRooms {
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			var words []ast.Expr
			switch n := n.(type) {
			case *ast.ReturnStmt:
				words = n.Results
			case *ast.ValueSpec: // a word that is a constant
				words = n.Values
			}
			for _, word := range words {
				if text, ok := literal(word); ok && text != "" {
					found[text] = false
				}
			}
			return true
		})
	}
	return found
}

func nameOf(fun ast.Expr) string {
	switch f := fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return nameOf(f.X) + "." + f.Sel.Name
	}
	return ""
}

// literal is a text that stands in the code, maybe over several lines.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, ok := literal(e.X)
		right, also := literal(e.Y)
		return left + right, ok && also && e.Op == token.ADD
	}
	return "", false
}

var verb = regexp.MustCompile(`%(?:\[(\d+)\])?([a-z%]|\.\d+[a-z])`)

// verbs are the verbs of a text in the order of what they are for.
func verbs(text string) []string {
	found := map[int]string{}
	next := 1
	for _, m := range verb.FindAllStringSubmatch(text, -1) {
		if m[2] == "%" {
			continue
		}
		if m[1] != "" {
			next, _ = strconv.Atoi(m[1])
		}
		found[next] = m[2]
		next++
	}
	var list []string
	for _, place := range slices.Sorted(maps.Keys(found)) {
		list = append(list, fmt.Sprintf("%d%s", place, found[place]))
	}
	return list
}

// TestEachTextIsInEachLanguage holds the catalogues to the code.
func TestEachTextIsInEachLanguage(t *testing.T) {
	said := texts(t)
	for l, catalogue := range catalogues() {
		t.Run(l.Name(), func(t *testing.T) {
			for _, text := range slices.Sorted(maps.Keys(said)) {
				e, ok := catalogue[text]
				if !ok {
					t.Errorf("%s.json lacks %q", l, text)
					continue
				}
				forms := []string{e.other}
				if said[text] {
					forms = append(forms, e.one)
				}
				for _, form := range forms {
					if form == "" || !slices.Equal(verbs(form), verbs(text)) {
						t.Errorf("%s.json: %q has %q, whose verbs are others", l, text, form)
					}
				}
				if !said[text] && e.one != "" {
					t.Errorf("%s.json has two forms of %q, which does not count", l, text)
				}
			}
			for _, text := range slices.Sorted(maps.Keys(catalogue)) {
				if _, ok := said[text]; !ok {
					t.Errorf("%s.json has %q, which nobody says", l, text)
				}
			}
		})
	}
}

// TestCataloguesAreSorted keeps two people who add texts out of each other's way.
func TestCataloguesAreSorted(t *testing.T) {
	for l := range catalogues() {
		data, err := os.ReadFile(string(l) + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, m := range regexp.MustCompile(`(?m)^  ("(?:[^"\\]|\\.)*"): `).FindAllStringSubmatch(string(data), -1) {
			key, err := strconv.Unquote(m[1])
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, key)
		}
		if len(keys) != len(catalogues()[l]) || !slices.IsSorted(keys) {
			t.Errorf("%s.json has %d texts, one a line in the order of the English: %d lines, sorted %v", l, len(catalogues()[l]), len(keys), slices.IsSorted(keys))
		}
	}
}
