package api

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overcrank/api/answer"
	"overcrank/api/apitest"
	"overcrank/api/openapi"
	"overcrank/farm"
)

func TestTheDocumentsErrorsAreTheShapesOfTheCode(t *testing.T) {
	doc := apitest.Described(t, openapi.Public)
	for name, shape := range map[string]any{
		"Readiness": readinessBody{}, "ReadinessCheck": checkBody{}, "DiskSpace": diskBody{}, "Error": answer.ErrorBody{}, "FieldError": farm.FieldError{},
	} {
		apitest.HoldShape(t, doc, name, shape)
	}
}

// readerMethods are the methods of input.Object whose first argument is the key that they read.
var readerMethods = []string{"Text", "NeedText", "Choice", "Boolean", "Flag", "Whole", "Number", "Child", "Filled", "List", "Texts", "FewTexts", "Need"}

// TestEveryFieldThatIsReadIsDescribed finds the keys that decoders read and looks for them in the schemas of requests.
func TestEveryFieldThatIsReadIsDescribed(t *testing.T) {
	described := map[string]bool{}
	for _, doc := range loadInterfaces(t) {
		for name, schema := range doc.Components.Schemas {
			for key := range schema.Value.Properties {
				described[key] = described[key] || name != "Job"
			}
		}
	}
	read := keysRead(t)
	if len(read) < 30 {
		t.Fatalf("only %d keys were found: %v", len(read), read)
	}
	for _, key := range read {
		if !described[key] {
			t.Errorf("the key %q is read from requests and stands in no schema", key)
		}
	}
}

// keysRead are the literal keys in calls of input.Object's methods.
func keysRead(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("[a-z]*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, isCall := n.(*ast.CallExpr)
			if !isCall || len(call.Args) == 0 {
				return true
			}
			method, isMethod := call.Fun.(*ast.SelectorExpr)
			key, isText := call.Args[0].(*ast.BasicLit)
			if isMethod && isText && key.Kind == token.STRING && slices.Contains(readerMethods, method.Sel.Name) {
				if word, err := strconv.Unquote(key.Value); err == nil {
					found[word] = true
				}
			}
			return true
		})
	}
	return slices.Sorted(maps.Keys(found))
}
