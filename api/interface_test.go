package api

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gofiber/fiber/v2"

	"overcrank/aep"
	"overcrank/api/openapi"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// farmRoot begins the addresses that the farm's own document describes; the public one describes the others.
const farmRoot = "/api/farm/"

// loadInterface is a served document.
func loadInterface(t *testing.T, load func() (openapi.Document, error)) *openapi3.T {
	t.Helper()
	d, err := makeInterface(load, "https://farm.example", "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(d.body)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// loadInterfaces are the served documents: the public one, and the farm's own.
func loadInterfaces(t *testing.T) []*openapi3.T {
	t.Helper()
	return []*openapi3.T{loadInterface(t, openapi.Public), loadInterface(t, openapi.Farm)}
}

// ofAgents lists what only agents and coordinators speak; farm/wire describes it.
var ofAgents = []string{wire.PathEnrol, wire.PathRenew, wire.PathProve, wire.PathSession, wire.PathFiles, wire.PathOutput, wire.PathThumbnail, wire.PathNodeJoin}

var pathParameter = regexp.MustCompile(`:([a-zA-Z0-9]+)`)

// served lists what the router knows, as "METHOD /path", each with the least role, "" for what needs no token.
func served() map[string]farm.Role {
	s := &server{}
	app := fiber.New()
	s.route(app)
	out := map[string]farm.Role{}
	name := func(method, path string) string { return method + " " + pathParameter.ReplaceAllString(path, "{$1}") }
	for _, r := range app.GetRoutes(true) {
		agents := slices.ContainsFunc(ofAgents, func(prefix string) bool { return strings.HasPrefix(r.Path, prefix) })
		before := slices.Contains([]string{"/api", "/files", "/outputs"}, r.Path) // what stands before all addresses of a kind
		if r.Method != fiber.MethodHead && !agents && !before {
			out[name(r.Method, r.Path)] = ""
		}
	}
	for _, r := range s.teamRoutes() {
		out[name(r.method, r.path)] = r.action.Grant().Least
	}
	return out
}

func TestTheDocumentsListExactlyTheRoutes(t *testing.T) {
	described := map[string]farm.Role{}
	for i, doc := range loadInterfaces(t) {
		for address, role := range operationsOf(doc) {
			described[address] = role
			if own := i == 1; strings.Contains(address, " "+farmRoot) != own {
				t.Errorf("%s is in the wrong document", address)
			}
		}
	}
	routes := served()
	for _, address := range slices.Sorted(maps.Keys(routes)) {
		role, known := described[address]
		switch {
		case !known:
			t.Errorf("%s is not in api/openapi", address)
		case role != routes[address]:
			t.Errorf("%s needs the role %q, the document says %q", address, routes[address], role)
		}
	}
	for _, address := range slices.Sorted(maps.Keys(described)) {
		if _, known := routes[address]; !known {
			t.Errorf("%s is in api/openapi and not in api/routes.go", address)
		}
	}
}

// operationsOf are the operations of a document, aliases too, with the least role of each.
func operationsOf(doc *openapi3.T) map[string]farm.Role {
	described := map[string]farm.Role{}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			role, _ := op.Extensions[openapi.RoleKey].(string)
			described[method+" "+path] = farm.Role(role)
			aliases, _ := op.Extensions[openapi.AliasesKey].([]any)
			for _, alias := range aliases {
				described[method+" "+alias.(string)] = farm.Role(role)
			}
		}
	}
	return described
}

func TestTheDocumentsChoicesAreThoseOfTheCode(t *testing.T) {
	doc := loadInterface(t, openapi.Public)
	schema := func(name string) *openapi3.Schema {
		ref := doc.Components.Schemas[name]
		if ref == nil {
			t.Fatalf("there is no schema %s", name)
		}
		return ref.Value
	}
	property := func(of, name string) *openapi3.Schema {
		ref := schema(of).Properties[name]
		if ref == nil {
			t.Fatalf("there is no %s.%s", of, name)
		}
		return ref.Value
	}
	documented := []string{}
	for _, ref := range schema("Asset").OneOf {
		documented = append(documented, enum(ref.Value.Properties["type"].Value)...)
	}
	names := []string{}
	for name := range functions {
		names = append(names, "nx:"+name, "nx-"+name)
	}
	for what, c := range map[string]struct{ document, code []string }{
		"codecs":         {enum(schema("Codec")), slices.Concat(slices.Collect(maps.Values(codecs))...)},
		"asset types":    {documented, slices.Clone(assetTypes)},
		"discriminator":  {slices.Collect(maps.Keys(schema("Asset").Discriminator.Mapping)), slices.Clone(assetTypes)},
		"functions":      {enum(property("FunctionAsset", "name")), names},
		"job states":     {enum(schema("JobStatus")), textsOf(jobStates)},
		"levels":         {enum(property("JobCreation", "level")), textsOf([]farm.Level{farm.LevelRush, farm.LevelNormal, farm.LevelOvernight})},
		"template types": {enum(schema("TemplateType")), []string{aep.TypeProject, aep.TypeZip, aep.TypeMogrt}},
		"template states": {enum(schema("TemplateStatus")), textsOf([]farm.TemplateStatus{
			farm.TemplateAwaitingUpload, farm.TemplateDownloading, farm.TemplateProcessing, farm.TemplateUploaded, farm.TemplateError})},
		"kinds of result": {enum(property("Settings", "type")), slices.Collect(maps.Keys(codecs))},
	} {
		slices.Sort(c.document)
		slices.Sort(c.code)
		if !slices.Equal(c.document, c.code) {
			t.Errorf("%s: the document has %v, the code %v", what, c.document, c.code)
		}
	}
	prose := schema("FunctionAsset").Description
	for name, arguments := range functions {
		if !strings.Contains(prose, "`nx:"+name+"`") {
			t.Errorf("the description of functions does not tell of nx:%s", name)
		}
		for _, a := range arguments {
			if a.needed && !strings.Contains(prose, a.name) {
				t.Errorf("the description of functions does not tell of %s, which nx:%s needs", a.name, name)
			}
		}
	}
}

func enum(s *openapi3.Schema) (out []string) {
	for _, value := range s.Enum {
		out = append(out, value.(string))
	}
	return out
}

func textsOf[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, word := range list {
		out[i] = string(word)
	}
	return out
}
