package house_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	pageLink    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	pageHeading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	pageCode    = regexp.MustCompile("(?ms)^```.*?^```$")
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// TestLinksOfPagesLead opens every link of every page of documentation that stays within the repository, its anchor included.
func TestLinksOfPagesLead(t *testing.T) {
	pages := map[string]string{} // by path
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules" || entry.Name() == "demo-output"):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		pages[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) < 20 {
		t.Fatalf("only %d pages were found", len(pages))
	}
	for path, text := range pages {
		for _, m := range pageLink.FindAllStringSubmatch(pageCode.ReplaceAllString(text, ""), -1) {
			link, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(link, ":") {
				continue // an address of the web
			}
			target := path
			if link != "" {
				target = filepath.Join(filepath.Dir(path), link)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", path, m[1], err)
			} else if anchor != "" && !hasAnchor(pages[target], anchor) {
				t.Errorf("%s links to %s, and there is no such heading", path, m[1])
			}
		}
	}
}

// hasAnchor tells whether a heading of the page has this anchor, made as GitHub makes it.
func hasAnchor(page, anchor string) bool {
	for _, m := range pageHeading.FindAllStringSubmatch(pageCode.ReplaceAllString(page, ""), -1) {
		text := notInAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(m[1])), "")
		if strings.ReplaceAll(text, " ", "-") == anchor {
			return true
		}
	}
	return false
}
