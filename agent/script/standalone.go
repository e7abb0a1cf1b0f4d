package script

import (
	_ "embed"
	"fmt"
)

//go:embed standalone.jsx
var standalone string

// Files are the files that a standalone script works with, as absolute paths.
type Files struct {
	Script  string // the standalone script itself, which removes its file when it begins
	Project string // opened, never written
	Saved   string // the changed project is saved here
	Outcome string // "ok", or "error: " and the message, is written here
}

// Standalone wraps a script for an After Effects that is started only to apply it: Adobe's aerender runs no scripts, so
// the filled-in project is saved as a copy and rendered from there.
func Standalone(script string, f Files) string {
	return fmt.Sprintf("(function () {\nvar SCRIPT = %s, PROJECT = %s, SAVED = %s, OUTCOME = %s;\nfunction apply() {\n%s}\n%s})();\n",
		quotePath(f.Script), quotePath(f.Project), quotePath(f.Saved), quotePath(f.Outcome), script, standalone)
}
