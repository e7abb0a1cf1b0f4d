// Package apitest holds the traffic of tests against the interface: every answer, and every request that succeeds, has to
// be what the farm's own document says, and what the published contract says where that lies beside the checkout.
package apitest

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"overcrank/api/openapi"
)

// document is one description of the interface.
type document struct {
	name   string
	ours   bool // it is one that the farm serves
	doc    *openapi3.T
	router routers.Router
	root   string            // what stands before its paths
	alias  map[string]string // "METHOD /path/{id}" to the path under which the document has it
	// anywhere lists the statuses that each of its operations may answer beyond those that it lists.
	anywhere []int
}

// ours are the documents that the farm serves.
func ours() ([]*document, error) {
	public, err := served(openapi.PathPublic, openapi.Public)
	if err != nil {
		return nil, err
	}
	own, err := served(openapi.PathFarm, openapi.Farm)
	if err != nil {
		return nil, err
	}
	return []*document{public, own}, nil
}

func served(path string, load func() (openapi.Document, error)) (*document, error) {
	source, err := load()
	if err != nil {
		return nil, err
	}
	text, err := source.JSON("/", "test")
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	for _, schema := range doc.Components.Schemas {
		letNull(schema.Value)
	}
	d := &document{name: path, ours: true, doc: doc, alias: map[string]string{}}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			aliases, _ := op.Extensions[openapi.AliasesKey].([]any)
			for _, alias := range aliases {
				d.alias[method+" "+fmt.Sprint(alias)] = path
			}
		}
	}
	return d, d.route()
}

// letNull lets properties be null that may be anything: OpenAPI 3.0 says so of a schema without a type, and kin-openapi does not.
func letNull(schema *openapi3.Schema) {
	for _, p := range schema.Properties {
		if v := p.Value; p.Ref == "" && v.Type == nil && v.OneOf == nil && v.AnyOf == nil && v.AllOf == nil {
			v.Nullable = true
		}
	}
}

// published is the contract of the public interface, nil where it is not there.
func published() (*document, error) {
	path := Shared("spec", "wire.openapi.json")
	if path == "" {
		return nil, nil
	}
	doc, err := openapi3.NewLoader().LoadFromFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the published contract: %w", err)
	}
	widen(doc)
	d := &document{
		name: "wire.openapi.json", doc: doc, root: "/api", anywhere: []int{401, 403, 409, 413, 429, 503, 206, 304, 416}, // the last are HTTP's own
		alias: map[string]string{"GET /v2/templates/{id}/upload": "/v2/templates/{id}/download"},
	}
	for path := range doc.Paths.Map() {
		if rest, v3 := strings.CutPrefix(path, "/v3/"); v3 {
			d.alias["GET /v2/v3/"+rest] = path
		}
	}
	return d, d.route()
}

// route makes the router; aliases become paths of their own.
func (d *document) route() error {
	for address, path := range d.alias {
		method, alias, _ := strings.Cut(address, " ")
		item := d.doc.Paths.Value(alias)
		if item == nil {
			item = &openapi3.PathItem{Parameters: d.doc.Paths.Value(path).Parameters}
			d.doc.Paths.Set(alias, item)
		}
		op := *d.doc.Paths.Value(path).GetOperation(method)
		op.OperationID = ""
		item.SetOperation(method, &op)
	}
	d.doc.Servers = nil
	router, err := gorillamux.NewRouter(d.doc)
	if err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	d.router = router
	return nil
}

// find gives the operation that a request is for, nil when the document has none.
func (d *document) find(r *http.Request) (*routers.Route, map[string]string, *http.Request) {
	path, ours := strings.CutPrefix(r.URL.Path, d.root)
	if !ours {
		return nil, nil, nil
	}
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	asked := r.Clone(r.Context())
	asked.URL = &url.URL{Path: path, RawQuery: r.URL.RawQuery}
	route, params, err := d.router.FindRoute(asked)
	if err != nil {
		return nil, nil, nil
	}
	return route, params, asked
}

// operations are the names of all operations, as "METHOD /path"; aliases are not among them.
func (d *document) operations() map[string]*openapi3.Operation {
	out := map[string]*openapi3.Operation{}
	for path, item := range d.doc.Paths.Map() {
		for method, op := range item.Operations() {
			if _, alias := d.alias[method+" "+path]; !alias {
				out[method+" "+path] = op
			}
		}
	}
	return out
}

// nameOf names the operation of a route; an alias goes by the name of what it stands for.
func (d *document) nameOf(route *routers.Route) string {
	if path, alias := d.alias[route.Method+" "+route.Path]; alias {
		return route.Method + " " + path
	}
	return route.Method + " " + route.Path
}

// Shared is a path in the folder of samples and contracts beside the checkout, "" when it is not there.
func Shared(parts ...string) string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
	path := filepath.Join(slices.Concat([]string{dir, "..", "shared"}, parts)...)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return ""
	}
	return path
}
