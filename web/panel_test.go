package web_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"
)

func TestThePanelIsHandedOutWithTheFarmsAddress(t *testing.T) {
	r := start(t)
	res, err := http.Get(r.base + "/panel/Overcrank.jsx")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Disposition") != `attachment; filename="Overcrank.jsx"` {
		t.Fatalf("the panel answers %d, %q", res.StatusCode, res.Header)
	}
	if !bytes.Contains(body, []byte(`SUGGESTED_SERVER = "http`)) || !bytes.Contains(body, []byte("ScriptUI Panels")) {
		t.Errorf("the panel begins with %.300s", body)
	}
}
