package farm

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestReferencesToSecretsAreFound(t *testing.T) {
	for s, want := range map[string][]string{
		"": nil, "no": nil, "${secrets.A}": {"A"}, "x${secrets.A}y${secrets.B}": {"A", "B"}, "${secrets.A": nil, "$secrets.A}": nil,
		"${secrets.}": {""}, "${secrets.${secrets.A}}": {"${secrets.A"}, "${SECRETS.A}": nil,
	} {
		if got := SecretRefs(s); !slices.Equal(got, want) {
			t.Errorf("%q refers to %q, want %q", s, got, want)
		}
	}
	got, err := ReplaceSecrets("a${secrets.X}b${secrets.Y}c", func(name string) (string, error) { return "<${secrets." + name + "}>", nil })
	if err != nil || got != "a<${secrets.X}>b<${secrets.Y}>c" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestEveryStringOfAJobIsRewritten(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	given := Asset{
		Type: "data", LayerName: "${secrets.A}", Composition: "${secrets.B}", Src: "https://x/${secrets.C}", Name: "${secrets.NO}", Property: "${secrets.D}",
		Expression: "${secrets.E}", Value: raw(`{"deep": ["${secrets.F}", 12345678901234567890, {"k": "\u0024{secrets.G}"}]}`), Params: raw(`{"<k>": "${secrets.H}"}`),
		Parameters: []AssetParameter{{Key: "${secrets.NO}", Value: raw(`"${secrets.I}"`)}, {Key: "plain", Value: raw(`1`)}},
	}
	before, err := json.Marshal(given)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	got, err := given.RewriteRefs("assets[3]", func(field, s string) (string, error) {
		seen[field] = strings.Join(SecretRefs(s), ",")
		return ReplaceSecrets(s, func(name string) (string, error) { return `"` + name + `\`, nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"assets[3].layerName": "A", "assets[3].composition": "B", "assets[3].src": "C", "assets[3].property": "D", "assets[3].expression": "E",
		"assets[3].value.deep[0]": "F", "assets[3].value.deep[2].k": "G", "assets[3].params.<k>": "H", "assets[3].parameters[0].value": "I",
	}
	if !reflect.DeepEqual(seen, want) {
		t.Errorf("the references are %v, want %v", seen, want)
	}
	if got.Src != `https://x/"C\` || string(got.Value) != `{"deep":["\"F\\",12345678901234567890,{"k":"\"G\\"}]}` || string(got.Params) != `{"<k>":"\"H\\"}` ||
		string(got.Parameters[0].Value) != `"\"I\\"` || got.Name != given.Name {
		t.Errorf("the asset is %+v", got)
	}
	if after, err := json.Marshal(given); err != nil || string(after) != string(before) {
		t.Errorf("the asset that was given became %s", after)
	}

	seen = map[string]string{}
	note := func(field, s string) (string, error) { seen[field] = s; return s, nil }
	_, err = Upload{Prefix: "${secrets.A}", OutputURL: "${secrets.B}", Params: map[string]string{"bucket": "b", "accessKeySecret": "${secrets.C}"}}.RewriteRefs("upload", note)
	if err != nil || len(seen) != 3 || seen["upload.params.accessKeySecret"] == "" {
		t.Errorf("the upload refers to %v, %v", seen, err)
	}
	seen = map[string]string{}
	_, err = Webhook{URL: "${secrets.A}", Headers: map[string]string{"Auth": "${secrets.B}"}, Data: raw(`{"a":"${secrets.C}"}`)}.RewriteRefs("webhook", note)
	if err != nil || len(seen) != 3 || seen["webhook.data.a"] == "" || seen["webhook.headers.Auth"] == "" {
		t.Errorf("the webhook refers to %v, %v", seen, err)
	}
	stop := errors.New("stop")
	if _, err := given.RewriteRefs("a", func(string, string) (string, error) { return "", stop }); !errors.Is(err, stop) {
		t.Errorf("an error became %v", err)
	}
}

func TestFontsThatAssetsAskForAreFound(t *testing.T) {
	job := Job{Assets: []Asset{
		{Type: "function", Name: "nx:text-params-set", Params: json.RawMessage(`{"layerName":"x","font":"A-Bold"}`)},
		{Type: "data", Property: "Source Text.font", Value: json.RawMessage(`"B"`)},
		{Type: "data", Property: "Text->Source Text->font", Value: json.RawMessage(`"C"`)},
		{Type: "data", Property: "Source Text", Value: json.RawMessage(`{"font":"D","text":"x"}`)},
		{Type: "data", Property: "Source Text", Value: json.RawMessage(`"just text"`)},
		{Type: "data", Property: "Source Text.font", Value: json.RawMessage(`"${secrets.F}"`)},
		{Type: "text", Value: json.RawMessage(`"E"`)},
	}}
	want := []FontUse{{PostScript: "A-Bold"}, {PostScript: "B"}, {PostScript: "C"}, {PostScript: "D"}}
	if got := job.FontUses(); !slices.Equal(got, want) {
		t.Errorf("the fonts are %v, want %v", got, want)
	}
}
