package aerender

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"overcrank/farm"
)

// applyTime is how long an After Effects may take to start, run a script and end.
const applyTime = 10 * time.Minute

// Application is a run of After Effects that only runs a script.
type Application struct {
	Aerender string   // path of the aerender that it belongs to
	Script   string   // path of the script file
	Command  []string // that starts it with the script, as ScriptCommand gives it
	Host     Host     // where it runs; nil means as a child of this process
	Dir      string
	OnLine   func(string)
}

// Apply runs it to its end, under the same watch as a render.
func Apply(ctx context.Context, app Application) error {
	if len(app.Command) == 0 {
		return &Failure{Message: "Render failed: After Effects cannot run scripts on this system", Class: farm.FailureWorker, Cause: farm.Cause{Kind: farm.CauseMachine}}
	}
	_, err := Run(ctx, Request{
		Program: app.Command[:1], bare: app.Command[1:], isBare: true, aerender: app.Aerender, scriptFile: app.Script, Host: app.Host, Dir: app.Dir, OnLine: app.OnLine,
		Limits: Limits{Launch: applyTime, Open: applyTime, Stall: applyTime, Exit: applyTime}, Wall: applyTime,
	})
	return err
}

// ScriptCommand is how the After Effects that an aerender belongs to is made to run a script file; nil on systems
// without After Effects.
func ScriptCommand(goos, aerender, script string) []string {
	switch goos {
	case "windows":
		folder, _ := cutLast(aerender, `\`)
		return []string{folder + `\AfterFX.exe`, "-m", "-noui", "-r", script}
	case "darwin":
		name := path.Base(path.Dir(aerender)) // the folder is named as the program is
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
		// AppleScript would give up after two minutes. This clock of ours ends it.
		patience := fmt.Sprintf("with timeout of %d seconds", int((2 * applyTime).Seconds()))
		return []string{"/usr/bin/osascript", "-e", patience, "-e", `tell application "` + quoted.Replace(name) + `" to DoScriptFile "` + quoted.Replace(filepath.ToSlash(script)) + `"`, "-e", "end timeout"}
	}
	return standInCommand(aerender, script)
}

func cutLast(s, sep string) (before, after string) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return ".", s
	}
	return s[:i], s[i+len(sep):]
}
