// Package panel is the panel that submits the open project from within After Effects: one ScriptUI script, joined from small parts.
//
// After Effects runs ExtendScript, which is JavaScript of 1999 (ECMAScript 3) without JSON, and a Socket that speaks no TLS; the parts
// keep to that.
package panel

import (
	"embed"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Name is what the file has to be called in After Effects' folder "ScriptUI Panels": it names the entry in the menu Window.
const Name = "Overcrank.jsx"

//go:embed source
var source embed.FS

// parts are the files below source in the order in which they are joined. They lie within one function, so that After Effects, whose
// scripts share their globals, sees only one name that begins with OvercrankPanel.
var parts = []string{
	"text", "json", "loop", "quote", "shell", "socket", "curl", "http", "farm", "settings", "sha256", "hash",
	"project", "footage", "check", "copy", "submit", "follow", "fields", "window",
}

// Source is the panel of a version, for packages.
func Source(version string) []byte { return For(version, "") }

// For is the panel of a version that suggests the address of a farm, as the farm itself hands it out.
func For(version, server string) []byte {
	var b strings.Builder
	b.WriteString("// The Overcrank panel for After Effects, version " + comment(version) + ".\n")
	b.WriteString("// Put this file into After Effects' folder Scripts/ScriptUI Panels; docs/panel.md says where that is.\n")
	b.WriteString("(function (host) {\n")
	b.WriteString("var VERSION = " + quote(version) + ", SUGGESTED_SERVER = " + quote(server) + ";\n\n")
	b.WriteString(join(parts))
	b.WriteString("openPanel(host);\n})(this);\n")
	return []byte(b.String())
}

// join puts parts behind each other.
func join(names []string) string {
	var b strings.Builder
	for _, name := range names {
		text, err := source.ReadFile("source/" + name + ".jsx")
		if err != nil {
			panic("panel: the part " + name + " is not embedded") // a fault of this package, which its tests find
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.String()
}

// comment keeps a version on its line.
func comment(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, text)
}

// quote writes text as a string of ES3 in plain ASCII.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, unit := range utf16.Encode([]rune(text)) {
		switch {
		case unit == '"' || unit == '\\':
			b.WriteString(`\` + string(rune(unit)))
		case unit < ' ' || unit > '~' || unit == '<':
			hex := strconv.FormatUint(uint64(unit), 16)
			b.WriteString(`\u` + strings.Repeat("0", 4-len(hex)) + hex)
		default:
			b.WriteByte(byte(unit))
		}
	}
	b.WriteByte('"')
	return b.String()
}
