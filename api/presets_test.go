package api_test

import (
	"net/http"
	"testing"
)

// TestAPresetIsKeptAsItWasSent saves presets with names that addresses have to escape, and sends one back as it was answered.
func TestAPresetIsKeptAsItWasSent(t *testing.T) {
	r := start(t)
	leveled(r, r.token)
	const name = "Spots%2FWeb%20%26%20TV"
	type preset struct {
		Name     string         `json:"name"`
		Default  bool           `json:"default"`
		Settings map[string]any `json:"settings"`
		Upload   map[string]any `json:"upload"`
		Webhook  map[string]any `json:"webhook"`
	}
	var kept, copied preset
	r.send(http.MethodPut, "/api/farm/v1/presets/"+name, `{"settings": {"codec": "video_prores_422"}, "default": true, "webhook": {"url": "https://studio.example/done"},
		"upload": {"params": {"bucket": "studio", "region": "eu-central-1", "accessKeyId": "${secrets.ID}", "accessKeySecret": "${secrets.KEY}"}}}`).into(http.StatusOK, &kept)
	r.get("/api/farm/v1/presets/spots%2fweb%20%26%20tv").into(http.StatusOK, &kept)
	if kept.Name != "Spots/Web & TV" || !kept.Default || kept.Settings["codec"] != "video_prores_422" || kept.Settings["quality"] != nil || kept.Webhook["url"] != "https://studio.example/done" {
		t.Fatalf("the farm keeps %+v", kept)
	}
	r.send(http.MethodPut, "/api/farm/v1/presets/Copy", map[string]any{"settings": kept.Settings, "upload": kept.Upload, "webhook": kept.Webhook, "default": true}).into(http.StatusOK, &copied)
	if copied.Upload["provider"] != "s3" || copied.Webhook["url"] != kept.Webhook["url"] {
		t.Errorf("sent back, it is %+v", copied)
	}
	var list []preset
	r.get("/api/farm/v1/presets").into(http.StatusOK, &list)
	if len(list) != 2 || list[0].Name != "Copy" || !list[0].Default || list[1].Default {
		t.Errorf("the team has %+v: the default is the newer one", list)
	}
	// A key itself is refused: everybody of the team would see it.
	r.send(http.MethodPut, "/api/farm/v1/presets/Open", `{"upload": {"params": {"bucket": "studio", "region": "eu-central-1", "accessKeyId": "AKIA", "accessKeySecret": "open"}}}`).
		into(http.StatusBadRequest, nil)
	r.send(http.MethodDelete, "/api/farm/v1/presets/"+name, nil).into(http.StatusNoContent, nil)
	r.get("/api/farm/v1/presets").into(http.StatusOK, &list)
	if len(list) != 1 {
		t.Errorf("the deleted preset is still there: %+v", list)
	}
}
