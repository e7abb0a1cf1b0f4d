package attempt

import (
	"encoding/json"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/farm/wire"
)

func TestALeaseIsRevealedInACopy(t *testing.T) {
	t.Parallel()
	given := wire.Lease{
		Project: wire.Project{Src: "https://x.test/p.aep?t=${secrets.A}"},
		Assets: []farm.Asset{
			{Type: "image", LayerName: "x", Src: "https://x.test/${secrets.A}.png"}, {Type: "text", Value: json.RawMessage(`"say ${secrets.A}"`)},
			{Type: "script", Src: "data:,x", Parameters: []farm.AssetParameter{{Key: "k", Value: json.RawMessage(`["${secrets.B}"]`)}}},
		},
		Upload:  &farm.Upload{Provider: "s3", Prefix: "p/", Params: map[string]string{"bucket": "b", "accessKeySecret": "${secrets.B}"}},
		Secrets: wire.Secrets{"A": "a b", "B": `q"/+`},
	}
	got, err := reveal(given)
	if err != nil {
		t.Fatal(err)
	}
	if got.Project.Src != "https://x.test/p.aep?t=a%20b" || got.Assets[0].Src != "https://x.test/a%20b.png" || string(got.Assets[1].Value) != `"say a b"` ||
		string(got.Assets[2].Parameters[0].Value) != `["q\"/+"]` || got.Upload.Params["accessKeySecret"] != `q"/+` || got.Upload.Params["bucket"] != "b" {
		t.Errorf("the lease is revealed as %+v %+v", got.Assets, got.Upload)
	}
	if given.Upload.Params["accessKeySecret"] != "${secrets.B}" || given.Assets[2].Parameters[0].Value[2] != '$' {
		t.Error("the lease that was given has changed")
	}
	given.Secrets = nil
	if _, err := reveal(given); err == nil || !strings.Contains(err.Error(), "Secret 'A'") {
		t.Errorf("without values: %v", err)
	}
}
