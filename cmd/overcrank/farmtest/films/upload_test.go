//go:build linux

package films_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"overcrank/agent/upload/s3test"
	"overcrank/cmd/overcrank/titlecard"
)

// toBucket is an upload to a real S3 server.
func toBucket(s *s3test.Server, bucket, secret string) map[string]any {
	return map[string]any{"provider": "s3", "prefix": "films/of ours/", "params": map[string]any{
		"endpoint": "http://" + s.Address, "region": s3test.Region, "bucket": bucket, "accessKeyId": s3test.KeyID, "accessKeySecret": secret,
	}}
}

func TestAResultGoesToABucketInsteadOfTheFarm(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t, "renders")
	dir := t.TempDir()
	f := farmtest.Up(t, dir)
	template := f.Card()
	still := map[string]any{"type": "image", "frames": 30}
	submit := func(upload map[string]any) string {
		body := map[string]any{"template": map[string]string{"id": template, "composition": titlecard.Composition}, "settings": still}
		if upload != nil {
			body["upload"] = upload
		}
		job, err := f.Submit(t.Context(), body)
		if err != nil {
			t.Fatal(err)
		}
		return job.ID
	}
	here, err := os.ReadFile(f.Fetch(f.Finished(submit(nil))))
	if err != nil {
		t.Fatal(err)
	}

	for name, value := range map[string]string{"S3_SECRET": s3test.Secret, "S3_HOST": "http://" + s.Address} {
		if _, err := f.SetSecret(t.Context(), name, value, nil); err != nil {
			t.Fatal(err)
		}
	}
	to := toBucket(s, "renders", "${secrets.S3_SECRET}")
	to["params"].(map[string]any)["endpoint"] = "${secrets.S3_HOST}"
	id := submit(to)
	f.Finished(id)
	there, kind, err := s.Read(t.Context(), "renders", "films/of ours/"+id+".png")
	if err != nil || !bytes.Equal(there, here) || kind != "image/png" {
		t.Fatalf("%d bytes of %s in the bucket, %v; the same job's result at the farm has %d", len(there), kind, err, len(here))
	}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(path, id) && strings.HasSuffix(path, ".png") {
			t.Errorf("the farm keeps a copy: %s", path)
		}
		if os.IsNotExist(err) {
			return nil // it went while we looked
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if log := f.LogOf(id); strings.Contains(log, s3test.Secret) || strings.Contains(log, s3test.KeyID) || !strings.Contains(log, "bucket 'renders'") {
		t.Errorf("the log says\n%s", log)
	}
}

func TestAnUploadThatIsRefusedFailsTheJobByName(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t, "renders")
	f := farmtest.Up(t, t.TempDir())
	src := f.HandOver(farmtest.SmallCard(t))
	for want, upload := range map[string]map[string]any{
		"to bucket 'nowhere' failed: the bucket does not exist (404)":                          toBucket(s, "nowhere", s3test.Secret),
		"to bucket 'renders' failed: the access key's secret is wrong, or the region is (403)": toBucket(s, "renders", "the-wrong-secret"),
	} {
		job, err := f.Submit(t.Context(), map[string]any{
			"template": map[string]string{"src": src, "composition": titlecard.Composition}, "settings": map[string]any{"type": "image", "frames": 1}, "upload": upload,
		})
		if err != nil {
			t.Fatal(err)
		}
		if job = f.Ended(job.ID); job.Status != "error" || !strings.Contains(job.Stats.Error, want) {
			t.Errorf("the job is %s: %q; want %s", job.Status, job.Stats.Error, want)
		}
		if strings.Contains(job.Stats.Error+f.LogOf(job.ID), "the-wrong-secret") {
			t.Error("the job tells a credential")
		}
		if res, err := http.Get(job.OutputURL); err != nil || res.StatusCode != http.StatusNotFound {
			t.Errorf("its address answers %v, %v", res, err)
		} else if err := res.Body.Close(); err != nil {
			t.Error(err)
		}
	}
}
