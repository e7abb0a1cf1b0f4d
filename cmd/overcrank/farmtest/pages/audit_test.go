//go:build linux

package pages_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
)

func TestTheAuditLogSaysWhoDidWhat(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	mia, err := f.CreatePerson(t.Context(), client.NewAccess{Name: "Mia", Role: "artist", Email: "mia@studio.example"})
	if err != nil {
		t.Fatal(err)
	}
	stranger := newBrowser(t, f.Server)
	stranger.expect("status of 40")
	stranger.open("/sign-in")
	stranger.signsIn("mia@studio.example", "a wrong password")
	stranger.shows("do not belong together")

	b := signedIn(t, f)
	b.open("/settings/audit")
	b.shows("added a person")
	b.shows("signed in")
	f.Await("the failed sign-in to be written down", func() bool {
		b.open("/settings/audit?action=session.fail")
		return value[bool](b, `document.getElementById("audit") !== null`)
	})
	if text := value[string](b, `document.getElementById("audit").innerText`); strings.Contains(text, "mia") {
		t.Errorf("what was typed is in the log:\n%s", text)
	}
	b.open("/settings/audit?thing=" + mia.ID)
	b.until(`document.querySelectorAll("#audit tbody tr").length === 1`)
	b.open("/settings/audit")
	b.do(selectOption("#action", "person.add"))
	b.presses(`form[action="/settings/audit"] button[type=submit]`)
	b.until(`document.querySelectorAll("#audit tbody tr").length === 1 && location.search.includes("action=person.add")`)
	b.entersUntil(`document.readyState === "complete" && location.search === "" && document.querySelectorAll("#audit tbody tr").length > 1`, `form[action="/settings/audit"] a.button`)
	b.do(focus("#action"), chromedp.KeyEvent("Added a person"))
	b.until(`document.getElementById("action").value === "person.add"`)
	b.entersUntil(`document.readyState === "complete" && document.querySelectorAll("#audit tbody tr").length === 1 && location.search.includes("action=person.add")`, `form[action="/settings/audit"] button[type=submit]`)
	csv := value[string](b, `(() => { const r = new XMLHttpRequest(); r.open("GET", document.querySelector('a[href*="audit.csv"]').href, false); r.send(); return r.responseText; })()`)
	if lines := strings.Split(strings.TrimSpace(csv), "\n"); len(lines) != 2 || !strings.HasPrefix(lines[0], "at,by,name") || !strings.Contains(lines[1], ",person.add,person,"+mia.ID+",Mia,") {
		t.Errorf("the export is:\n%s", csv)
	}
	b.open("/settings/audit")
	b.canBeRead("/settings/audit")
	b.picture("audit")
}
