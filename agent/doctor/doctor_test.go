package doctor

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"overcrank/agent"
	"overcrank/agent/aerender"
	"overcrank/agent/identity"
	"overcrank/agent/internal/aerenderdouble"
	"overcrank/agent/inventory"
	"overcrank/farm"
	"overcrank/farm/codec"
	"overcrank/farm/wire"
	"overcrank/faults/leaktest"
	"overcrank/ffmpeg"
)

// TestMain lets the test's own program be the engines, as in package agent.
func TestMain(m *testing.M) {
	aerenderdouble.PlayIfAsked()
	leaktest.Main(m)
}

// studioDoctor examines a machine whose After Effects 26 plays a part, and leaves outcome behind when it applies a script.
func studioDoctor(t *testing.T, part, outcome string) *Doctor {
	t.Helper()
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("ffmpeg is not installed")
	}
	self := aerenderdouble.Program(t, part)
	d := New(agent.Config{DataDir: t.TempDir(), Version: "v1"})
	d.system.OS, d.system.Root = "linux", t.TempDir()
	d.builds = func([]farm.EngineInfo) []farm.EngineInfo {
		return []farm.EngineInfo{{Kind: farm.EngineAfterEffects, Version: "26.0.2", Path: self}}
	}
	d.scriptCommand = func(engine, script string) []string { return []string{engine, "afterfx", script, outcome} }
	// Only what a part hangs at is short: a busy machine takes longer than that for the rest.
	d.limits = map[string]aerender.Limits{
		"hang-start": {Launch: 2 * time.Second, Grace: 100 * time.Millisecond},
		"hang-half":  {Stall: 2 * time.Second, Grace: 100 * time.Millisecond},
		"hang-end":   {Exit: 2 * time.Second, Grace: 100 * time.Millisecond},
	}[part]
	return d
}

func (d *Doctor) examined(t *testing.T) Examination {
	t.Helper()
	found, err := d.Examine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func (e Examination) finding(t *testing.T, check string) Finding {
	t.Helper()
	for _, f := range e.Findings {
		if f.Check == check {
			return f
		}
	}
	t.Fatalf("nothing was found about %s: %+v", check, e.Findings)
	return Finding{}
}

func TestDoctorRendersTwoFramesWithEachEngine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		part, outcome string
		health        Health
		found, mend   string
	}{
		"works":            {"normal", "ok", Well, "rendered two frames", ""},
		"hangs at the end": {"hang-end", "ok", Well, "rendered two frames", ""},
		"hangs":            {"hang-half", "ok", Broken, "hung", "First end any After Effects"},
		"does not start":   {"hang-start", "ok", Broken, "hung", "may wait for an answer to a dialog"},
		"crashes":          {"crash", "ok", Broken, "exited with code 1", "reset its preferences"},
		"has no licence":   {"licence", "ok", Broken, "got no licence", "Sign in to Creative Cloud"},
		"takes no scripts": {"normal", "", Broken, "scripting may be blocked", "allow scripts to write files"},
		"writes nothing":   {"empty-output", "ok", Broken, "what After Effects wrote", "reset its preferences"},
		"leaves a frame":   {"missing", "ok", Broken, "1 frames, 2 were expected", "reset its preferences"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := studioDoctor(t, c.part, c.outcome)
			d.codecs = func() []codec.Codec { c, _ := codec.Find("image_png"); return []codec.Codec{c} }
			var steps []string
			last := 0.0
			d.Tell = func(done float64, what string) {
				if done < last || done > 1 {
					t.Errorf("%q at %g, after %g", what, done, last)
				}
				last, steps = done, append(steps, what)
			}
			found := d.examined(t)
			engine := found.finding(t, "engine")
			if engine.Health != c.health || engine.About != "After Effects 26.0.2" || !strings.Contains(engine.Found, c.found) || !strings.Contains(engine.Mend, c.mend) || (engine.Mend == "") != (c.mend == "") {
				t.Errorf("%+v", engine)
			}
			if found.Healthy != (c.health == Well) {
				t.Errorf("healthy is %t with %+v", found.Healthy, found.Findings)
			}
			if len(steps) < 5 {
				t.Errorf("told of %q", steps)
			}
			if left, err := filepath.Glob(filepath.Join(d.Config.DataDir, "doctor-*")); err != nil || len(left) != 0 {
				t.Errorf("left behind: %q, %v", left, err)
			}
		})
	}
}

func TestDoctorDoesNotWaitForeverForAnEngine(t *testing.T) {
	t.Parallel()
	d := studioDoctor(t, "hang-half", "ok")
	d.limits, d.EngineTime = aerender.Limits{Grace: 100 * time.Millisecond}, time.Second
	engine := d.examined(t).finding(t, "engine")
	if engine.Health != Broken || !strings.Contains(engine.Found, "were not done after 1.0 s") || engine.Mend == "" {
		t.Errorf("%+v", engine)
	}
}

func TestABrokenBetaDoesNotMakeTheMachineBroken(t *testing.T) {
	t.Parallel()
	d := studioDoctor(t, "crash", "ok")
	builds := d.builds
	d.builds = func(b []farm.EngineInfo) []farm.EngineInfo {
		b = builds(b)
		b[0].Beta = true
		return b
	}
	found := d.examined(t)
	if engine := found.finding(t, "engine"); engine.Health != Poor || engine.About != "After Effects 26.0.2 (Beta)" || !found.Healthy {
		t.Errorf("%+v", engine)
	}
}

func TestDoctorLooksAtWhatIsAroundTheEngines(t *testing.T) {
	t.Parallel()
	d := studioDoctor(t, "normal", "ok")
	off := -time.Hour
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Now().Add(off).UTC().Format(http.TimeFormat))
		if r.URL.Path != "/healthz" {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	root := filepath.Join(d.system.Root, "usr", "share", "fonts")
	if err := os.MkdirAll(root, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "broken.ttf"), []byte("no font"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.Config.DataDir, "credential.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	d.Config.Coordinators, d.Config.GossipBind, d.Config.Roots = []string{server.URL}, taken.Addr().String(), []string{root, filepath.Join(root, "none")}
	d.system.Space = func(string) (int64, int64, error) { return 1 << 30, 100 << 30, nil }
	found := d.examined(t)
	for check, want := range map[string]struct {
		health Health
		words  string
	}{
		"coordinator": {Well, "answers within"}, "clock": {Broken, "ahead of the coordinator's"}, "gossip": {Poor, "cannot be opened"}, "enrolment": {Poor, "not enrolled"},
		"disk": {Broken, "1.0 GiB of 100.0 GiB free"}, "disk speed": {Well, "MiB/s"}, "ffmpeg": {Well, "writes all"}, "fonts": {Poor, "broken.ttf"},
	} {
		got := found.finding(t, check)
		if got.Health != want.health && check != "disk speed" || !strings.Contains(got.Found, want.words) || (got.Health != Well && got.Mend == "") {
			t.Errorf("%s: %+v", check, got)
		}
	}
	if runtime.GOOS != "windows" {
		if got := found.finding(t, "data folder"); got.Health != Poor || !strings.Contains(got.Found, "credential.json") {
			t.Errorf("%+v", got)
		}
	}
	if found.Healthy || found.Enrolled {
		t.Error("a machine without room counts as healthy, or one that has not enrolled as enrolled")
	}
	server.Close()
	if got := d.examined(t).finding(t, "coordinator"); got.Health != Broken || !strings.Contains(got.Mend, "/healthz") {
		t.Errorf("%+v", got)
	}
}

func TestDoctorKnowsAMachineThatHasEnrolled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key, err := identity.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	signer, err := x509.ParsePKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, signer.(crypto.Signer).Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	self, err := identity.ReadCredential(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Keep(identity.Identity{Key: key, Enrolled: wire.Enrolled{AgentID: "a1", Certificate: der, Authority: der}}); err != nil {
		t.Fatal(err)
	}
	d := New(agent.Config{DataDir: dir})
	d.enrolment()
	if !d.enrolled || d.findings[0].Health != Well || !strings.Contains(d.findings[0].Found, "enrolled, with a certificate until") {
		t.Errorf("%t, %+v", d.enrolled, d.findings)
	}
}

func TestDoctorSaysThatAFolderCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := New(agent.Config{DataDir: filepath.Join(file, "data")}).Examine(t.Context())
	if err != nil || found.finding(t, "data folder").Health != Broken || found.Healthy {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestDoctorWithoutFFmpegSaysWhatToInstall(t *testing.T) {
	d := New(agent.Config{DataDir: t.TempDir()})
	t.Setenv("PATH", t.TempDir())
	t.Setenv(aerenderdouble.Env, "normal")
	found := d.examined(t)
	if got := found.finding(t, "engine"); got.Health != Broken || !strings.Contains(got.Mend, "Install ffmpeg") {
		t.Errorf("%+v", got)
	}
	if got := found.finding(t, "ffmpeg"); got.Health != Broken || !strings.Contains(got.Mend, "Install ffmpeg") {
		t.Errorf("%+v", got)
	}
}

func TestDoctorSeesWhetherFontsOfJobsCanBeInstalled(t *testing.T) {
	t.Parallel()
	d := New(agent.Config{})
	folder := t.TempDir()
	d.jobFonts(folder)
	d.jobFonts(filepath.Join(folder, "none"))
	if len(d.findings) != 2 || d.findings[0].Health != Well || d.findings[1].Health != Poor || d.findings[1].Mend == "" {
		t.Errorf("%+v", d.findings)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestDoctorEndsWhenAsked(t *testing.T) {
	t.Parallel()
	d := studioDoctor(t, "hang-half", "ok")
	d.limits = aerender.Limits{Grace: 100 * time.Millisecond}
	ctx, cancel := context.WithCancel(t.Context())
	d.Tell = func(_ float64, what string) {
		if strings.HasPrefix(what, "two frames") {
			cancel()
		}
	}
	if _, err := d.Examine(ctx); err == nil {
		t.Error("an examination that was ended gave a result")
	}
}

func TestWhenAMachineSleeps(t *testing.T) {
	t.Parallel()
	d := New(agent.Config{})
	for what, c := range map[string]struct {
		goos, out string
		health    Health
	}{
		"windows awake":  {"windows", "Index Wechselstrom: 0x00000000\r\nIndex Gleichstrom: 0x00000384\r\n\r\n", Well},
		"windows asleep": {"windows", "    Current AC Power Setting Index: 0x00000708\r\n    Current DC Power Setting Index: 0x00000384\r\n", Poor},
		"mac awake":      {"darwin", "Battery Power:\n sleep                1\nAC Power:\n displaysleep 10\n sleep                0 (sleep prevented by powerd)\n", Well},
		"mac asleep":     {"darwin", "AC Power:\n sleep                15\n", Poor},
	} {
		d.findings = nil
		d.system = inventory.System{OS: c.goos, Ask: func(context.Context, string, ...string) ([]byte, error) { return []byte(c.out), nil }}
		if d.sleep(t.Context()); len(d.findings) != 1 || d.findings[0].Health != c.health {
			t.Errorf("%s: %+v", what, d.findings)
		}
	}
}

func TestTheDoctorSaysWhichFFmpegIsUsed(t *testing.T) {
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("ffmpeg is not installed")
	}
	report := inventory.Report{Inventory: farm.Inventory{
		Codecs: []string{"image_png"}, Encoders: []string{"png"},
		FFmpeg: &farm.FFmpeg{Path: "/data/ffmpeg/1/ffmpeg", Version: "7.1.1", Licence: ffmpeg.LGPL, SHA256: "1"},
	}}
	d := New(agent.Config{DataDir: t.TempDir()})
	d.films(t.Context(), t.TempDir(), report)
	got := d.findings[len(d.findings)-1]
	if got.Health != Broken || !strings.HasPrefix(got.Found, "/data/ffmpeg/1/ffmpeg (7.1.1, LGPL, given by the farm): cannot write video_h264") || !strings.Contains(got.Mend, "libopenh264") {
		t.Errorf("%+v", got)
	}
}
