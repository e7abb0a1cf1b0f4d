package openapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"overcrank/api/openapi"
	"overcrank/farm"
)

// documents are those that the farm serves.
var documents = map[string]func() (openapi.Document, error){"public": openapi.Public, "farm": openapi.Farm}

// textOf is a document as it is served.
func textOf(t *testing.T, load func() (openapi.Document, error)) []byte {
	t.Helper()
	d, err := load()
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.JSON("https://farm.example", "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func document(t *testing.T, load func() (openapi.Document, error)) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(textOf(t, load))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestTheDocumentsAreValidWithTheirExamples(t *testing.T) {
	for name, load := range documents {
		t.Run(name, func(t *testing.T) { checkDocument(t, document(t, load)) })
	}
}

func checkDocument(t *testing.T, doc *openapi3.T) {
	t.Helper()
	if err := doc.Validate(t.Context(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaFormatValidation()); err != nil {
		t.Fatal(err)
	}
	if doc.Info.Version != "1.2.3" || len(doc.Servers) != 1 || doc.Servers[0].URL != "https://farm.example" {
		t.Errorf("the document is of version %q for %v", doc.Info.Version, doc.Servers)
	}
}

func TestEveryOperationIsDescribed(t *testing.T) {
	seen := map[string]string{}
	for _, load := range documents {
		checkOperations(t, document(t, load), seen)
	}
	if len(seen) == 0 {
		t.Error("the documents have no operations")
	}
}

// checkOperations also notes which operations were seen: no two of all documents have the same name.
func checkOperations(t *testing.T, doc *openapi3.T, seen map[string]string) {
	t.Helper()
	tags := []string{}
	for _, tag := range doc.Tags {
		tags = append(tags, tag.Name)
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			at := method + " " + path
			if op.Summary == "" || op.OperationID == "" || len(op.Tags) != 1 || !slices.Contains(tags, op.Tags[0]) {
				t.Errorf("%s lacks its summary, its operationId, or a tag that is listed", at)
			}
			if other, taken := seen[op.OperationID]; taken {
				t.Errorf("%s and %s are both %s", at, other, op.OperationID)
			}
			seen[op.OperationID] = at
			checkRole(t, at, op)
		}
	}
}

func checkRole(t *testing.T, at string, op *openapi3.Operation) {
	t.Helper()
	role, _ := op.Extensions[openapi.RoleKey].(string)
	public := op.Security != nil && len(*op.Security) == 0
	if public == (role != "") || !public && !farm.Role(role).Known() {
		t.Errorf("%s names the role %q; an operation has a known one, or an empty security", at, role)
	}
	for _, status := range []string{"401", "429", "503"} {
		if !public && op.Responses.Value(status) == nil {
			t.Errorf("%s does not list %s", at, status)
		}
	}
}

// TestWhatIsNotUsedIsNotThere keeps schemas that nothing refers to out of the document.
func TestWhatIsNotUsedIsNotThere(t *testing.T) {
	for which, load := range documents {
		text := textOf(t, load)
		var doc struct {
			Components map[string]map[string]json.RawMessage
		}
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		for kind, named := range doc.Components {
			for name := range named {
				ref := `"#/components/` + kind + "/" + name + `"`
				if kind != "securitySchemes" && !strings.Contains(string(text), ref) {
					t.Errorf("nothing of the document %s refers to %s", which, ref)
				}
			}
		}
	}
}

// TestTheDocumentHasTheClassesOfFailure holds the document to the classes that there are.
func TestTheDocumentHasTheClassesOfFailure(t *testing.T) {
	found := 0
	for _, ref := range document(t, openapi.Farm).Components.Schemas {
		class := ref.Value.Properties["class"]
		if class == nil || len(class.Value.Enum) == 0 {
			continue
		}
		found++
		for _, c := range farm.FailureClasses {
			if !slices.Contains(class.Value.Enum, any(string(c))) {
				t.Errorf("%q is not among %v", c, class.Value.Enum)
			}
		}
		if null := slices.Contains(class.Value.Enum, nil); len(class.Value.Enum) != len(farm.FailureClasses)+1 || !null {
			t.Errorf("there are %v, of %v", class.Value.Enum, farm.FailureClasses)
		}
	}
	if found == 0 {
		t.Error("no schema has a class of failure")
	}
}
