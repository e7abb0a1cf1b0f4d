package language

import (
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
)

// saidByScript finds what scripts say: said("a text", …), and counted(n, "one", "many", …), whose key is the last of its texts.
var saidByScript = regexp.MustCompile(`\bsaid\(("(?:[^"\\]|\\.)*")|\bcounted\([^"]*"(?:[^"\\]|\\.)*", ("(?:[^"\\]|\\.)*")`)

// ScriptTexts are the texts that the scripts (*.js) of a folder say, and whether each counts.
func ScriptTexts(scripts fs.FS) (map[string]bool, error) {
	texts := map[string]bool{}
	err := fs.WalkDir(scripts, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".js") || strings.HasSuffix(path, ".min.js") {
			return err
		}
		body, err := fs.ReadFile(scripts, path)
		if err != nil {
			return fmt.Errorf("reading the texts of a script: %w", err)
		}
		for _, m := range saidByScript.FindAllSubmatch(body, -1) {
			text, err := strconv.Unquote(string(m[1]) + string(m[2]))
			if err != nil {
				return fmt.Errorf("the text %s of %s: %w", m[0], path, err)
			}
			texts[text] = len(m[2]) > 0
		}
		return nil
	})
	return texts, err
}
