//go:build linux

package pages_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"overcrank/cmd/overcrank/farmtest"
)

// signsIn types a name and a password into the page that asks for them.
func (b *browser) signsIn(name, password string) {
	b.t.Helper()
	b.do(visible("#name"))
	b.painted()
	b.fill("#name", name)
	b.do(types("#password", password+kb.Enter))
}

func TestAPersonSignsInWithAPassword(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	admin := signedIn(t, f)
	admin.open("/settings/people")
	admin.fill("#name", "Mia")
	admin.fill("#email", "mia@studio.example")
	admin.presses(`form[action="/settings/people"] button[type=submit]`)
	admin.shows("Send this link to Mia")
	link := value[string](admin, `document.querySelector("code.secret").textContent`)

	const first, second = "correct horse battery", "battery horse correct"
	mia := newBrowser(t, f.Server)
	mia.expect("status of 40")
	mia.open(link[strings.Index(link, "/sign-in/"):])
	mia.canBeRead("the link of an invited person")
	mia.do(types("#password", "short"+kb.Enter))
	mia.shows("cannot be used")
	mia.painted()
	mia.do(types("#password", first+kb.Enter))
	mia.shows("Overview")

	home := newBrowser(t, f.Server)
	home.expect("status of 40")
	home.open("/")
	if text := value[string](home, `document.body.innerText`); strings.Contains(strings.ToLower(text), "token") {
		t.Errorf("people who sign in are told of tokens:\n%s", text)
	}
	home.signsIn("mia", "a wrong password")
	home.shows("do not belong together")
	home.signsIn("mia@studio.example", first)
	home.shows("Overview")

	mia.open("/account")
	mia.canBeRead("/account")
	mia.until(`document.querySelectorAll("tbody tr").length === 2`)
	mia.fill("#current", first)
	mia.fill("#password", second)
	mia.presses(`form[action="/account/password"] button[type=submit]`)
	mia.shows("All other browsers are signed out")
	home.do(visible("#name")) // at once, without being asked
	home.signsIn("Mia", second)
	home.shows("Overview")

	mia.open("/account")
	mia.presses(`form[action="/account/sessions/end"] button`)
	mia.do(visible("#name"))
	home.do(visible("#name"))
}
