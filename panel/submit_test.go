package panel_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"overcrank/aep"
	"overcrank/panel/paneltest"
)

// said is how a submission ended.
type said struct {
	Error  string
	Phases []string
	Result struct {
		Template string
		Sent     struct{ Files, Bytes, Of int }
		Jobs     []struct{ ID, Name, Status, OutputURL string }
		Findings []struct {
			Stop bool
			Text string
		}
	}
}

// send has the panel send compositions by name; edit may change its fields.
const send = `
function sendNow(names, edit) {
	var all = compositions(), fields, plan, i, ended = false, out = {phases: [], error: ""}, work;
	fields = {chosen: [], title: "", format: 0, range: 0, frames: "", level: 0, priority: "", split: 0, engine: 0, preview: false, hold: true, reduce: false, template: false};
	for (i = 0; i < all.length; i++) { if (indexOf(names, all[i].name) >= 0) { fields.chosen.push(all[i]); } }
	edit(fields);
	plan = planOf(knownFarm(), fields);
	work = submitProject(plan, function (state) {
		if (out.phases[out.phases.length - 1] !== state.phase) { out.phases.push(state.phase); }
		if (state.done > state.total) { throw new Error(state.phase + ": " + state.done + " of " + state.total); }
		if (typeof seen === "function") { seen(state, work); }
	}, function (error, result) {
		ended = true;
		out.error = error ? errorText(error) : "";
		out.result = result;
	});
	until(function () { return ended || out.phases[out.phases.length - 1] === "cancelled"; }, "the submission ends");
	return out;
}
`

// spot is an After Effects with a project of two compositions, one of which shows a picture beside the project's folder, and large footage.
func spot(t *testing.T) *paneltest.AfterEffects {
	t.Helper()
	a := paneltest.Open(t, "", projectOf())
	plate, large := a.Write("show/footage/plåte 100% O'Brien.png", slices.Concat(picture, random(t, 8))), a.Write("show/ae/(Footage)/large.mov", random(t, 700<<10))
	*a.Project = *projectOf(composition(1, "main", layerOf(11, 3), layerOf(12, 2)), composition(2, "inner", layerOf(21, 4)), footage(3, plate), footage(4, large), footage(5, a.Path("nowhere.mov")))
	a.Project.Path = a.Path("show/ae/spöt 50%20.aep")
	a.Save()
	return a
}

// picture is a PNG of one pixel.
var picture = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde\x00\x00\x00\x0cIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00IEND\xaeB`\x82")

func random(t *testing.T, n int) []byte {
	t.Helper()
	b := make([]byte, n)
	if _, err := rand.Read(b); err != nil {
		t.Fatal(err)
	}
	return b
}

// ask asks the farm as the token's holder.
func (f *farm) ask(t *testing.T, path string, into any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.http+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+f.token)
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s %v", path, res.StatusCode, body, err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatalf("%s: %v in %s", path, err, body)
	}
}

func TestTheOpenProjectBecomesAJobAndWhatTheFarmHasIsNotSentAgain(t *testing.T) {
	t.Parallel()
	f := startFarm(t)
	for scheme, server := range map[string]string{"http": f.http, "https": f.https} {
		t.Run(scheme, func(t *testing.T) {
			a := spot(t)
			authority := ""
			if scheme == "https" {
				authority = a.Write("fürm's 100%.pem", []byte(f.authority))
			}
			a.Joined(server, f.token, authority)
			a.Dirty = true
			r := a.Run(send + `
				report("first", sendNow(["main"], function () {}));
				report("again", sendNow(["main"], function () {}));
				report("two", sendNow(["main", "inner"], function (f) { f.title = "Zwölf"; f.range = 1; }));
				report("template", sendNow(["main"], function (f) { f.template = true; f.title = "Kept"; }));
				report("left", (function () { forgetScratch(); return folderAt(Folder.temp.fsName).getFiles("overcrank-*").length; })());`)
			first, again, two, kept := paneltest.Read[said](t, r, "first"), paneltest.Read[said](t, r, "again"), paneltest.Read[said](t, r, "two"), paneltest.Read[said](t, r, "template")
			for what, s := range map[string]said{"first": first, "again": again, "two": two, "template": kept} {
				if s.Error != "" {
					t.Fatalf("%s: %s", what, s.Error)
				}
			}
			if want := []string{"save", "hash", "ask", "upload", "assemble", "read", "order", "done"}; !slices.Equal(first.Phases, want) {
				t.Errorf("the phases are %q, not %q", first.Phases, want)
			}
			if sent := first.Result.Sent; sent.Files != 3 || sent.Of != 3 || sent.Bytes < 700<<10 {
				t.Errorf("sent at first: %+v", sent)
			}
			if sent := again.Result.Sent; sent.Files != 0 || sent.Bytes != 0 || again.Result.Template != first.Result.Template {
				t.Errorf("sent again: %+v, as template %s after %s", sent, again.Result.Template, first.Result.Template)
			}
			if a.Dirty {
				t.Error("the project was not saved")
			}
			if paneltest.Read[int](t, r, "left") != 0 {
				t.Error("temporary files stay")
			}
			var job struct {
				Name, Status string
				Template     struct{ Composition string }
				Warnings     []string
			}
			f.ask(t, "/api/v2/jobs/"+first.Result.Jobs[0].ID, &job)
			if job.Status == "error" || len(job.Warnings) > 0 {
				t.Errorf("the job is %+v", job)
			}
			if len(two.Result.Jobs) != 2 || two.Result.Jobs[0].ID == two.Result.Jobs[1].ID || two.Result.Jobs[0].Name != "inner" {
				t.Errorf("two compositions became %+v", two.Result.Jobs)
			}
			var template struct {
				DisplayName, Status string
				Compositions        []string
				MissingFootage      []string
			}
			f.ask(t, "/api/v2/templates/"+kept.Result.Template, &template)
			if template.DisplayName != "Kept" || template.Status != "uploaded" || len(template.Compositions) != 2 || len(template.MissingFootage) != 0 || len(kept.Result.Jobs) != 0 {
				t.Errorf("the template is %+v, with jobs %v", template, kept.Result.Jobs)
			}
			for _, command := range a.Commands {
				if strings.Contains(command, f.token) {
					t.Errorf("the token stands on a command line: %s", command)
				}
			}
			t.Logf("After Effects waited for %v at the most", a.Longest)
		})
	}
}

func TestTheTokenIsForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	f := startFarm(t)
	a := spot(t)
	a.Joined(f.https, f.token, a.Write("farm.pem", []byte(f.authority)))
	r := a.Run(`
		var ended = false, folder, settings, work;
		work = ask(knownFarm(), "GET", "/api/farm/v1/me", null, function (error, me) { ended = true; report("me", error ? errorText(error) : me.role); });
		folder = scratch().getFiles()[0];
		report("scratch", scratch().fsName); report("settings", folder.fsName + "/settings");
		report("modes", system.callSystem("stat -c %a " + shellQuote(scratch().fsName) + " " + shellQuote(folder.fsName + "/settings")));
		until(function () { return ended; });
		report("left", folder.exists);`)
	if got := paneltest.Read[string](t, r, "modes"); got != "700\n600\n" {
		t.Errorf("the folder and the file with the token have the modes %q", got)
	}
	if paneltest.Read[string](t, r, "me") != "admin" || paneltest.Read[bool](t, r, "left") {
		t.Errorf("the answer is %s, and what was written stays: %s", r["me"], r["left"])
	}
}

func TestWhatTheFarmRefusesIsSaid(t *testing.T) {
	t.Parallel()
	f := startFarm(t)
	a := spot(t)
	a.Joined(f.http, "oct_wrong", "")
	r := a.Run(send + `report("wrong", sendNow(["main"], function () {}));
		keepSetting("server", "http://127.0.0.1:1"); report("nobody", sendNow(["main"], function () {}));
		keepSetting("server", "https://127.0.0.1:1"); report("nobody2", sendNow(["main"], function () {}));
		keepSetting("server", ` + fmt.Sprintf("%q", f.https) + `); report("stranger", sendNow(["main"], function () {}));
		keepSetting("server", "farm"); report("address", sendNow(["main"], function () {}));`)
	for name, want := range map[string]string{"wrong": "does not know this token", "nobody": "No connection to 127.0.0.1:1", "nobody2": "No connection to 127.0.0.1:1",
		"stranger": "This machine does not trust the certificate", "address": `"farm/api/farm/v1/preflight" is not an address`} {
		if got := paneltest.Read[said](t, r, name).Error; !strings.Contains(got, want) {
			t.Errorf("%s: %q does not say %q", name, got, want)
		}
	}
}

func TestASubmissionCancelsAndGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	f := startFarm(t)
	for scheme, server := range map[string]string{"http": "http://", "https": "https://"} {
		t.Run(scheme, func(t *testing.T) {
			a := spot(t)
			a.Write("show/ae/(Footage)/large.mov", random(t, 16<<20)) // more than lies between two programs on its way
			authority := ""
			if scheme == "https" {
				authority = a.Write("farm.pem", []byte(f.authority))
			}
			left := a.Path("left") // which says that the panel has left off
			holding := &slowly{to: strings.TrimPrefix(f.http, "http://"), held: 1 << 20, until: left}
			a.Joined(server+holding.listen(t), f.token, authority)
			r := a.Run(send + `
				var cancelled = false, left = new File(` + fmt.Sprintf("%q", left) + `);
				function seen(state, work) {
					if (!cancelled && state.text.indexOf("Sending large.mov") === 0 && state.done > 20000) {
						cancelled = true;
						work.cancel();
						left.open("w"); left.close();
					}
				}
				report("cancelled", sendNow(["main"], function () {}));
				report("again", sendNow(["main"], function () {}));`)
			first, again := paneltest.Read[said](t, r, "cancelled"), paneltest.Read[said](t, r, "again")
			if first.Error != "" || len(first.Result.Jobs) != 0 || first.Phases[len(first.Phases)-1] != "cancelled" {
				t.Errorf("cancelled: %+v", first)
			}
			if again.Error != "" || len(again.Result.Jobs) != 1 || again.Result.Sent.Files != 1 { // the others have arrived
				t.Errorf("again: %+v", again)
			}
		})
	}
}

func TestAConnectionThatBreaksIsTriedAgain(t *testing.T) {
	t.Parallel()
	f := startFarm(t)
	breaking := &slowly{to: strings.TrimPrefix(f.http, "http://"), cut: 100 << 10, cuts: 1}
	a := spot(t)
	a.Joined("http://"+breaking.listen(t), f.token, "")
	r := a.Run(send + `report("sent", sendNow(["main"], function () {}));`)
	if got := paneltest.Read[said](t, r, "sent"); got.Error != "" || len(got.Result.Jobs) != 1 || breaking.cuts != 0 {
		t.Errorf("%+v after %d cuts are left", got, breaking.cuts)
	}
}

func TestAReducedCopyIsSentAndTheProjectIsOpenAgain(t *testing.T) {
	t.Parallel()
	f := startFarm(t)
	a := spot(t)
	a.Joined(f.http, f.token, "")
	path := a.Project.Path
	r := a.Run(send + `report("sent", sendNow(["inner"], function (f) { f.reduce = true; }));`)
	got := paneltest.Read[said](t, r, "sent")
	if got.Error != "" || len(got.Result.Jobs) != 1 {
		t.Fatalf("%+v", got)
	}
	if a.Project.Path != path || len(a.Project.Items) != 5 || a.Opened() != 1 {
		t.Errorf("open is %s with %d items, opened %d times", a.Project.Path, len(a.Project.Items), a.Opened())
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.aep"))
	if err != nil || len(left) != 1 {
		t.Errorf("beside the project are %q, %v", left, err)
	}
	var template struct{ Compositions []string }
	f.ask(t, "/api/v2/templates/"+got.Result.Template, &template)
	if !slices.Equal(template.Compositions, []string{"inner"}) {
		t.Errorf("the farm has the compositions %q", template.Compositions)
	}
}

func TestFootageFarFromTheProjectIsRelinkedByAScript(t *testing.T) {
	t.Parallel()
	f := startFarm(t)
	a := spot(t)
	a.Joined(f.http, f.token, "")
	// A path that the project and its footage have nothing in common with but the folder of the test, which is deep.
	far := a.Write("library/a/b/c/d/e/f/fär.png", picture)
	a.Project.Path = a.Path("deep/a/b/c/d/spot.aep")
	a.Project.Items[2].Footage.File.FullPath, a.Project.Items[2].Footage.File.Resolved = far, far
	a.Save()
	r := a.Run(send + `report("found", checkProject([1], false).findings); report("sent", sendNow(["main"], function () {}));`)
	got := paneltest.Read[said](t, r, "sent")
	if got.Error != "" || len(got.Result.Jobs) != 1 {
		t.Fatalf("%+v", got)
	}
	var job struct {
		Assets []struct{ Type, Name, Src string }
	}
	f.ask(t, "/api/v2/jobs/"+got.Result.Jobs[0].ID, &job)
	if len(job.Assets) != 1 || job.Assets[0].Type != "script" {
		t.Errorf("the job's assets are %+v", job.Assets)
	}
	if !bytes.Contains(r["found"], []byte("outside the project's folder")) {
		t.Errorf("the artist is told %s", r["found"])
	}
}

func TestWhatMayGoWrongIsFoundBefore(t *testing.T) {
	t.Parallel()
	f := startFarm(t)
	a := spot(t)
	a.Joined(f.http, f.token, "")
	style := aep.CharacterStyle{Font: "Nobody-Has", Size: 20, HScale: 100, VScale: 100}
	text := &aep.Layer{ID: 31, Kind: aep.LayerText, Out: 2, Stretch: 100, Enabled: true, Props: &aep.Property{Match: "ADBE Text Layer", Group: true, Enabled: true, Children: []*aep.Property{
		{Match: "ADBE Text Properties", Group: true, Enabled: true, Children: []*aep.Property{{Match: "ADBE Text Document", Enabled: true,
			Value: &aep.TextDocument{Text: "x", Runs: []aep.TextRun{{Length: 2, Style: style}}, Paragraphs: []aep.ParagraphRun{{Length: 2}}}}}},
		{Match: "ADBE Effect Parade", Group: true, Enabled: true, Children: []*aep.Property{{Match: "Glow Of Nobody", Name: "Glow", Group: true, Enabled: true}}}}}}
	a.Project.Items = append(a.Project.Items, composition(6, "lost", layerOf(61, 5)), composition(7, "twin"), composition(8, "twin"), composition(9, "words", text))
	a.Project.Items[4].Footage.Missing, a.Project.Items[4].Footage.File.Resolved = true, ""
	a.Dirty = true
	found := func(script string) string { return string(a.Run(`report("found", ` + script + `);`)["found"]) }
	for script, want := range map[string]string{
		`checkProject([1], false).findings`: "unsaved changes. They are saved when you send it",
		`checkProject([], false).findings`:  "No composition is selected",
		`checkProject([6], false).findings`: "Footage is missing: plate",
		`checkProject([7], false).findings`: "Several compositions have the same name",
		`usedBy([9]).fonts`:                 "Nobody-Has",
		`usedBy([9]).effects`:               "Glow Of Nobody",
		`(keepSetting("x", 1), __keep("mayWrite", "0"), checkProject([1], false).findings)`: "Allow Scripts to Write Files",
	} {
		if got := found(script); !strings.Contains(got, want) {
			t.Errorf("%s finds %s, not %q", script, got, want)
		}
	}
	delete(a.Settings, "mayWrite")
	r := a.Run(`
		var ended = false;
		askFarm(knownFarm(), [], usedBy([9]), "ae2026", function (error, said) {
			ended = true;
			report("none", farmFindings(said, "ae2026"));
			said.machines = 3;
			report("found", farmFindings(said, "ae2026"));
		});
		until(function () { return ended; });`)
	for _, want := range []string{"the font Nobody-Has", "the effect Glow Of Nobody", "the chosen version of After Effects"} {
		if !bytes.Contains(r["found"], []byte(want)) {
			t.Errorf("the farm's part is %s, without %q", r["found"], want)
		}
	}
	if !bytes.Contains(r["none"], []byte("No machine has joined")) {
		t.Errorf("of an empty farm it is said: %s", r["none"])
	}
	a.Project.Path = ""
	if got := found(`checkProject([1], false).findings`); !strings.Contains(got, "has not been saved yet") {
		t.Errorf("of a new project it is said: %s", got)
	}
}

func TestNumberedPicturesGoTogether(t *testing.T) {
	t.Parallel()
	a := paneltest.Open(t, "p.aep", projectOf())
	for _, name := range []string{"shot.0001.png", "shot.0002.png", "shot.0010.png", "other.0001.png", "shot.0001.txt", "shot.a.png"} {
		a.Write("plates/"+name, picture)
	}
	item := footage(1, a.Path("plates/shot.0001.png"))
	item.Footage.Still = false
	a.Project.Items = append(a.Project.Items, item)
	r := a.Run(`var list = footageOf([app.project.item(1)]).files, names = [], i; for (i = 0; i < list.length; i++) { names.push(baseName(list[i].file.fsName) + (list[i].sequence ? " of many" : "")); } report("names", names);`)
	if got, want := paneltest.Read[[]string](t, r, "names"), []string{"shot.0001.png of many", "shot.0002.png of many", "shot.0010.png of many"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

// slowly is a way to the farm that breaks after so many bytes as often as it is told, or holds what comes behind so many until a file is there.
type slowly struct {
	to        string
	cut, cuts int
	held      int
	until     string // "" for a way that holds nothing
}

// listen begins and gives the address.
func (s *slowly) listen(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			from, err := ln.Accept()
			if err != nil {
				return
			}
			_ = from.(*net.TCPConn).SetReadBuffer(64 << 10) // the system lets it grow to megabytes else
			cut := 0
			to, err := net.Dial("tcp", s.to)
			if err != nil {
				_ = from.Close()
				continue
			}
			all.Go(func() { _, _ = io.Copy(from, to); _ = from.Close() })
			all.Go(func() {
				defer to.Close()
				buffer := make([]byte, 16<<10)
				for {
					n, err := from.Read(buffer)
					if cut += n; s.cuts > 0 && cut > s.cut {
						s.cuts--
						_ = from.Close()
						return
					}
					for s.until != "" && cut > s.held {
						if _, err := os.Lstat(s.until); err == nil || t.Context().Err() != nil {
							break
						}
						time.Sleep(5 * time.Millisecond)
					}
					if n > 0 {
						if _, err := to.Write(buffer[:n]); err != nil {
							return
						}
					}
					if err != nil {
						return
					}
				}
			})
		}
	})
	t.Cleanup(func() { _ = ln.Close(); all.Wait() })
	return ln.Addr().String()
}
