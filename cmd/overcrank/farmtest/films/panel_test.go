//go:build linux

package films_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"overcrank/aep"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/panel/paneltest"
)

// TestAProjectSentFromAfterEffectsComesBackAsAFilm has the panel send an open project, follow its jobs and download the films, in an After
// Effects that is a double. The footage lies beside the project's folder, and for the second film far from it.
func TestAProjectSentFromAfterEffectsComesBackAsAFilm(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	ae := paneltest.Open(t, "", &aep.Project{Version: aep.Version{Major: 24}, BitsPerChannel: 8})
	red := func(path string) *aep.Item {
		if out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=red:s=64x48", "-frames:v", "1", path).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return &aep.Item{Name: filepath.Base(path), Kind: aep.ItemFootage, Footage: &aep.Footage{Kind: aep.FootageFile, Width: 64, Height: 48, PixelAspect: 1, Still: true,
			HasVideo: true, Format: "png!", File: aep.FileReference{FullPath: path, Resolved: path}}}
	}
	near, far := red(ae.Path("show/footage/plåte.png")), red(ae.Path("far/plate 2.png"))
	near.ID, far.ID = 3, 4
	comp := func(id uint32, name string, shows uint32) *aep.Item {
		layer := &aep.Layer{ID: id * 10, Kind: aep.LayerAV, Source: shows, Out: 0.4, Stretch: 100, Blend: aep.BlendNormal, Enabled: true, Quality: 2,
			Props: &aep.Property{Match: "ADBE AV Layer", Group: true, Enabled: true}}
		return &aep.Item{ID: id, Name: name, Kind: aep.ItemComposition, Comp: &aep.Composition{Width: 64, Height: 48, PixelAspect: 1, FrameRate: 25, FrameTicks: 1000,
			TicksPerSecond: 25000, Duration: 0.4, WorkAreaDuration: 0.4, Layers: []*aep.Layer{layer}}}
	}
	ae.Project.Items = []*aep.Item{comp(1, "near", 3), comp(2, "far", 4), near, far}
	ae.Project.Path = ae.Path("show/a/b/c/spot.aep")
	ae.Save()
	ae.Joined(f.Server, f.Token, "")
	r := ae.Run(`
		function film(name) {
			var all = compositions(), fields, result = null, job, followed = false, saved = null;
			fields = {chosen: [all[all[0].name === name ? 0 : 1]], title: "", format: 0, range: 0, frames: "", level: 0, priority: "", split: 0, engine: 0};
			submitProject(planOf(knownFarm(), fields), function () {}, function (error, made) { if (error) { throw error; } result = made; });
			until(function () { return result; }, "the submission of " + name);
			job = result.jobs[0];
			followJobs(knownFarm(), [job], function () { followed = hasEnded(job); }, function (error) { throw error; });
			until(function () { return followed; }, "the end of " + name);
			if (job.status !== "finished") { throw new Error(job.error); }
			saveResult(knownFarm(), job, folderAt(Folder.temp.fsName + "/results 100%"), function () {}, function (error, file) { if (error) { throw error; } saved = file; });
			until(function () { return saved; }, "the download of " + name);
			return saved.fsName;
		}
		report("near", film("near")); report("again", film("near")); report("far", film("far"));`)
	for _, name := range []string{"near", "again", "far"} {
		path := paneltest.Read[string](t, r, name)
		if codec, width, height, frames, _ := farmtest.Probe(t, path); codec != "h264" || width != 64 || height != 48 || frames != 10 {
			t.Errorf("%s: %s of %d×%d pixels and %d frames", path, codec, width, height, frames)
		}
		pixel, err := exec.Command("ffmpeg", "-v", "error", "-i", path, "-frames:v", "1", "-vf", "format=rgb24,crop=1:1:32:24", "-f", "rawvideo", "-pix_fmt", "rgb24", "-").Output()
		if err != nil || len(pixel) != 3 || pixel[0] < 200 || pixel[1] > 60 || pixel[2] > 60 {
			t.Errorf("%s shows %v, not the red of its footage; %v", name, pixel, err)
		}
	}
}
