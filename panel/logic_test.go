package panel_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"overcrank/panel/paneltest"
)

// hostile are names that files may have, and that mean something to one interpreter or the other.
var hostile = []string{
	"plain", "with space", "O'Brien", `"quoted"`, "100%", "%PATH%", "%50%20", "$(touch hacked)", "`touch hacked`", "a;b&c|d>e<f", "ümläut ß", "日本 🎬", "-rf", "!x!", "a^b", "tab\tnew\nline", `back\slash`, "*?[x]",
}

func TestShellQuotingKeepsEveryCharacter(t *testing.T) {
	t.Parallel()
	a := paneltest.Open(t, "p.aep", projectOf())
	for _, name := range hostile {
		a.Settings["name"] = name
		quoted := paneltest.Read[string](t, a.Run(`report("quoted", shellQuote(__setting("name")));`), "quoted")
		out, err := exec.Command("/bin/sh", "-c", "printf %s "+quoted).Output()
		if err != nil || string(out) != name {
			t.Errorf("%q comes out as %q, %v", name, out, err)
		}
	}
}

func TestQuotingForWindows(t *testing.T) {
	t.Parallel()
	a := paneltest.Open(t, "p.aep", projectOf())
	for name, want := range map[string][3]string{
		`C:\Spots\a b.mov`:     {`"C:\Spots\a b.mov"`, `"C:\Spots\a b.mov"`, `"C:\\Spots\\a b.mov"`},
		`C:\100%\%PATH%ü&.mov`: {`"C:\100%%\%%PATH%%ü&.mov"`, `"C:\100"^%"\"^%"PATH"^%"ü&.mov"`, `"C:\\100%\\%PATH%ü&.mov"`},
		`it's^!x.mov`:          {`"it's^!x.mov"`, `"it's^!x.mov"`, `"it's^!x.mov"`},
	} {
		a.Settings["name"] = name
		r := a.Run(`var n = __setting("name"); report("all", [batchQuote(n), commandQuote(n), curlQuote(n)]);`)
		if got := paneltest.Read[[3]string](t, r, "all"); got != want {
			t.Errorf("%s is quoted as %q, not %q", name, got, want)
		}
	}
	for _, wrong := range []string{`a"b`, "a\nb", "a\x00b"} {
		a.Settings["name"] = wrong
		r := a.Run(`var refused = 0, f, list = [batchQuote, commandQuote, curlQuote];
			for (f = 0; f < 3; f++) { try { list[f](__setting("name")); } catch (e) { refused++; } } report("refused", refused);`)
		want := 3
		if wrong == `a"b` {
			want = 2 // curl knows an escape for it
		}
		if got := paneltest.Read[int](t, r, "refused"); got != want {
			t.Errorf("%q is refused by %d of 3", wrong, got)
		}
	}
}

func TestCommandsForWindows(t *testing.T) {
	t.Parallel()
	a := paneltest.Open(t, "p.aep", projectOf())
	a.OS, a.System = "Windows 11", func(string) string { return "" }
	r := a.Run(`
		var file = {fsName: "D:\\100% ü\\a&b.mov"};
		report("hash", command(["certutil.exe", "-hashfile", file.fsName, "SHA256"], null, "output"));
		report("curl", command(["curl.exe", "--disable", "--config", "settings"], file.fsName, "output"));
		report("note", note("file 1", "output"));
		start(workFolder(), ["rem x"], function () {}).cancel();
		report("old", (function () { var l = [{}, {}]; readHashes("file 0\nSHA256 hash of x:\r\ne3 b0 c4 42 98 fc 1c 14 9a fb f4 c8 99 6f b9 24 27 ae 41 e4 64 9b 93 4c a4 95 99 1b 78 52 b8 55\r\nCertUtil: done\r\nfile 1 \nCertUtil: -hashfile failed\n", l); return l; })());`)
	for name, want := range map[string]string{
		"hash": `"certutil.exe" "-hashfile" "D:\100%% ü\a&b.mov" "SHA256" >> "output" 2>> errors`,
		"curl": `"curl.exe" "--disable" "--config" "settings" < "D:\100%% ü\a&b.mov" >> "output" 2>> errors`,
		"note": `>> "output" echo file 1`,
	} {
		if got := paneltest.Read[string](t, r, name); got != want {
			t.Errorf("%s: %s\nnot %s", name, got, want)
		}
	}
	type hashed struct{ SHA256 string }
	if got := paneltest.Read[[]hashed](t, r, "old"); got[0].SHA256 != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" || got[1].SHA256 != "" {
		t.Errorf("certutil's words are read as %+v", got)
	}
	if len(a.Commands) != 2 || !strings.HasPrefix(a.Commands[0], `cmd.exe /d /s /c "cd /d "`) || !strings.Contains(a.Commands[0], ` && start "Overcrank `) || !strings.HasPrefix(a.Commands[1], `taskkill.exe /F /T /FI "WINDOWTITLE eq Overcrank `) {
		t.Errorf("commands %q", a.Commands)
	}
}

// TestACommandLineForWindows reads the line as cmd.exe does: what stands outside of quotation marks is its own, whatever the folder is called.
func TestACommandLineForWindows(t *testing.T) {
	t.Parallel()
	a := paneltest.Open(t, "p.aep", projectOf())
	for _, folder := range []string{`C:\Users\R&D\Temp`, `C:\Users\50%TEMP%\x`, `C:\a (b)|c^d;e,f=g`, `C:\R&D 100%`} {
		a.Settings["folder"] = folder
		r := a.Run(`report("line", startLine(__setting("folder"), "Overcrank x"));`)
		line := paneltest.Read[string](t, r, "line")
		inner, ok := strings.CutPrefix(line, `cmd.exe /d /s /c "`) // of which /s takes the first quotation mark and the last
		if !ok || !strings.HasSuffix(inner, `"`) {
			t.Fatalf("the line is %s", line)
		}
		var outside, inside strings.Builder
		for i, part := range strings.Split(strings.TrimSuffix(inner, `"`), `"`) {
			if i%2 == 0 {
				outside.WriteString(part)
			} else {
				inside.WriteString(part)
			}
		}
		if want := `cd /d ` + strings.Repeat("^%", strings.Count(folder, "%")) + ` && start  /min cmd.exe /d /c .\run.cmd`; outside.String() != want {
			t.Errorf("%s: outside of quotation marks is %s, want %s", folder, outside.String(), want)
		}
		if want := strings.ReplaceAll(folder, "%", "") + "Overcrank x"; inside.String() != want {
			t.Errorf("%s: within quotation marks is %s, want %s", folder, inside.String(), want)
		}
	}
}

// TestNamesOfResults: an address must not choose that a result is a program.
func TestNamesOfResults(t *testing.T) {
	t.Parallel()
	a := paneltest.Open(t, "p.aep", projectOf())
	for url, want := range map[string]string{
		"https://farm/r/x.mp4?name=a.exe": "mp4", "https://farm/r/x.MOV#y": "mov", "https://farm/x.exe": "bin", "https://farm/x.mp4 .scr": "bin", "https://farm/x": "bin", "https://farm/x.hta:mp4": "bin",
	} {
		a.Settings["url"] = url
		r := a.Run(`report("extension", resultExtension(__setting("url")));`)
		if got := paneltest.Read[string](t, r, "extension"); got != want {
			t.Errorf("%s is saved as %s, want %s", url, got, want)
		}
	}
}

// TestRedirectsEnd: two addresses that lead to each other must not keep the panel busy for ever.
func TestRedirectsEnd(t *testing.T) {
	t.Parallel()
	a := paneltest.Open(t, "p.aep", projectOf())
	r := a.Run(`
		var asked = 0, said = "";
		send = function (request, done) {
			asked++;
			done(null, {status: 302, headers: {location: "https://farm/" + (asked % 2)}, text: ""});
			return {cancel: function () {}};
		};
		fetchFile({server: "https://farm", token: "", authority: ""}, "https://farm/0", fileAt("x"), null, function (error) { said = error.message; });
		report("asked", asked); report("said", said);`)
	if asked, said := paneltest.Read[int](t, r, "asked"), paneltest.Read[string](t, r, "said"); asked != 6 || !strings.Contains(said, "without end") {
		t.Errorf("asked %d times, said %q", asked, said)
	}
}

func TestJSONIsReadAndWritten(t *testing.T) {
	t.Parallel()
	a := paneltest.Open(t, "p.aep", projectOf())
	for _, text := range []string{`{"a":[1,-2.5,3e2,true,false,null,"x"],"ü":{"":[]}}`, `"\u00e4\n\"\\\/\ud83c\udfac"`, ` [ ] `, `{"constructor":1,"__proto__x":2}`, `0`} {
		a.Settings["text"] = text
		r := a.Run(`report("native", jsonValue(__setting("text"))); report("text", jsonText(jsonValue(__setting("text"))));`)
		ours := paneltest.Read[string](t, r, "text")
		a.Settings["text"] = ours
		again := a.Run(`report("native", jsonValue(__setting("text")));`)
		if got, want := paneltest.Read[any](t, again, "native"), paneltest.Read[any](t, r, "native"); !reflect.DeepEqual(got, want) {
			t.Errorf("%s becomes %s", text, ours)
		}
		for i := range len(ours) {
			if ours[i] >= 0x80 {
				t.Errorf("%s is not ASCII", ours)
			}
		}
	}
	for _, wrong := range []string{``, `{`, `[1,]`, `{"a" 1}`, `{a:1}`, `"x`, "\"a\nb\"", `01`, `1 2`, `nul`, `"\x"`, `"\u12g4"`, strings.Repeat("[", 100) + strings.Repeat("]", 100), `alert(1)`} {
		a.Settings["text"] = wrong
		if !paneltest.Read[bool](t, a.Run(`var threw = false; try { jsonValue(__setting("text")); } catch (e) { threw = true; } report("threw", threw);`), "threw") {
			t.Errorf("%s is taken for JSON", wrong)
		}
	}
}

func TestHashesOfTheSystemAndOfTheScriptAreSHA256(t *testing.T) {
	t.Parallel()
	a := paneltest.Open(t, "p.aep", projectOf())
	want := map[string]string{}
	for i, content := range []string{"", "abc", strings.Repeat("x", 55), strings.Repeat("y", 56), strings.Repeat("z", 64), strings.Repeat("\x00\xff\x80ä", 4_000)} {
		name := "files/" + strings.ReplaceAll(hostile[i], "\n", "") + ".bin"
		a.Write(name, []byte(content))
		sum := sha256.Sum256([]byte(content))
		want[a.Path(name)] = hex.EncodeToString(sum[:])
	}
	script := `
		var list = [], files = folderAt(Folder.temp.fsName + "/files").getFiles(), i, out = {}, ended = false, steps = [];
		for (i = 0; i < files.length; i++) { list.push({file: files[i]}); }
		hashFiles(list, function (done, total) { steps.push([done, total]); }, function (error) { ended = true; report("error", error ? errorText(error) : ""); });
		until(function () { return ended; });
		for (i = 0; i < list.length; i++) { out[list[i].file.fsName] = list[i].sha256; }
		report("sums", out); report("last", steps[steps.length - 1]);`
	for what, broken := range map[string]bool{"by the system": false, "by the script": true} {
		if broken {
			a.System = func(command string) string {
				if strings.HasPrefix(command, "/bin/mkdir") {
					_ = exec.Command("/bin/sh", "-c", command).Run()
					return ""
				}
				// a system without its program
				out, _ := exec.Command("/bin/sh", "-c", "PATH=/nowhere; export PATH; "+strings.Replace(command, "/bin/sh", "/bin/sh", 1)).Output()
				return string(out)
			}
		}
		forget := a.Run(`memoryFile("hashes").remove(); report("x", 1);`)
		_ = forget
		began := len(a.Commands)
		r := a.Run(script)
		if got := paneltest.Read[map[string]string](t, r, "sums"); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\nnot %v", what, got, want)
		}
		if last := paneltest.Read[[2]int](t, r, "last"); last[0] != last[1] || last[0] == 0 {
			t.Errorf("%s: the progress ends at %v", what, last)
		}
		started := len(a.Commands) - began
		if r := a.Run(script); !reflect.DeepEqual(paneltest.Read[map[string]string](t, r, "sums"), want) || len(a.Commands)-began != started {
			t.Errorf("%s: files that did not change were read again", what)
		}
	}
}

func TestFootageKeepsItsPlaceOrIsRelinked(t *testing.T) {
	t.Parallel()
	a := paneltest.Open(t, "p.aep", projectOf())
	script := func(project string, files ...string) []string {
		a.Settings["project"] = project
		a.Settings["files"] = strings.Join(files, "\n")
		r := a.Run(`
			var files = [], paths = __setting("files").split("\n"), i, layout, names = [], again = [];
			for (i = 0; i < paths.length; i++) { files.push({id: i + 1, file: {fsName: paths[i]}, sequence: false}); }
			layout = layOut({fsName: __setting("project")}, files);
			for (i = 0; i < layout.entries.length; i++) { names.push(layout.entries[i].name); }
			for (i = 0; i < layout.relinked.length; i++) { names.push("relinked " + layout.relinked[i].name); }
			report("names", names);`)
		return paneltest.Read[[]string](t, r, "names")
	}
	for _, c := range []struct {
		what, os, project string
		files, want       []string
	}{
		{"below and beside", "", "/Volumes/show/spot/ae/s.aep", []string{"/Volumes/show/spot/ae/(Footage)/a.mov", "/Volumes/show/spot/footage/b.mov"},
			[]string{"ae/s.aep", "ae/(Footage)/a.mov", "footage/b.mov"}},
		{"all below", "", "/Volumes/show/s.aep", []string{"/Volumes/show/a.mov"}, []string{"s.aep", "a.mov"}},
		{"another volume", "", "/Volumes/show/s.aep", []string{"/Volumes/library/a.mov", "/Users/ada/a.mov"},
			[]string{"s.aep", "(Footage)/1/a.mov", "(Footage)/2/a.mov", "relinked (Footage)/1/a.mov", "relinked (Footage)/2/a.mov"}},
		{"a name that not every system has", "", "/Volumes/show/s.aep", []string{`/Volumes/show/"a"?.mov`, "/Volumes/show/b.mov"},
			[]string{"s.aep", "(Footage)/1/_a__.mov", "b.mov", "relinked (Footage)/1/_a__.mov"}},
		{"drives of Windows", "Windows 11", `D:\Show\AE\s.aep`, []string{`d:\show\Footage\a.mov`, `E:\a.mov`},
			[]string{"AE/s.aep", "Footage/a.mov", "AE/(Footage)/2/a.mov", "relinked (Footage)/2/a.mov"}},
		{"far up", "", "/Volumes/show/a/b/c/d/e/s.aep", []string{"/Volumes/show/a.mov"}, []string{"s.aep", "(Footage)/1/a.mov", "relinked (Footage)/1/a.mov"}},
	} {
		a.OS = c.os
		if got := script(c.project, c.files...); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q\nnot %q", c.what, got, c.want)
		}
	}
}

func TestFieldsBecomeAPlan(t *testing.T) {
	t.Parallel()
	a := paneltest.Open(t, "p.aep", projectOf(composition(1, "main")))
	plan := func(edit string) string {
		return string(a.Run(`
			var fields = {chosen: [{id: 1, name: "main", frames: 50}], title: " Spot ", format: 0, range: 0, frames: "", level: 0, priority: "", split: 0, engine: 0,
				preview: false, hold: false, reduce: false, template: false}, plan, farm = {server: "http://farm", token: "t", authority: ""};
			` + edit + `
			try { plan = planOf(farm, fields); report("job", jobOf(plan, 0, "T", "")); } catch (e) { report("job", errorText(e)); }`)["job"])
	}
	for edit, want := range map[string]string{
		``: `{"level":"normal","priority":0,"settings":{"type":"video","codec":"video_h264_vbr_15mbps"},"template":{"id":"T","composition":"main"},"name":"Spot"}`,
		`fields.format = 5; fields.level = 1; fields.priority = "7"; fields.engine = 2; fields.hold = true; fields.split = 2;`: `{"level":"rush","priority":7,` +
			`"settings":{"type":"image","codec":"image_png","engine":"ae2026","frames":[0,49]},"maxMachines":4,"hold":true,"template":{"id":"T","composition":"main"},"name":"Spot"}`,
		`fields.range = 1; fields.split = 1;`: `{"level":"normal","priority":0,"settings":{"type":"video","codec":"video_h264_vbr_15mbps","frames":[0,49]},"sequential":true,` +
			`"template":{"id":"T","composition":"main"},"name":"Spot"}`,
		`fields.range = 2; fields.frames = " 5 - 9";`: `{"level":"normal","priority":0,"settings":{"type":"video","codec":"video_h264_vbr_15mbps","frames":[5,9]},"template":{"id":"T","composition":"main"},"name":"Spot"}`,
		`fields.preview = true; fields.range = 1;`:    `{"level":"normal","priority":0,"preview":true,"template":{"id":"T","composition":"main"},"name":"Spot"}`,
		`fields.range = 2; fields.frames = "9-5";`:    `"The last frame comes before the first"`,
		`fields.range = 2; fields.frames = "all";`:    `"Frames are written as 12 or 12-40; the composition's first frame is 0"`,
		`fields.priority = "high";`:                   `"The priority is a whole number from -1000 to 1000"`,
		`farm.token = " ";`:                           `"Enter a token in the panel's settings; the farm makes one under Settings, API tokens"`,
	} {
		if got := plan(edit); got != want {
			t.Errorf("%s\n got %s\nwant %s", edit, got, want)
		}
	}
}
