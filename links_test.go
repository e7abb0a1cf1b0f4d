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
	pageSource  = regexp.MustCompile("`([a-z0-9_]+(?:/[a-z0-9_]+)+\\.go)`")
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// documentation is every page of the repository, by its path.
func documentation(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
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
	return pages
}

// links are the links of a page that stay within the repository: the path that each leads to, and its anchor.
func links(path, text string) (out [][2]string) {
	for _, m := range pageLink.FindAllStringSubmatch(pageCode.ReplaceAllString(text, ""), -1) {
		link, anchor, _ := strings.Cut(m[1], "#")
		switch {
		case strings.Contains(link, ":"): // an address of the web
		case link == "":
			out = append(out, [2]string{path, anchor})
		default:
			out = append(out, [2]string{filepath.Join(filepath.Dir(path), link), anchor})
		}
	}
	return out
}

// TestLinksOfPagesLead follows every link within the documentation, to its heading where it names one.
func TestLinksOfPagesLead(t *testing.T) {
	pages := documentation(t)
	for path, text := range pages {
		for _, link := range links(path, text) {
			target, anchor := link[0], link[1]
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s has a link that leads nowhere: %v", path, err)
			} else if anchor != "" && !hasAnchor(pages[target], anchor) {
				t.Errorf("%s links to #%s of %s, which has no such heading", path, anchor, target)
			}
		}
	}
}

// TestSourcesThatPagesNameAreThere looks for each source file that a page names by its path, from the root or from the page's folder.
func TestSourcesThatPagesNameAreThere(t *testing.T) {
	found := 0
	for path, text := range documentation(t) {
		for _, m := range pageSource.FindAllStringSubmatch(text, -1) {
			found++
			_, fromRoot := os.Stat(m[1])
			if _, fromPage := os.Stat(filepath.Join(filepath.Dir(path), m[1])); fromRoot != nil && fromPage != nil {
				t.Errorf("%s names %s, which is not there", path, m[1])
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d source files are named by the pages: the search is wrong", found)
	}
}

// TestEveryPageIsInTheIndex looks for each page of docs in docs/README.md, or in the index of operations.
func TestEveryPageIsInTheIndex(t *testing.T) {
	pages := documentation(t)
	listed := map[string]bool{}
	for _, index := range []string{filepath.Join("docs", "README.md"), filepath.Join("docs", "operations", "README.md")} {
		listed[index] = true
		for _, link := range links(index, pages[index]) {
			listed[link[0]] = true
		}
	}
	for path := range pages {
		if strings.HasPrefix(path, "docs"+string(filepath.Separator)) && !listed[path] {
			t.Errorf("%s is in no index of the documentation", path)
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
