package api

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gofiber/fiber/v2"

	"overcrank/api/apitest"
	"overcrank/api/openapi"
	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// farmRoot begins the addresses that the farm's own document describes; the public one describes the others.
const farmRoot = "/api/farm/"

// loadInterfaces are the served documents: the public one, and the farm's own.
func loadInterfaces(t *testing.T) []*openapi3.T {
	t.Helper()
	return []*openapi3.T{apitest.Described(t, openapi.Public), apitest.Described(t, openapi.Farm)}
}

// ofAgents lists what only agents and coordinators speak; farm/wire describes it.
var ofAgents = []string{wire.PathEnrol, wire.PathRenew, wire.PathProve, wire.PathLeave, wire.PathFrame, wire.PathSession, wire.PathFiles, wire.PathOutput, wire.PathThumbnail, wire.PathTimes, wire.PathProxy, wire.PathNodeJoin}

var pathParameter = regexp.MustCompile(`:([a-zA-Z0-9]+)`)

// served lists what the router knows, as "METHOD /path", each with the least role, "" for what needs no token.
func served() map[string]farm.Role {
	s := &server{farm: partsOf(&coordinator.Coordinator{})}
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
		out[name(r.Method, r.Path)] = r.Action.Grant().Least
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
			t.Errorf("%s is in api/openapi and in no routes.go", address)
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
