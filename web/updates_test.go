package web_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"
)

func TestHowMachinesGetReleasesIsSetByAForm(t *testing.T) {
	r := start(t)
	v := r.as("ada")
	v.get("/settings/updates").is(http.StatusOK, "Release that machines run", "overcrank releases add DIR").lacks("was stopped")
	form := url.Values{"release": {""}, "canary": {"canary, nightly"}, "hours": {"mon-fri 19:00-08:00\r\nsat,sun 00:00-24:00"}, "pace": {"2048"}, "atOnce": {"5"}, "soak": {"15"}}
	var saved answer
	r.eventually("the farm is at the level of this release", func() bool {
		saved = v.post("/settings/updates", form)
		return saved.status != http.StatusConflict
	})
	saved.is(http.StatusOK, "Saved.", `value="canary, nightly"`, "sat,sun 00:00-24:00", `value="2048"`, `value="5"`, `value="15"`)
	u, err := r.farm.Releases().Updates(t.Context(), r.principal("ada"))
	if err != nil || len(u.CanaryTags) != 2 || len(u.Hours) != 2 || u.BytesPerSecond != 2<<20 || u.AtOnce != 5 || u.Soak() != 15*time.Minute {
		t.Fatalf("the settings are %+v, %v", u, err)
	}

	for field, value := range map[string]string{"hours": "sometimes", "pace": "fast", "atOnce": "-3", "soak": "1.5"} {
		v.post("/settings/updates", url.Values{field: {value}}).is(http.StatusBadRequest, "Nothing was saved", value)
	}
	v.post("/settings/updates", url.Values{"release": {"9.9.9"}}).is(http.StatusNotFound, "Nothing was saved", "9.9.9")
	v.post("/settings/updates/resume", nil).is(http.StatusOK, "Release that machines run") // nothing was stopped
	if now, err := r.farm.Releases().Updates(t.Context(), r.principal("ada")); err != nil || now.Revision != u.Revision {
		t.Errorf("what was refused left %+v, %v", now, err)
	}
}
