package coordinator_test

import (
	"strings"
	"testing"

	"overcrank/coordinator"
	"overcrank/farm"
)

func TestAFileThatNoMachineMayReadIsRefused(t *testing.T) {
	r := open(t)
	r.eventually("the farm understands what this release brings", func() bool {
		level, err := r.Level()
		return err == nil && level == coordinator.Level()
	})
	picture := func(src string) farm.Job {
		return farm.Job{Template: farm.JobTemplate{Src: "https://files.example/a.aep", Composition: "main"}, Assets: []farm.Asset{{Type: "image", LayerName: "x", Src: src}}}
	}
	refused := func(job farm.Job, field string) {
		t.Helper()
		_, err := r.Submit(t.Context(), r.admin, job)
		wantCode(t, err, farm.CodeInvalid)
		if err != nil && !strings.Contains(err.Error(), field+": is in no folder") || !strings.Contains(err.Error(), "--root") {
			t.Errorf("refused with %v", err)
		}
	}
	taken := func(job farm.Job) {
		t.Helper()
		if _, err := r.Submit(t.Context(), r.admin, job); err != nil {
			t.Error(err)
		}
	}
	refused(picture("file:///mnt/media/a.png"), "assets[0].src") // no machine has ever come
	r.enrol("bare", func(inv *farm.Inventory) { inv.Roots = []string{} })
	refused(picture("file:///mnt/media/a.png"), "assets[0].src")
	r.enrol("media", func(inv *farm.Inventory) { inv.Roots = []string{"/mnt/media"} }) // which is not connected
	taken(picture("file:///mnt/media/a.png"))
	taken(picture("FILE:///mnt/media/show%20reel.png"))
	refused(picture("file:///etc/passwd"), "assets[0].src")
	refused(picture("file:///mnt/media/%2e%2e/%2e%2e/etc/passwd"), "assets[0].src")
	refused(farm.Job{Template: farm.JobTemplate{Src: "file:///home/a.aep", Composition: "main"}}, "template.src")
	child := picture("file:///etc/passwd")
	refused(farm.Job{Template: child.Template, Assets: []farm.Asset{{Type: "job", LayerName: "x", Nested: &child}}}, "assets[0].assets[0].src")
	old := r.enrol("old") // whose agent does not tell
	taken(picture("file:///etc/passwd"))
	if err := r.RetireAgent(t.Context(), r.admin, old.agent.ID); err != nil {
		t.Fatal(err)
	}
	refused(picture("file:///etc/passwd"), "assets[0].src")
	media := r.enrol("media too", func(inv *farm.Inventory) { inv.Roots = []string{} })
	media.inventory.Roots = []string{"/srv"}
	media.connect()
	r.eventually("what a machine tells anew counts", func() bool {
		_, err := r.Submit(t.Context(), r.admin, picture("file:///srv/a.png"))
		return err == nil
	})
}
