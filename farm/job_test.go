package farm_test

import (
	"encoding/json"
	"slices"
	"testing"

	"overcrank/farm"
)

func TestAJobKnowsItsKeptFiles(t *testing.T) {
	job := farm.Job{
		Template: farm.JobTemplate{Src: "farm://aa"},
		Assets: []farm.Asset{
			{Type: "image", Src: "farm://bb"},
			{Type: "image", Src: "https://example.com/farm://cc"},
			{Type: "essential", Value: json.RawMessage(`"farm://dd"`)},
			{Type: "essential", Value: json.RawMessage(`["farm://ee"]`)},
			{Type: "text", Value: json.RawMessage(`"farm://ff"`)},
			{Type: "audio", Src: "farm://bb"},
		},
	}
	if got, want := job.KeptFiles(), []string{"aa", "bb", "dd", "bb"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
