package coordinator_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"testing"

	"overcrank/farm"
)

// receive hands the farm a file that it is to hand out.
func (r *rig) receive(content string) string {
	r.t.Helper()
	sum := sha256.Sum256([]byte(content))
	hash := hex.EncodeToString(sum[:])
	if _, err := r.Downloads().Receive(r.t.Context(), r.admin, hash, strings.NewReader(content), int64(len(content))); err != nil {
		r.t.Fatal(err)
	}
	return hash
}

func TestAFarmHandsFilesOut(t *testing.T) {
	r := open(t)
	hash := r.receive("an ffmpeg")
	ffmpeg := farm.Download{Kind: farm.DownloadFFmpeg, System: "windows", Arch: "amd64", Format: "zip", Version: "7.1", File: farm.FileRef{SHA256: hash, Name: "ffmpeg.zip"}}
	made, err := r.Downloads().Add(t.Context(), r.admin, ffmpeg)
	if err != nil || made.File.Size != 9 || made.AddedBy != r.admin.Name || made.AddedAt.IsZero() {
		t.Fatalf("it is %+v, %v", made, err)
	}
	f, err := r.Downloads().Open(t.Context(), r.admin, hash)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if content, err := io.ReadAll(f); string(content) != "an ffmpeg" || f.Name != "ffmpeg.zip" {
		t.Errorf("%q has %q, %v", f.Name, content, err)
	}

	missing := ffmpeg
	missing.File.SHA256 = strings.Repeat("0", 64)
	_, err = r.Downloads().Add(t.Context(), r.admin, missing)
	wantCode(t, err, farm.CodeConflict)
	for _, hash := range []string{"", "../state.db", strings.ToUpper(hash)} {
		bad := ffmpeg
		bad.File.SHA256 = hash
		_, err = r.Downloads().Add(t.Context(), r.admin, bad)
		wantCode(t, err, farm.CodeInvalid)
	}
	hostile := ffmpeg
	hostile.File.Name = `..\..\ffmpeg.zip`
	_, err = r.Downloads().Add(t.Context(), r.admin, hostile)
	wantCode(t, err, farm.CodeInvalid)
	_, err = r.Downloads().Receive(t.Context(), r.admin, strings.Repeat("0", 64), strings.NewReader("other"), 5)
	wantCode(t, err, farm.CodeInvalid)

	if err := r.Downloads().Remove(t.Context(), r.admin, hash); err != nil {
		t.Fatal(err)
	}
	_, err = r.Downloads().Open(t.Context(), r.admin, hash)
	wantCode(t, err, farm.CodeNotFound)
	wantCode(t, r.Downloads().Remove(t.Context(), r.admin, hash), farm.CodeNotFound)
}
