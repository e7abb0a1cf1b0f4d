package api

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"overcrank/aep"
	"overcrank/farm"
)

// answerShapes are the Go types whose JSON form the document describes. The rest of its schemas are requests.
var answerShapes = map[string]any{
	"Readiness": readinessBody{}, "ReadinessCheck": checkBody{}, "DiskSpace": diskBody{},
	"Error": errorBody{}, "FieldError": farm.FieldError{},
	"Template": templateBody{}, "Mogrt": mogrtBody{}, "MogrtField": aep.MogrtFieldSummary{}, "UploadInfo": uploadInfo{},
	"TemplateV3": template3Body{}, "Composition": compositionBody{}, "Layer": layerBody{},
	"Job": jobBody{}, "JobStats": jobStats{}, "JobOutput": jobOutput{}, "JobCreated": jobCreated{}, "JobAsset": farm.Asset{}, "AssetParameter": farm.AssetParameter{},
	"BatchCreated": batchCreated{}, "BatchCreatedJob": batchCreatedJob{}, "BatchJobError": batchJobError{}, "Batch": batchBody{}, "BatchJob": batchJob{},
	"BatchStats": batchStats{}, "BatchListed": batchListed{}, "BatchCancelled": batchCancelled{}, "BatchCancelledJob": batchCancelledJob{},
	"Team": teamBody{}, "Self": selfBody{}, "Token": tokenBody{}, "SignIn": signInBody{}, "JoinToken": joinTokenBody{},
	"Cluster": clusterBody{}, "ClusterStorage": storageBody{}, "StorageMove": storageMoveBody{}, "ClusterMember": memberBody{}, "NodeInvitation": nodeInvitationBody{},
	"ScriptRule": scriptsBody{}, "Font": fontBody{}, "Secret": secretBody{}, "KeyChanged": keyChanged{},
	"GossipKeys": gossipRingBody{}, "GossipKey": gossipKeyBody{}, "Authority": authorityBody{},
	"KeptFile": keptFile{}, "Agent": agentBody{}, "Engine": engineBody{}, "SetAside": setAsideBody{}, "Presence": presenceBody{}, "Inventory": inventoryBody{}, "FontFace": fontUse{}, "Running": runningShape{}, "Thumbnail": thumbnailBody{},
	"Delivery": deliveryBody{}, "WebhookKey": webhookKeyBody{},
	"FarmTemplate": farmTemplateBody{}, "FarmJob": farmJobBody{}, "Approval": approvalBody{}, "TaskCounts": taskCounts{}, "Task": taskBody{}, "FrameRange": framesBody{}, "TaskPart": partBody{}, "TaskAgent": taskAgent{},
	"TaskRunning": runningShape{}, "Attempt": attemptBody{}, "AttemptAgent": taskAgent{}, "Measured": measuredBody{},
	"QueueEntry": queueEntryBody{}, "Placement": placementBody{}, "Requirement": requirementBody{}, "NearestAgent": nearestBody{}, "Span": spanBody{},
	"Event": eventBody{}, "FarmStatus": farmBody{}, "Pace": paceBody{}, "Policy": policyBody{}, "Levels": levelsBody{}, "Level": levelBody{}, "TeamShare": teamShare{},
	"RestoreLine": restoreLine{}, "Restored": restoredBody{},
	"FarmLimit": limitBody{}, "Splitting": splitBody{}, "Retrying": retryBody{},
}

func TestTheDocumentsAnswersAreTheShapesOfTheCode(t *testing.T) {
	described := map[string]bool{}
	for _, doc := range loadInterfaces(t) {
		for name, value := range answerShapes {
			if schema := doc.Components.Schemas[name]; schema != nil {
				described[name] = true
				compareShape(t, name, schema.Value, reflect.TypeOf(value))
			}
		}
		for name := range namedAnswers(doc) {
			if _, listed := answerShapes[name]; !listed {
				t.Errorf("the schema %s of an answer is not held against a Go type: list it in answerShapes", name)
			}
		}
	}
	for name := range answerShapes {
		if !described[name] {
			t.Errorf("there is no schema %s", name)
		}
	}
}

// namedAnswers are the schemas of objects that answers refer to, at any depth.
func namedAnswers(doc *openapi3.T) map[string]bool {
	found := map[string]bool{}
	var visit func(ref *openapi3.SchemaRef)
	visit = func(ref *openapi3.SchemaRef) {
		if ref == nil || ref.Value == nil {
			return
		}
		if name, named := strings.CutPrefix(ref.Ref, "#/components/schemas/"); named && ref.Value.Type.Is("object") {
			if found[name] {
				return
			}
			found[name] = true
		}
		visit(ref.Value.Items)
		for _, property := range ref.Value.Properties {
			visit(property)
		}
	}
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			for _, answer := range op.Responses.Map() {
				for _, media := range answer.Value.Content {
					visit(media.Schema)
				}
			}
		}
	}
	// Both hold what a map makes, which has no type of its own.
	delete(found, "Address")
	delete(found, "Health")
	return found
}

// compareShape holds a schema of an object against the struct that is written for it.
func compareShape(t *testing.T, name string, schema *openapi3.Schema, shape reflect.Type) {
	t.Helper()
	written, always := []string{}, []string{}
	for _, field := range reflect.VisibleFields(shape) {
		key, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if key == "-" || field.Anonymous || !field.IsExported() {
			continue
		}
		written = append(written, key)
		if !strings.Contains(options, "omit") {
			always = append(always, key)
		}
		if property := schema.Properties[key]; property != nil {
			compareField(t, name+"."+key, property.Value, field.Type, strings.Contains(options, "omit"))
		}
	}
	slices.Sort(written)
	slices.Sort(always)
	if described := slices.Sorted(maps.Keys(schema.Properties)); !slices.Equal(described, written) {
		t.Errorf("%s: the document has %v, the code writes %v", name, described, written)
	}
	if required := slices.Sorted(slices.Values(schema.Required)); !slices.Equal(required, always) {
		t.Errorf("%s: the document requires %v, the code always writes %v", name, required, always)
	}
}

var stampType, rawType = reflect.TypeFor[stamp](), reflect.TypeFor[json.RawMessage]()

// compareField holds the kind of one property against its Go type, and whether it can be null.
func compareField(t *testing.T, at string, schema *openapi3.Schema, kind reflect.Type, omitted bool) {
	t.Helper()
	pointer := kind.Kind() == reflect.Pointer
	if pointer {
		kind = kind.Elem()
	}
	if pointer && !omitted && !schema.Nullable {
		t.Errorf("%s can be null, and the document does not say so", at)
	}
	if schema.Nullable && !pointer && kind != stampType && kind != rawType && kind.Kind() != reflect.Interface {
		t.Errorf("%s is never null, and the document says it can be", at)
	}
	want := ""
	switch kind.Kind() {
	case reflect.String:
		want = "string"
	case reflect.Bool:
		want = "boolean"
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint32:
		want = "integer"
	case reflect.Float64:
		want = "number"
	case reflect.Slice:
		want = "array"
	case reflect.Struct, reflect.Map:
		want = "object"
	}
	switch {
	case kind == stampType:
		if !schema.Type.Is("string") || schema.Format != "date-time" {
			t.Errorf("%s is a time, and the document does not say so", at)
		}
	case kind == rawType, kind.Kind() == reflect.Interface: // any JSON value
	case !schema.Type.Is(want):
		t.Errorf("%s is of type %s, the document says %v", at, want, schema.Type)
	}
}

// readerMethods are the methods of object whose first argument is the key that they read.
var readerMethods = []string{"text", "needText", "choice", "boolean", "flag", "whole", "number", "child", "filled", "list", "texts", "fewTexts", "need"}

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

// keysRead are the literal keys in calls of object's methods in this package.
func keysRead(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
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
