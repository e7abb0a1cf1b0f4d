//go:build linux

package winetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"overcrank/installers/version"
	"overcrank/installers/windows"
	"overcrank/installers/windows/transform"
)

// The versions that are installed one after the other. What they are made of is the same but for the version that it says.
const (
	first  = "0.1.0-100-gaaaaaaa"
	second = "0.1.0-101-gbbbbbbb"
)

// makePackage makes the package of a version out of the sources of this repository.
func makePackage(t *testing.T, text string) string {
	t.Helper()
	for _, tool := range []string{"wixl", "msibuild", "msiinfo", "osslsigncode"} {
		if program(tool) == "" {
			t.Skipf("%s is missing: scripts/require msi installs it", tool)
		}
	}
	v, err := version.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	programs, dist := t.TempDir(), t.TempDir()
	for _, name := range []string{"overcrank-agent", "overcrank-launcher"} {
		compile(t, "windows", name, text, filepath.Join(programs, "windows-amd64", name+".exe"))
	}
	licences := filepath.Join(programs, "licences.txt")
	copyFile(t, filepath.Join("..", "..", "..", "LICENSE"), licences)
	if _, err := windows.Build(t.Context(), windows.Input{Dist: dist, Version: v, Programs: programs, Licences: licences}); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dist, windows.Name(v))
}

// install runs the package silently, as software distribution does, and returns the exit code. Of Windows Installer's codes wine keeps the lowest eight bits.
// A test that fails shows what an installation said that ended with another code than done.
func (p *prefix) install(t *testing.T, msi string, properties ...string) int {
	t.Helper()
	log := filepath.Join(t.TempDir(), "install.log")
	install := append([]string{"msiexec", "/i", windowsPath(msi), "/qn", "/norestart", "/l*v", windowsPath(log)}, properties...)
	said, code := p.run(t, install...)
	if _, err := os.Stat(log); code == notStarted && err != nil {
		t.Logf("wine has not started msiexec, which is tried once more: %q", said)
		said, code = p.run(t, install...)
	}
	if code != done {
		text, err := os.ReadFile(log)
		t.Logf("msiexec ended with %d and said %q; its log (%v) ends with\n%s", code, said, err, text[max(0, len(text)-installLogShown):])
	}
	return code
}

// notStarted is the exit code of wine itself, when it could not start its server or the program; it does so now and then. Had msiexec run, there would be a log.
const notStarted = 1

const installLogShown = 8 << 10 // bytes

const (
	done            = 0
	fatal           = 1603 & 0xff // ERROR_INSTALL_FAILURE
	versionsFolder  = `C:\Program Files\Overcrank\versions\`
	installedFolder = `C:\Program Files\Overcrank`
	dataFolder      = `C:\ProgramData\Overcrank`
	panelFolder     = `C:\Program Files\Adobe\Adobe After Effects 2025\Support Files\Scripts\ScriptUI Panels` // of an After Effects without its programs
)

// service tells whether the agent's service runs.
func (p *prefix) service(t *testing.T) bool {
	t.Helper()
	said, _ := p.run(t, "sc", "query", "OvercrankAgent")
	return strings.Contains(said, "RUNNING")
}

// TestThePackageOnWindows is the life of the package on one machine. Each part begins with what the one before left.
func TestThePackageOnWindows(t *testing.T) {
	if os.Getenv("OVERCRANK_PACKAGES") == "" {
		t.Skip("installs packages under wine, in about two minutes: make test-packages runs it")
	}
	older, newer := makePackage(t, first), makePackage(t, second)
	p := newPrefix(t)
	f := startFarm(t)
	f.addCard(t)
	if err := os.MkdirAll(p.path(panelFolder), 0o755); err != nil {
		t.Fatal(err)
	}
	p.run(t, "cmd", "/c", "exit") // wine enters the new fonts into its registry
	p.rest(t)
	before := p.state(t)

	t.Run("files are only trusted that nobody else can change", func(t *testing.T) { checksRights(t, p) })
	t.Run("an installation that fails leaves no settings", func(t *testing.T) { rollsBack(t, p, f, older) })
	plants(t, p)
	if !t.Run("installed with answers it joins the farm and renders", func(t *testing.T) { joins(t, p, f, older) }) {
		p.showLogs(t)
		return
	}
	t.Run("commands reach the agent by way of the launcher", func(t *testing.T) { answers(t, p) })
	t.Run("policies set what the agent does", func(t *testing.T) { obeysPolicies(t, p) })
	t.Run("an upgrade while it renders", func(t *testing.T) { upgrades(t, p, f, newer) })
	t.Run("an older version is refused", func(t *testing.T) { refusesDowngrade(t, p, older) })
	t.Run("a deleted program is repaired", func(t *testing.T) { repairs(t, p, f, newer) })
	t.Run("uninstalling leaves nothing", func(t *testing.T) { leavesNothing(t, p, newer, before) })
	t.Run("without a package", func(t *testing.T) { installsByHand(t, p, f, before) })
	t.Run("a transform gives the answers", func(t *testing.T) { takesTransform(t, p, f, newer) })
	p.showLogs(t)
}

// showLogs prints what the agent and its launcher logged, of a test that failed.
func (p *prefix) showLogs(t *testing.T) {
	t.Helper()
	if !t.Failed() {
		return
	}
	logs, _ := filepath.Glob(p.path(dataFolder + `\logs\*`))
	for _, path := range logs {
		if text, err := os.ReadFile(path); err == nil {
			t.Logf("%s:\n%s", filepath.Base(path), text)
		}
	}
}

// latestLease is how long after the start of its installation a machine may have its first lease. A machine that does other things as well is not held to
// it: OVERCRANK_FIGURES is set where this one does nothing else (make release-checks).
const latestLease = 30 * time.Second

func joins(t *testing.T, p *prefix, f *farm, msi string) {
	waiting := f.submit(t, "0-24")
	token := f.ask(t, "agents", "invite", "--for", "wine")
	began := time.Now()
	code := p.install(t, msi, "SERVER="+f.address, "JOIN="+token, "CAFILE="+windowsPath(f.authority()), "TAGS=wine,floor-2")
	if code != done {
		t.Fatalf("msiexec ended with %d", code)
	}
	installed := time.Since(began)
	await(t, "the machine gets a lease", func() bool { return !f.job(t, waiting).Stats.StartedAt.IsZero() })
	leased := f.job(t, waiting).Stats.StartedAt.Sub(began)
	t.Logf("from the start of the installation to its end %v, to the first lease %v", installed.Round(time.Millisecond), leased.Round(time.Millisecond))
	if os.Getenv("OVERCRANK_FIGURES") != "" && leased > latestLease {
		t.Errorf("the first lease came %v after the start of the installation, later than %v", leased, latestLease)
	}
	if p.hasPanel() {
		t.Error("the panel is installed, for which nobody has asked")
	}
	film := filepath.Join(t.TempDir(), "card.mp4")
	f.finishes(t, waiting)
	f.ask(t, "jobs", "download", waiting, "--output", film)
	counted, err := exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries", "stream=codec_name,nb_read_frames", "-of", "csv=p=0", film).Output()
	if got := strings.TrimSpace(string(counted)); err != nil || got != "h264,25" {
		t.Errorf("the film is %q (%v), want 25 frames of h264", got, err)
	}
	machines := f.machines(t)
	if len(machines) != 1 || machines[0].Version != first || !slices.Contains(machines[0].Tags, "floor-2") || slices.Contains(machines[0].Tags, "left-behind") {
		t.Errorf("the farm has the machines %+v, want one of version %s with the tags that were given", machines, first)
	}
	if left := p.contains(t, dataFolder, token); len(left) > 0 {
		t.Errorf("the join token is still in %v", left)
	}
	for _, name := range []string{"agent.yaml", "launcher"} {
		if aside, _ := filepath.Glob(p.path(dataFolder+`\`+name) + ".untrusted-*"); len(aside) != 1 {
			t.Errorf("what another account had put there as %s is set aside as %v", name, aside)
		}
	}
	if _, err := os.Stat(p.path(dataFolder + `\agent.yaml.before`)); err == nil {
		t.Error("the installer leaves its copy of the settings")
	}
}

// checksRights runs the tests of packages that ask Windows who may change a file.
func checksRights(t *testing.T, p *prefix) {
	for name, tests := range map[string]string{
		"launcher": "^TestWhoElse$|OnWindows$", "durable": "^TestOpenPrivate$", "cmd/overcrank/workstation/installation": "OnWindows$",
	} {
		program := filepath.Join(t.TempDir(), filepath.Base(name)+".test.exe")
		cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-trimpath", "-buildvcs=false", "-overlay", olderDeletion(t), "-o", program, "./"+name)
		cmd.Dir = filepath.Join("..", "..", "..")
		cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("compiling the tests of %s: %v\n%s", name, err, out)
		}
		said, code := p.run(t, windowsPath(program), "-test.v", "-test.run", tests)
		if code != 0 || !strings.Contains(said, "--- PASS") || strings.Contains(said, "--- SKIP") {
			t.Errorf("the tests of %s ended with %d:\n%s", name, code, said)
		}
	}
}

// rollsBack installs a package of which something fails once the agent is configured. Windows then runs what undoes an installation backwards, so that the
// agent's program is still there to restore the settings; wine runs it forwards. So it is the next installation that must not have these answers.
func rollsBack(t *testing.T, p *prefix, f *farm, msi string) {
	broken := filepath.Join(t.TempDir(), filepath.Base(msi))
	copyFile(t, msi, broken)
	const inScriptAsSystem = 18 + 1024 + 2048
	out, err := exec.CommandContext(t.Context(), "msibuild", broken, "-q",
		fmt.Sprintf("INSERT INTO `CustomAction` (`Action`,`Type`,`Source`,`Target`) VALUES ('Fail',%d,'AgentExe','agent nonsense')", inScriptAsSystem),
		"INSERT INTO `InstallExecuteSequence` (`Action`,`Condition`,`Sequence`) VALUES ('Fail','NOT Installed',5860)").CombinedOutput()
	if err != nil {
		t.Fatalf("msibuild: %v: %s", err, out)
	}
	if code := p.install(t, broken, "SERVER="+f.address, "TAGS=left-behind"); code == done {
		t.Errorf("msiexec ended with %d", code)
	}
	if _, err := os.Stat(p.path(versionsFolder + first)); err == nil || p.service(t) {
		t.Error("the program is left")
	}
}

// plants puts into the agent's folder what any account can put there before the first installation: settings, and an update that the system would start.
func plants(t *testing.T, p *prefix) {
	t.Helper()
	for name, text := range map[string]string{
		`agent.yaml`:          "coordinator: https://theirs.example\ntags: [theirs]\n",
		`launcher\state.json`: `{"current": {"version": "9.9.9", "number": 9}}`,
		`launcher\versions\9.9.9\overcrank-agent.exe`: "theirs",
	} {
		path := p.path(dataFolder + `\` + name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		// To wine, it is somebody else's because everybody may write to it.
		if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chmod(path, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
}

// finishes waits for the end of a job.
func (f *farm) finishes(t *testing.T, id string) {
	t.Helper()
	await(t, "the job ends", func() bool {
		j := f.job(t, id)
		if j.Status == "error" {
			t.Fatalf("job %s failed: %s", id, j.Stats.Error)
		}
		return j.Status == "finished"
	})
}

// answers leaves out agent status: wine 8 has no Unix sockets, by which it is asked.
func answers(t *testing.T, p *prefix) {
	said, code := p.run(t, installedFolder+`\overcrank.exe`, "version")
	if code != 0 || !strings.Contains(said, first) {
		t.Errorf("overcrank version says %q (%d), want %s", said, code, first)
	}
}

// policyNames are the values that the policy templates set.
func policyNames(t *testing.T) (names []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "policy", "overcrank.admx"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`valueName="([^"]*)"`).FindAllStringSubmatch(string(text), -1) {
		names = append(names, m[1])
	}
	if len(names) == 0 {
		t.Fatal("the policy templates set nothing")
	}
	return names
}

func obeysPolicies(t *testing.T, p *prefix) {
	const key = `HKLM\Software\Policies\Overcrank`
	for _, value := range [][]string{{"slots", "REG_DWORD", "2"}, {"tags", "REG_MULTI_SZ", `by\0policy`}, {"on-battery", "REG_DWORD", "0"}} {
		if said, code := p.run(t, "reg", "add", key, "/v", value[0], "/t", value[1], "/d", value[2], "/f"); code != 0 {
			t.Fatalf("reg add ended with %d: %s", code, said)
		}
	}
	said, code := p.run(t, installedFolder+`\overcrank.exe`, "agent", "config", "--json")
	var config struct {
		Settings []struct {
			Name   string   `json:"name"`
			Value  []string `json:"value"`
			Source string   `json:"source"`
		} `json:"settings"`
	}
	if err := json.Unmarshal([]byte(said), &config); err != nil || code != 0 {
		t.Fatalf("overcrank agent config ended with %d: %v: %s", code, err, said)
	}
	known := map[string]string{}
	for _, s := range config.Settings {
		known[s.Name] = s.Source + " " + strings.Join(s.Value, ",")
	}
	for name, want := range map[string]string{"slots": "policy 2", "tags": "policy by,policy", "on-battery": "policy false"} {
		if known[name] != want {
			t.Errorf("%s is %q, want %q", name, known[name], want)
		}
	}
	for _, name := range policyNames(t) {
		if _, ok := known[name]; !ok {
			t.Errorf("the policy templates set %s, which the agent does not know", name)
		}
	}
	if said, code := p.run(t, "reg", "delete", key, "/f"); code != 0 {
		t.Fatalf("reg delete ended with %d: %s", code, said)
	}
}

func upgrades(t *testing.T, p *prefix, f *farm, msi string) {
	// Windows Installer tells the old version that it is replaced (UPGRADINGPRODUCTCODE). wine does not.
	name, value, _ := strings.Cut(noRetire, "=")
	t.Setenv(name, value)
	was := f.machines(t)[0].ID
	long := f.submit(t, "0-149")
	await(t, "the long job is rendered", func() bool { return f.job(t, long).Progress > 0 })
	if code := p.install(t, msi); code != done {
		t.Fatalf("msiexec ended with %d", code)
	}
	await(t, "the new version is on the farm", func() bool { m := f.machines(t); return m[0].Online && m[0].Version == second })
	f.finishes(t, long)
	if machines := f.machines(t); len(machines) != 1 || machines[0].ID != was || !slices.Contains(machines[0].Tags, "floor-2") {
		t.Errorf("the farm has the machines %+v, want the one of before, %s, with its tags", machines, was)
	}
	if _, err := os.Stat(p.path(versionsFolder + first)); err == nil {
		t.Errorf("%s is still there", first)
	}
}

func refusesDowngrade(t *testing.T, p *prefix, msi string) {
	if code := p.install(t, msi); code != fatal {
		t.Errorf("msiexec ended with %d, want %d", code, fatal)
	}
	if _, err := os.Stat(p.path(versionsFolder + second + `\overcrank-agent.exe`)); err != nil || !p.service(t) {
		t.Errorf("the newer version is gone or does not run: %v", err)
	}
}

func repairs(t *testing.T, p *prefix, f *farm, msi string) {
	exe := p.path(versionsFolder + second + `\overcrank-agent.exe`)
	if err := os.Remove(exe); err != nil {
		t.Fatal(err)
	}
	// What msiexec /fa stands for, which wine refuses for a package that it has upgraded to.
	if code := p.install(t, msi, "REINSTALL=ALL", "REINSTALLMODE=amus"); code != done {
		t.Fatalf("msiexec ended with %d", code)
	}
	if _, err := os.Stat(exe); err != nil {
		t.Error(err)
	}
	f.finishes(t, f.submit(t, "0-4"))
}

func leavesNothing(t *testing.T, p *prefix, msi string, before state) {
	if _, code := p.run(t, "msiexec", "/x", windowsPath(msi), "/qn", "PURGE=1"); code != done {
		t.Fatalf("msiexec ended with %d", code)
	}
	p.rest(t)
	for _, difference := range p.state(t).differences(before) {
		t.Error(difference)
	}
}

// installsByHand is the life of an agent that 'overcrank agent install' has installed.
func installsByHand(t *testing.T, p *prefix, f *farm, before state) {
	const download = `C:\download`
	for _, name := range []string{"overcrank-agent", "overcrank-launcher"} {
		compile(t, "windows", name, first, p.path(download+`\`+name+".exe"))
	}
	agent := func(args ...string) (string, int) {
		return p.run(t, append([]string{download + `\overcrank-agent.exe`}, args...)...)
	}
	if said, code := agent("install"); code == 0 || !strings.Contains(said, "knows no farm") {
		t.Errorf("without answers: %d: %s", code, said)
	}
	known := len(f.machines(t))
	said, code := agent("install", "--server", f.address, "--join", f.ask(t, "agents", "invite", "--for", "by hand"), "--tags", "by-hand")
	if code != 0 {
		t.Fatalf("install ended with %d: %s", code, said)
	}
	await(t, "the machine is on the farm", func() bool {
		machines := f.machines(t)
		return len(machines) > known && slices.ContainsFunc(machines, func(m machine) bool { return m.Online && slices.Contains(m.Tags, "by-hand") })
	})
	if said, code := agent("install", "--json"); code != 0 || !strings.Contains(said, `"changed": false`) {
		t.Errorf("the same again ended with %d: %s", code, said)
	}
	if said, code := agent("uninstall", "--purge"); code != 0 {
		t.Fatalf("uninstall ended with %d: %s", code, said)
	}
	if err := os.RemoveAll(p.path(download)); err != nil {
		t.Fatal(err)
	}
	p.rest(t)
	for _, difference := range p.state(t).differences(before) {
		t.Error(difference)
	}
}

func takesTransform(t *testing.T, p *prefix, f *farm, msi string) {
	property, err := windows.Table(t.Context(), msi, "Property")
	if err != nil {
		t.Fatal(err)
	}
	code := func(name string) string { return property.Get("Property", name, "Value") }
	made, err := transform.Make(
		transform.Base{ProductCode: code("ProductCode"), Version: code("ProductVersion"), UpgradeCode: code("UpgradeCode")},
		[]transform.Property{{Name: "SERVER", Value: f.address}, {Name: "TAGS", Value: "by-group-policy"}, {Name: "DATADIR", Value: `C:\Farm Data`}})
	if err != nil {
		t.Fatal(err)
	}
	answers := filepath.Join(t.TempDir(), "answers.mst")
	if err := os.WriteFile(answers, made, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := p.install(t, msi, "TRANSFORMS="+windowsPath(answers), "ADDLOCAL=Main,Panel"); code != done {
		t.Fatalf("msiexec ended with %d", code)
	}
	if !p.hasPanel() {
		t.Error("After Effects has no panel")
	}
	settings, err := os.ReadFile(p.path(dataFolder + `\agent.yaml`))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{f.address, "by-group-policy", `C:\Farm Data`} {
		if !strings.Contains(string(settings), want) {
			t.Errorf("the settings are %q, without %s", settings, want)
		}
	}
	if err := os.MkdirAll(p.path(`C:\Farm Data-work\attempt`), 0o755); err != nil { // where people's After Effects works; the agent may have made it
		t.Fatal(err)
	}
	if _, code := p.run(t, "msiexec", "/x", windowsPath(msi), "/qn", "PURGE=1"); code != done {
		t.Errorf("msiexec ended with %d", code)
	}
	for _, folder := range []string{`C:\Farm Data`, `C:\Farm Data-work`} {
		if _, err := os.Stat(p.path(folder)); err == nil {
			t.Errorf("%s is left", folder)
		}
	}
	if p.hasPanel() {
		t.Error("the panel is left")
	}
}

// hasPanel tells whether After Effects has the panel.
func (p *prefix) hasPanel() bool {
	_, err := os.Stat(p.path(panelFolder + `\Overcrank.jsx`))
	return err == nil
}

// contains finds the files below a folder that hold a text.
func (p *prefix) contains(t *testing.T, folder, text string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(p.path(folder), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // the agent works in it meanwhile
		}
		if held, err := os.ReadFile(path); err == nil && strings.Contains(string(held), text) {
			all = append(all, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
