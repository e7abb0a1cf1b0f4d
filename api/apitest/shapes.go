package apitest

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"overcrank/api/answer"
	"overcrank/api/openapi"
)

// Described is a document as the farm serves it.
func Described(t *testing.T, load func() (openapi.Document, error)) *openapi3.T {
	t.Helper()
	d, err := load()
	if err != nil {
		t.Fatal(err)
	}
	body, err := d.JSON("https://farm.example", "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(body)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// HoldShapes holds Go types against the schemas of a document that describe their JSON form, by their names. Of the schemas of answers each
// has to be among them, or among those that are held elsewhere. The rest of a document's schemas are requests.
func HoldShapes(t *testing.T, doc *openapi3.T, shapes map[string]any, elsewhere ...string) {
	t.Helper()
	for name, value := range shapes {
		HoldShape(t, doc, name, value)
	}
	for name := range namedAnswers(doc) {
		if _, listed := shapes[name]; !listed && !slices.Contains(elsewhere, name) {
			t.Errorf("the schema %s of an answer is not held against a Go type: list it in answerShapes", name)
		}
	}
}

// HoldShape holds a Go type against the schema that describes its JSON form.
func HoldShape(t *testing.T, doc *openapi3.T, name string, shape any) {
	t.Helper()
	schema := doc.Components.Schemas[name]
	if schema == nil {
		t.Errorf("there is no schema %s", name)
		return
	}
	compareShape(t, name, schema.Value, reflect.TypeOf(shape))
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

var stampType, rawType = reflect.TypeFor[answer.Time](), reflect.TypeFor[json.RawMessage]()

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

// HoldReaders holds Go types that answers are read into, or that requests are made of, against the schemas that describe them, at any depth:
// each field stands in one of these schemas, and is of its kind. It gives the types that it came by.
func HoldReaders(t *testing.T, readers map[reflect.Type][]string, docs ...*openapi3.T) (seen []reflect.Type) {
	t.Helper()
	h := readerHold{T: t, apart: readers}
	for reader, names := range readers {
		properties := openapi3.Schemas{}
		for _, name := range names {
			for _, doc := range docs {
				if schema := doc.Components.Schemas[name]; schema != nil {
					maps.Copy(properties, schema.Value.Properties)
				}
			}
		}
		if len(properties) == 0 {
			t.Errorf("no document has a schema %v", names)
		}
		h.fields(reader.Name(), properties, reader)
	}
	return h.seen
}

// readerHold goes through the types of readers.
type readerHold struct {
	*testing.T
	apart map[reflect.Type][]string // held by themselves, and passed over within others
	seen  []reflect.Type
}

func (h *readerHold) fields(at string, properties openapi3.Schemas, reader reflect.Type) {
	h.Helper()
	h.seen = append(h.seen, reader)
	for _, field := range reflect.VisibleFields(reader) {
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if key == "-" || key == "" || !field.IsExported() {
			continue
		}
		if property := properties[key]; property != nil {
			h.value(at+"."+key, property.Value, field.Type)
		} else {
			h.Errorf("%s is read, and no schema has it", at+"."+key)
		}
	}
}

// value holds the kind of what is read against its schema, and what is in it.
func (h *readerHold) value(at string, schema *openapi3.Schema, reader reflect.Type) {
	h.Helper()
	if reader.Kind() == reflect.Pointer {
		reader = reader.Elem()
	}
	if len(schema.AllOf) == 1 {
		schema = schema.AllOf[0].Value
	}
	if _, apart := h.apart[reader]; apart || reader == rawType || reader.Kind() == reflect.Interface || schema.Type == nil {
		return
	}
	fits := false
	switch reader.Kind() {
	case reflect.String:
		fits = schema.Type.Is("string")
	case reflect.Bool:
		fits = schema.Type.Is("boolean")
	case reflect.Int, reflect.Int64, reflect.Uint32, reflect.Uint64:
		fits = schema.Type.Is("integer")
	case reflect.Float64:
		fits = schema.Type.Is("number") || schema.Type.Is("integer")
	case reflect.Slice:
		if fits = schema.Type.Is("array"); fits {
			h.value(at+"[]", schema.Items.Value, reader.Elem())
		}
	case reflect.Map:
		if fits = schema.Type.Is("object"); fits && schema.AdditionalProperties.Schema != nil {
			h.value(at+"{}", schema.AdditionalProperties.Schema.Value, reader.Elem())
		}
	case reflect.Struct:
		if fits = schema.Type.Is("object"); fits && len(schema.Properties) > 0 { // one without any may hold anything
			h.fields(at, schema.Properties, reader)
		}
	}
	if !fits {
		h.Errorf("%s is read as %s, and is %v", at, reader, *schema.Type)
	}
}
