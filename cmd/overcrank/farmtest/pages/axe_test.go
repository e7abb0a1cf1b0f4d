//go:build linux

package pages_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"overcrank/cmd/overcrank/farmtest"
)

// axeTags are the rules that pages are held to: all of WCAG 2.2 up to AA that axe can look at, and what its makers advise beyond that.
const axeTags = `["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]`

// What axe looks at: everything, what colours may break, and what they cannot.
const (
	axeAll           = `{ runOnly: { type: "tag", values: ` + axeTags + ` } }`
	axeColours       = `{ runOnly: { type: "rule", values: ["color-contrast"] } }`
	axeBesideColours = `{ runOnly: { type: "tag", values: ` + axeTags + ` }, rules: { "color-contrast": { enabled: false } } }`
)

// axeRules has axe look at the whole page that is open, and gives what it finds wrong, and how many rules the page keeps.
const axeRules = `axe.run(document, { ...%s, resultTypes: ["violations"] }).then(({ violations, passes }) => ({
	Kept: passes.length,
	Broken: violations.map(({ id, help, nodes }) => ({ Rule: id, Help: help, Places: nodes.map(({ target, html, failureSummary }) =>
		target.join(" ") + "  " + html.slice(0, 160) + "\n\t\t" + failureSummary.replaceAll("\n", "\n\t\t")) })),
}))`

// finding is a rule of axe that a page breaks.
type finding struct {
	Rule, Help string
	Places     []string // the elements, each with how it is mended
}

func (f finding) String() string {
	const most = 5
	places := f.Places
	if len(places) > most {
		places = append(places[:most:most], fmt.Sprintf("and %d more", len(f.Places)-most))
	}
	return f.Rule + ": " + f.Help + "\n\t" + strings.Join(places, "\n\t")
}

// axeScript is the text of axe, as its makers publish it.
func axeScript(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(farmtest.NodeTools(t, "pages"), "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// hasNoFinding has axe look at the page as it is shown now.
func (b *browser) hasNoFinding(page string) {
	b.t.Helper()
	b.keeps(page, axeAll)
}

// keeps holds the page as it is shown now to some of axe's rules. Its script comes by way of the browser's tools, so that the page's own policy stays as it is.
func (b *browser) keeps(page, rules string) {
	b.t.Helper()
	if !value[bool](b, `"axe" in window`) {
		b.do(chromedp.Evaluate(axeScript(b.t)+"; 0", nil))
	}
	began := time.Now()
	looked := value[struct {
		Kept   int
		Broken []finding
	}](b, fmt.Sprintf(axeRules, rules))
	b.looked += time.Since(began)
	if looked.Kept == 0 {
		b.t.Errorf("%s: axe has looked at nothing", page)
	}
	for _, found := range looked.Broken {
		b.t.Errorf("%s: %s", page, found)
	}
}
