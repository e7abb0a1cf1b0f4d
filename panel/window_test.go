package panel_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"overcrank/panel"
	"overcrank/panel/paneltest"
)

// scriptUI is ScriptUI as far as the panel uses it: controls that record what is done with them.
const scriptUI = `
(function (global) {
	function Control(kind, value, options) {
		this.kind = kind; this.children = []; this.preferredSize = {}; this.enabled = true; this.items = []; this.subItems = [{}, {}, {}];
		this.text = kind === "dropdownlist" || kind === "listbox" ? "" : (value === undefined ? "" : value);
		this.value = kind === "progressbar" ? value : false;
		this.options = options || {};
		this.layout = {layout: function () {}, resize: function () {}};
		if (kind === "dropdownlist") { this.items = value; }
	}
	Object.defineProperty(Control.prototype, "selection", {
		get: function () { return {index: this.chosen || 0, text: this.items[this.chosen || 0]}; },
		set: function (index) { this.chosen = index; }
	});
	Control.prototype.add = function (kind, bounds, value, options) {
		var made = new Control(kind, value, options);
		if (kind === "item") { made.text = bounds; this.items.push(made); return made; }
		this.children.push(made);
		global.controls.push(made);
		return made;
	};
	Control.prototype.removeAll = function () { this.items = []; };
	global.controls = [];
	global.Panel = function Panel() { Control.call(this, "panel"); };
	global.Panel.prototype = Object.create(Control.prototype);
	global.Window = function Window(type, title) {
		Control.call(this, type, title);
		this.title = title; this.shown = 0; this.result = 2;
		global.windows.push(this);
	};
	global.Window.prototype = Object.create(Control.prototype);
	global.Window.prototype.center = function () {};
	global.Window.prototype.close = function (result) { this.result = result; };
	global.Window.prototype.show = function () { this.shown++; if (global.answer) { global.answer(this); } return this.result; };
	global.windows = [];
	// named finds a control by its words, as a person would.
	global.named = function (text) { for (var i = controls.length - 1; i >= 0; i--) { if (controls[i].text === text) { return controls[i]; } } throw new Error("no " + text); };
	global.first = function (text) { for (var i = 0; i < controls.length; i++) { if (controls[i].text === text) { return controls[i]; } } throw new Error("no " + text); };
	global.kinds = function (kind) { var list = []; for (var i = 0; i < controls.length; i++) { if (controls[i].kind === kind) { list.push(controls[i]); } } return list; };
	global.says = function () { var list = kinds("statictext"), i; for (i = 0; i < list.length; i++) { if (list[i].options.multiline && list[i].text.indexOf("Version") !== 0) { return list[i].text; } } };
})(this);
`

// open runs the whole panel as After Effects does, and then a script.
func open(a *paneltest.AfterEffects, script string) map[string]json.RawMessage {
	return a.RunAs(scriptUI + string(panel.For("0.1.0-test", "http://suggested.example")) + script)
}

func TestTheWindowOpensSetsUpChecksSendsAndCancelsJobs(t *testing.T) {
	t.Parallel()
	f := startFarm(t)
	a := spot(t)
	a.Settings["f/server"], a.Settings["f/token"] = f.http, f.token
	r := open(a, `
		report("windows", windows.length); report("suggested", controls[1].text);
		report("compositions", (function () { var list = kinds("listbox")[0].items, out = [], i; for (i = 0; i < list.length; i++) { out.push(list[i].text); } return out; })());
		named("Send").onClick(); report("untold", says());
		answer = function (dialog) {
			if (dialog.kind !== "dialog") { return; }
			var fields = [], i, list = kinds("edittext");
			for (i = list.length - 3; i < list.length; i++) { fields.push(list[i]); }
			report("hidden", fields[1].options.noecho === true);
			fields[0].text = __setting("f/server"); fields[1].text = " " + __setting("f/token") + " ";
			named("Save and test").onClick();
		};
		named("Settings").onClick();
		until(function () { return says().indexOf("Connected as") === 0; });
		named("Check").onClick();
		until(function () { return says() !== "" && says().indexOf("Connected") < 0 && named("Check").enabled; });
		report("nothing chosen", says());
		var list = kinds("listbox")[0];
		list.items[1].selected = true;
		named("Hold").value = true;
		kinds("edittext")[0].text = "Spot";
		report("idle", [named("Send").enabled, first("Cancel").enabled]);
		named("Send").onClick();
		report("busy", [named("Send").enabled, first("Cancel").enabled]);
		until(function () { return named("Send").enabled; });
		report("sent", says());
		var jobs = kinds("listbox")[1];
		until(function () { return jobs.items.length === 1 && jobs.items[0].subItems[0].text === "Waiting"; });
		named("Cancel jobs").onClick();
		until(function () { return jobs.items[0].subItems[0].text === "Cancelled"; });
		named("Download").onClick(); report("no folder", says());
	`)
	if got := paneltest.Read[[]string](t, r, "compositions"); !slices.Equal(got, []string{"inner", "main"}) {
		t.Errorf("the list shows %q", got)
	}
	for name, want := range map[string]string{"suggested": "http://suggested.example", "untold": "Enter a token", "nothing chosen": "No composition is selected", "sent": "1 job created"} {
		if got := paneltest.Read[string](t, r, name); !strings.Contains(got, want) {
			t.Errorf("%s: %q does not say %q", name, got, want)
		}
	}
	if paneltest.Read[int](t, r, "windows") != 1 || !paneltest.Read[bool](t, r, "hidden") {
		t.Errorf("windows %s, the token is hidden: %s", r["windows"], r["hidden"])
	}
	if idle, busy := paneltest.Read[[2]bool](t, r, "idle"), paneltest.Read[[2]bool](t, r, "busy"); idle != [2]bool{true, false} || busy != [2]bool{false, true} {
		t.Errorf("Send and Cancel can be clicked: idle %v, busy %v", idle, busy)
	}
	if a.Settings["Overcrank/token"] != f.token || a.Settings["Overcrank/server"] != f.http {
		t.Errorf("kept are %q", a.Settings)
	}
}

func TestAPanelThatIsDockedOpensNoWindow(t *testing.T) {
	t.Parallel()
	a := spot(t)
	docked := strings.Replace(string(panel.Source("0.1.0")), "})(this);\n", "})(new Panel());\n", 1)
	r := a.RunAs(scriptUI + docked + `report("windows", windows.length); report("controls", controls.length);`)
	if paneltest.Read[int](t, r, "windows") != 0 || paneltest.Read[int](t, r, "controls") < 20 {
		t.Errorf("windows %s, controls %s", r["windows"], r["controls"])
	}
}
