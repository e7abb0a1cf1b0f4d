package farm

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

func particularJob() Job {
	return Job{
		ID: "j", OutputName: "j-x.mp4", Template: JobTemplate{Src: "https://private/a.aep", Composition: "main"},
		Assets: []Asset{
			{Type: "text", LayerName: "title", Value: json.RawMessage(`"private text"`)},
			{Type: "image", LayerName: "logo", Src: "https://private/logo.png", Name: "private.png"},
			{Type: "data", LayerName: "bg", Property: "Position", Expression: "private()"},
			{Type: "script", Src: "https://private/s.jsx", Parameters: []AssetParameter{{Key: "k", Value: json.RawMessage(`["private", {"a": "private b"}]`)}}},
			{Type: "function", Name: "nx:layer-remove", Params: json.RawMessage(`{"layerName": "private layer"}`)},
		},
		Webhook: &Webhook{URL: "https://private/hook", Method: "PUT", Headers: map[string]string{"A": "private"}, Data: json.RawMessage(`{"b": "private"}`)},
		Upload:  &Upload{Provider: "s3", Params: map[string]string{"bucket": "films"}},
	}
}

func TestRedactedJobsKeepNothingParticular(t *testing.T) {
	job := particularJob()
	was, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	redacted := job
	at := time.Unix(1_000, 0).UTC()
	redacted.Redact(at)
	text, err := json.Marshal(redacted)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "private") {
		t.Errorf("left is %s", text)
	}
	for _, kept := range []string{`"title"`, `"logo"`, `"Position"`, `"nx:layer-remove"`, `"main"`, `"films"`, `"PUT"`, `"k"`} {
		if !strings.Contains(string(text), kept) {
			t.Errorf("%s is gone from %s", kept, text)
		}
	}
	if !redacted.RedactedAt.Equal(at) || !redacted.Unkept() || len(redacted.Assets) != len(job.Assets) {
		t.Errorf("redacted to %+v", redacted)
	}
	if now, _ := json.Marshal(job); string(now) != string(was) {
		t.Error("redacting a copy changed the job itself")
	}
	again := redacted
	again.Redact(at)
	if twice, _ := json.Marshal(again); string(twice) != string(text) {
		t.Errorf("redacted twice: %s", twice)
	}
}

func TestParticularsAreWhatACallerGave(t *testing.T) {
	found := particularJob().Particulars()
	for _, want := range []string{"https://private/a.aep", "private text", "https://private/logo.png", "private.png", "private()", "private b", "private layer", "https://private/hook"} {
		if !slices.Contains(found, want) {
			t.Errorf("%q is missing from %q", want, found)
		}
	}
	for _, s := range found {
		if !strings.Contains(s, "private") {
			t.Errorf("%q is nothing particular", s)
		}
	}
}

func TestWhichJobsAreUnkept(t *testing.T) {
	for want, templates := range map[bool][]JobTemplate{
		true:  {{Src: "https://x/a.aep"}, {Src: "data:,x"}, {Src: Redacted}},
		false: {{ID: "t"}, {ID: "t", Src: "https://x/a.aep"}, {Src: KeptScheme + "ab"}, {}},
	} {
		for _, template := range templates {
			if (Job{Template: template}).Unkept() != want {
				t.Errorf("%+v: unkept is not %v", template, want)
			}
		}
	}
}
