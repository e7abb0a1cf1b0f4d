package api

import (
	"flag"
	"testing"

	"overcrank/api/answer"
	"overcrank/api/apitest"
	"overcrank/farm"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestErrorsOnTheWire(t *testing.T) {
	apitest.Golden(t, *update, "error", answer.ErrorBody{Error: "there is no job \"x\""})
	apitest.Golden(t, *update, "error-details", answer.ErrorBody{Error: "the request is not valid", Details: []farm.FieldError{{Field: "assets[2].layerName", Message: "is missing"}}})
}
