package web_test

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// sendsFile sends a file as the page's script does.
func (v *visitor) sendsFile(path string, body []byte) answer {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.base+path, bytes.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/octet-stream")
	req.Header.Set("Origin", v.origin)
	return v.do(req)
}

// webp is a picture of one pixel.
var webp = []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\r\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00")

func TestTheStudiosNameAndLogoAreSetOnAPage(t *testing.T) {
	r := start(t)
	ada := r.as("ada")
	ada.get("/settings/studio").is(http.StatusOK, "Name of the team", "Logo").lacks("Remove the logo")
	ada.post("/settings/studio", url.Values{"name": {"Northlight"}}).is(http.StatusOK, `value="Northlight"`)
	ada.post("/settings/studio", url.Values{"name": {" "}}).is(http.StatusBadRequest, "name-problem")
	r.as("pro").post("/settings/studio", url.Values{"name": {"Mine"}}).is(http.StatusForbidden)

	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 900, 300))); err != nil {
		t.Fatal(err)
	}
	r.eventually("the farm keeps logos", func() bool { return ada.sendsFile("/files/logo", picture.Bytes()).status == http.StatusNoContent })
	ada.get("/settings/studio").is(http.StatusOK, "Remove the logo", `src="/settings/studio/logo"`)
	shown := ada.get("/settings/studio/logo").is(http.StatusOK)
	if logo, err := png.DecodeConfig(strings.NewReader(shown.body)); err != nil || logo.Width != 480 || logo.Height != 160 {
		t.Errorf("the logo is %+v, %v", logo, err)
	}
	ada.sendsFile("/files/logo", webp).is(http.StatusNoContent)
	for name, body := range map[string]string{
		"a drawing with a script": `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`, "nothing": "", "a damaged picture": picture.String()[:60],
	} {
		if a := ada.sendsFile("/files/logo", []byte(body)); a.status != http.StatusBadRequest {
			t.Errorf("%s: %d, %s", name, a.status, a.body)
		}
	}
	ada.sendsFile("/files/logo", make([]byte, 2<<20+1)).is(http.StatusRequestEntityTooLarge)
	r.as("pro").sendsFile("/files/logo", webp).is(http.StatusForbidden)

	_, path := r.shared(r.submit("ada", "Opener").ID)
	r.visit().get(path).is(http.StatusOK, path+"/logo", `alt="Northlight"`)
	ada.post("/settings/studio/logo/remove", nil).is(http.StatusOK).lacks("Remove the logo")
	r.visit().get(path).is(http.StatusOK, "Northlight").lacks(path + "/logo")
	ada.get("/settings/audit").is(http.StatusOK, "Northlight")
}
