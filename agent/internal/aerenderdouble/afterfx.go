package aerenderdouble

import (
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strconv"
)

var scriptFiles = regexp.MustCompile(`PROJECT = ("(?:[^"\\]|\\.)*"), SAVED = ("(?:[^"\\]|\\.)*"), OUTCOME = ("(?:[^"\\]|\\.)*");`)

// AfterFX stands in for the After Effects that is started only to run a script file: it does not run it, but
// leaves behind what one would that did. An outcome of "" leaves nothing.
func AfterFX(script, outcome string) int {
	b, err := os.ReadFile(script)
	if err != nil {
		fmt.Println("After Effects error:", err)
		return 1
	}
	m := scriptFiles.FindStringSubmatch(string(b))
	if m == nil || outcome == "" {
		return 0
	}
	var names [3]string
	for i := range names {
		if names[i], err = strconv.Unquote(m[i+1]); err != nil {
			return 1
		}
		// File takes a path for an address, so this After Effects undoes escapes as well.
		if names[i], err = url.PathUnescape(names[i]); err != nil {
			return 1
		}
	}
	project, err := os.ReadFile(names[0])
	if err != nil {
		return 1
	}
	if outcome == "ok" && os.WriteFile(names[1], project, 0o600) != nil {
		return 1
	}
	if os.WriteFile(names[2], []byte(outcome), 0o600) != nil {
		return 1
	}
	return 0
}
