package public

import (
	"testing"

	"overcrank/aep"
	"overcrank/api/apitest"
	"overcrank/api/openapi"
	"overcrank/farm"
)

// answerShapes are the Go types whose JSON form the public document describes.
var answerShapes = map[string]any{
	"Template": templateBody{}, "Mogrt": mogrtBody{}, "MogrtField": aep.MogrtFieldSummary{}, "UploadInfo": uploadInfo{},
	"TemplateV3": template3Body{}, "Composition": compositionBody{}, "Layer": layerBody{}, "Job": JobBody{},
	"JobStats": JobStats{}, "JobOutput": jobOutput{}, "JobCreated": jobCreated{}, "JobAsset": farm.Asset{},
	"AssetParameter": farm.AssetParameter{}, "BatchCreated": batchCreated{}, "BatchCreatedJob": batchCreatedJob{},
	"BatchJobError": batchJobError{}, "Batch": batchBody{}, "BatchJob": batchJob{}, "BatchStats": BatchStats{},
	"BatchCancelled": batchCancelled{}, "BatchCancelledJob": batchCancelledJob{}, "Font": FontBody{}, "Secret": SecretBody{},
}

func TestTheDocumentsAnswersAreTheShapesOfTheCode(t *testing.T) {
	apitest.HoldShapes(t, apitest.Described(t, openapi.Public), answerShapes, "Readiness", "ReadinessCheck", "DiskSpace", "Error", "FieldError")
}
