package api_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"testing"
)

func TestFilesThatTheFarmHandsOut(t *testing.T) {
	r := start(t)
	content := []byte("an ffmpeg")
	sum := sha256.Sum256(content)
	hash := hex.EncodeToString(sum[:])
	address := "/api/farm/v1/downloads/" + hash
	r.send(http.MethodPut, address+"/content", content, "Content-Type: application/octet-stream").into(http.StatusOK, nil)
	r.send(http.MethodPost, "/api/farm/v1/downloads", `{"kind": "ffmpeg", "system": "windows", "arch": "amd64", "format": "zip", "version": "7.1",
		"name": "ffmpeg.zip", "sha256": "`+hash+`"}`).into(http.StatusCreated, nil)
	var list []struct {
		Name   string
		Size   int64
		SHA256 string
	}
	r.get("/api/farm/v1/downloads").into(http.StatusOK, &list)
	if len(list) != 1 || list[0].Name != "ffmpeg.zip" || list[0].Size != int64(len(content)) || list[0].SHA256 != hash {
		t.Errorf("the farm hands out %+v", list)
	}

	r.inParts(address+"/content", content)

	r.send(http.MethodDelete, address, nil).into(http.StatusNoContent, nil)
	r.get(address + "/content").refused(http.StatusNotFound)
}
