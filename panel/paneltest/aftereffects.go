// Package paneltest is an After Effects double for tests of the panel: the simulated object model of package dom with what After Effects
// gives to scripts of people beyond that. Its Socket speaks real TCP, its system.callSystem starts real programs, and its files are those
// of one folder. What it lacks is ExtendScript itself, with its own parser and faults, and anything drawn.
package paneltest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"

	"overcrank/aep"
	"overcrank/engine/dom"
	"overcrank/panel"
)

// longest is how long one script may take.
const longest = 3 * time.Minute

// AfterEffects is an After Effects with an open project.
type AfterEffects struct {
	t testing.TB
	// Folder has all its files: the project, footage, preferences and temporary files.
	Folder string
	// Project is open. Dirty tells that it has changes that are not saved.
	Project *aep.Project
	Dirty   bool
	// Settings are the preferences of scripts, by section and name.
	Settings map[string]string
	// Commands are those that scripts gave to system.callSystem.
	Commands []string
	// Longest is the longest turn that a script had of After Effects' one thread.
	Longest time.Duration
	// Folders are what people choose in dialogs for folders.
	Folders []string
	// System stands for system.callSystem; nil starts real programs.
	System func(command string) string
	// OS is what $.os says; "" is a system with sh, like macOS.
	OS string

	rt        *goja.Runtime
	reports   map[string]json.RawMessage
	scheduled []task
	sockets   []*socket
	opened    int
}

type task struct {
	code string
	due  time.Time
}

// Open starts an After Effects that has opened a project, which is saved under a name in a folder of its own first.
func Open(t testing.TB, name string, project *aep.Project) *AfterEffects {
	t.Helper()
	a := &AfterEffects{t: t, Folder: t.TempDir(), Project: project, Settings: map[string]string{}}
	if name != "" {
		project.Path = a.Path(name)
		a.Save()
	}
	return a
}

// Path is the path of a file of the folder; the folders above it are made.
func (a *AfterEffects) Path(name string) string {
	path := filepath.Join(a.Folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		a.t.Fatal(err)
	}
	return path
}

// Write writes a file of the folder and gives its path.
func (a *AfterEffects) Write(name string, content []byte) string {
	path := a.Path(name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		a.t.Fatal(err)
	}
	return path
}

// Joined sets the panel up for a farm, as its settings would.
func (a *AfterEffects) Joined(server, token, authority string) {
	a.Settings["Overcrank/server"], a.Settings["Overcrank/token"], a.Settings["Overcrank/authority"] = server, token, authority
}

// Run runs a script in the place where the panel opens its window, so that it sees the panel's own functions. It has report(name, value),
// and until(condition), which gives After Effects' thread to what was scheduled until the condition holds.
func (a *AfterEffects) Run(script string) map[string]json.RawMessage {
	a.t.Helper()
	return a.RunAs(strings.Replace(string(panel.For("0.1.0-test", "")), "openPanel(host);\n", script+"\n", 1))
}

// RunAs runs a whole script.
func (a *AfterEffects) RunAs(script string) map[string]json.RawMessage {
	a.t.Helper()
	a.reports, a.scheduled = map[string]json.RawMessage{}, nil
	err := dom.Run(a.t.Context(), a.Project, panel.Name, script, dom.Options{Folder: a.Folder, Time: longest, Host: a.host})
	for _, s := range a.sockets {
		s.close()
	}
	var thrown *dom.ScriptError
	if errors.As(err, &thrown) {
		a.t.Fatalf("line %d: %s", thrown.Line, thrown.Message)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	return a.reports
}

// Read reads what a script reported.
func Read[T any](t testing.TB, reports map[string]json.RawMessage, name string) (value T) {
	t.Helper()
	raw, there := reports[name]
	if !there {
		t.Fatalf("the script did not report %q", name)
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatalf("%s: %v in %s", name, err, raw)
	}
	return value
}

// Save writes the project where it lies.
func (a *AfterEffects) Save() {
	var b bytes.Buffer
	if err := aep.Write(&b, a.Project); err != nil {
		a.t.Fatal(err)
	}
	if err := os.WriteFile(a.Project.Path, b.Bytes(), 0o600); err != nil {
		a.t.Fatal(err)
	}
	a.Dirty = false
}

// host gives a script what After Effects gives it and the farm's own runtime refuses.
func (a *AfterEffects) host(rt *goja.Runtime) error {
	a.rt = rt
	for name, value := range map[string]any{
		"__now": func() float64 { return float64(time.Now().UnixMilli()) }, "__report": func(name, value string) { a.reports[name] = json.RawMessage(value) },
		"__turn": a.turn, "__schedule": a.schedule, "__call": a.call, "__folder": a.chooseFolder,
		"__dirty": func() bool { return a.Dirty }, "__save": a.saveAs, "__open": a.open, "__reduce": a.reduce,
		"__setting": func(key string) any {
			if value, there := a.Settings[key]; there {
				return value
			}
			return nil
		},
		"__keep":   func(key, value string) { a.Settings[key] = value },
		"__socket": a.newSocket, "__os": a.OS,
	} {
		if err := rt.Set(name, value); err != nil {
			return err
		}
	}
	_, err := rt.RunString(prelude)
	return err
}

// prelude is After Effects' side in its own language. What ES3 lacks is taken away.
const prelude = `
(function (global) {
	var fsName = function (file) { return file.fsName; };
	app.scheduleTask = function (code, delay, repeat) { return __schedule(code, delay, repeat === true); };
	system.callSystem = function (command) { return __call(String(command)); };
	app.settings = {
		haveSetting: function (section, name) { return __setting(section + "/" + name) !== null; },
		getSetting: function (section, name) { var v = __setting(section + "/" + name); if (v === null) { throw new Error("no such setting"); } return v; },
		saveSetting: function (section, name, value) { __keep(section + "/" + name, String(value)); }
	};
	app.preferences = {
		havePref: function (section, name) { return section === "Main Pref Section v2" && name === "Pref_SCRIPTING_FILE_NETWORK_SECURITY"; },
		getPrefAsLong: function () { return Number(__setting("mayWrite") === null ? 1 : __setting("mayWrite")); },
		saveToDisk: function () {}
	};
	Object.defineProperty(app.project, "dirty", {get: function () { return __dirty(); }});
	app.project.save = function (file) { __save(file ? fsName(file) : ""); };
	app.project.close = function () { return true; };
	app.project.reduceProject = function (list) { var ids = []; for (var i = 0; i < list.length; i++) { ids.push(list[i].id); } return __reduce(ids); };
	app.open = function (file) { __open(fsName(file)); return app.project; };
	Folder.selectDialog = function () { var path = __folder(); return path === "" ? null : new Folder(path.replace(/%/g, "%25")); };
	if (__os !== "") { $.os = __os; }
	global.Socket = function () {
		var s = __socket();
		this.timeout = 10;
		this.encoding = "ASCII";
		this.error = "";
		this.open = function (host, encoding) { this.encoding = encoding || "ASCII"; return s.open(host, this.timeout); };
		this.close = function () { return s.close(); };
		this.read = function (count) { return s.read(count === undefined ? -1 : count, this.timeout); };
		this.write = function (text) { return s.write(String(text), this.timeout); };
		Object.defineProperty(this, "connected", {get: function () { return s.connected(); }});
		Object.defineProperty(this, "eof", {get: function () { return !s.connected(); }});
	};
	global.Panel = function Panel() {};
	global.Window = function Window() {};
	global.report = function (name, value) { __report(name, global.__json(value)); };
	global.__json = JSON.stringify;
	global.alert = function (text) { throw new Error(text); };
	global.until = function (condition, what) {
		var end = __now() + 120000;
		while (!condition()) {
			if (__now() > end) { throw new Error("never: " + (what || condition)); }
			__turn();
		}
	};
	var i, gone = ["forEach", "map", "filter", "reduce", "some", "every", "indexOf", "lastIndexOf", "includes", "find", "findIndex", "fill"];
	for (i = 0; i < gone.length; i++) { delete Array.prototype[gone[i]]; }
	gone = ["trim", "startsWith", "endsWith", "includes", "repeat", "padStart", "padEnd"];
	for (i = 0; i < gone.length; i++) { delete String.prototype[gone[i]]; }
	delete Object.keys; delete Object.assign; delete Date.now; delete Array.isArray; delete Function.prototype.bind;
	delete Date.prototype.toISOString;
	delete global.JSON; delete global.Promise; delete global.Map; delete global.Set; delete global.Symbol;
})(this);
`

// schedule keeps a task for its time.
func (a *AfterEffects) schedule(code string, delay float64, repeat bool) (int, error) {
	if repeat {
		return 0, errors.New("the double runs tasks once")
	}
	a.scheduled = append(a.scheduled, task{code, time.Now().Add(time.Duration(delay) * time.Millisecond)})
	return len(a.scheduled), nil
}

// turn gives the thread to the task that is due next.
func (a *AfterEffects) turn() error {
	if len(a.scheduled) == 0 {
		return errors.New("nothing is scheduled: the panel waits for what never comes")
	}
	next := a.scheduled[0]
	a.scheduled = a.scheduled[1:]
	time.Sleep(time.Until(next.due))
	began := time.Now()
	_, err := a.rt.RunString(next.code)
	a.Longest = max(a.Longest, time.Since(began))
	return err
}

// call runs a command as After Effects on macOS does: by sh, waiting until nobody holds its output any more.
func (a *AfterEffects) call(command string) string {
	a.Commands = append(a.Commands, command)
	if a.System != nil {
		return a.System(command)
	}
	out, _ := exec.Command("/bin/sh", "-c", command).Output() // scripts learn nothing of how a command ended
	return string(out)
}

func (a *AfterEffects) chooseFolder() string {
	if len(a.Folders) == 0 {
		return ""
	}
	next := a.Folders[0]
	a.Folders = a.Folders[1:]
	return next
}

func (a *AfterEffects) saveAs(path string) error {
	if path != "" {
		a.Project.Path = path
	}
	if a.Project.Path == "" {
		return errors.New("the project has never been saved")
	}
	a.Save()
	return nil
}

func (a *AfterEffects) open(path string) error {
	p, err := aep.Open(a.t.Context(), path, aep.DefaultLimits())
	if err != nil {
		return err
	}
	resolve(p)
	*a.Project = *p
	a.Dirty = false
	a.opened++
	return nil
}

// resolve finds footage where After Effects finds it: at the path that the project has.
func resolve(p *aep.Project) {
	for _, it := range p.Items {
		if f := it.Footage; f != nil && f.Kind == aep.FootageFile {
			if _, err := os.Stat(f.File.FullPath); err == nil {
				f.File.Resolved = f.File.FullPath
			} else {
				f.Missing = true
			}
		}
	}
}

// Opened is how often scripts opened a project.
func (a *AfterEffects) Opened() int { return a.opened }

// reduce removes what some compositions do not use.
func (a *AfterEffects) reduce(ids []uint32) int {
	used := map[uint32]bool{}
	var use func(id uint32)
	use = func(id uint32) {
		it := a.Project.Item(id)
		if it == nil || used[id] {
			return
		}
		used[id] = true
		if it.Comp != nil {
			for _, l := range it.Comp.Layers {
				use(l.Source)
			}
		}
	}
	for _, id := range ids {
		use(id)
	}
	var kept []*aep.Item
	for _, it := range a.Project.Items {
		if used[it.ID] {
			kept = append(kept, it)
		}
	}
	gone := len(a.Project.Items) - len(kept)
	a.Project.Items, a.Dirty = kept, true
	return gone
}

// String tells where it is, for messages of tests.
func (a *AfterEffects) String() string { return fmt.Sprintf("After Effects' double in %s", a.Folder) }
