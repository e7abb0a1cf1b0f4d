package apitest

import (
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// widen adds to the published contract what its prose allows beyond its machine form, and nothing else.
func widen(doc *openapi3.T) {
	for _, name := range []string{"JobCreation", "JobAssetNested"} {
		template := doc.Components.Schemas[name].Value.Properties["template"].Value
		widenTemplate(template)
	}
	join := doc.Components.Schemas["JoinJobCreation"].Value
	widenTemplate(join.Properties["assets"].Value.Items.Value.Properties["template"].Value)
	for _, name := range []string{"JobCreation", "JoinJobCreation"} {
		// gcs is accepted, and means s3 with another endpoint.
		provider := doc.Components.Schemas[name].Value.Properties["upload"].Value.Properties["provider"].Value
		provider.Enum = append(provider.Enum, "gcs")
	}
	// data is any JSON value.
	webhook := doc.Components.Schemas["JobWebhook"].Value
	webhook.Properties["data"].Value = &openapi3.Schema{}

	for _, p := range doc.Paths.Value("/v2/jobs").Get.Parameters {
		if slices.Contains([]string{"from_date", "to_date"}, p.Value.Name) {
			p.Value.Schema.Value.Format = "" // also a day
		}
	}
	// A batch that cannot be read is refused as any other body is.
	if post := doc.Paths.Value("/v2/batches").Post; post != nil {
		media := post.Responses.Value("400").Value.Content["application/json"]
		media.Schema = &openapi3.SchemaRef{Value: &openapi3.Schema{AnyOf: openapi3.SchemaRefs{
			media.Schema, {Ref: "#/components/schemas/VError", Value: doc.Components.Schemas["VError"].Value},
		}}}
	}
}

// widenTemplate lets a job name its project by src, and by an id that stands for none beside it.
func widenTemplate(template *openapi3.Schema) {
	template.Required = nil
	template.Properties["id"].Value.Pattern = ""
}
