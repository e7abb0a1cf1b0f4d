package public

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"overcrank/aep"
	"overcrank/api/apitest"
	"overcrank/api/openapi"
	"overcrank/farm"
)

func TestTheDocumentsChoicesAreThoseOfTheCode(t *testing.T) {
	doc := apitest.Described(t, openapi.Public)
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
		"job states":     {enum(schema("JobStatus")), textsOf(JobStates)},
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

// TestTheFieldsOfAJobAreTheDocuments holds the lists of fields that a strict request may have.
func TestTheFieldsOfAJobAreTheDocuments(t *testing.T) {
	doc := apitest.Described(t, openapi.Public)
	for schema, known := range map[string][]string{
		"JobCreation": jobKeys, "JoinCreation": joinKeys, "Clip": clipKeys, "NestedJob": nestedKeys,
	} {
		described := slices.Sorted(maps.Keys(doc.Components.Schemas[schema].Value.Properties))
		if known := slices.Sorted(slices.Values(known)); !slices.Equal(described, known) {
			t.Errorf("%s: the document has %v, the code knows %v", schema, described, known)
		}
	}
}
