//go:build linux

package pages_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"overcrank/cmd/overcrank/titlecard"
)

// notifier stands in for what shows notifications on a desktop, which a browser without one lacks: it allows them once it is asked. It also notes
// when the page is told of what happens from then on.
const notifier = `
	window.WebSocket = class extends WebSocket {
		constructor(...at) { super(...at); this.addEventListener("message", () => { window.follows = true; }); }
	};
	window.shown = [];
	window.Notification = class {
		static get permission() { return localStorage.getItem("asked") ? "granted" : "default"; }
		static requestPermission() { localStorage.setItem("asked", "1"); return Promise.resolve("granted"); }
		constructor(title, options) { window.shown.push(title + " " + options.tag); }
		close() {}
	};`

// TestSomebodyIsToldOfAJobInTheBrowserAndInAChat sets notifications up on the page, and watches a job.
func TestSomebodyIsToldOfAJobInTheBrowserAndInAChat(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var said []string
	chat := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		said = append(said, string(body))
	}))
	defer chat.Close()
	heard := func(words string) bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(strings.Join(said, "\n"), words)
	}
	f := farmtest.Up(t, t.TempDir())
	job, err := f.Submit(t.Context(), map[string]any{
		"template": map[string]string{"id": f.Register("zip", farmtest.TitleCard(t)).ID, "composition": titlecard.Composition}, "hold": true,
	})
	if err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, f)
	b.do(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(notifier).Do(ctx)
		return err
	}))
	b.open("/account")
	b.canBeRead("/account")
	b.until(`document.getElementById("quiet-zone").value !== ""`)
	b.click(`input[name=about][value=failed]`)
	b.click(`input[name=chat]`)
	b.fill(`#chat-url`, chat.URL+"/hook")
	b.do(selectOption(`#chat-kind`, "slack"))
	b.click(`form[action^="/account/notifications#"] button[type=submit]`)
	b.shows("Your notifications have been saved")
	b.click(`form[action^="/account/notifications/test"] button`)
	b.shows("The test chat message was sent")
	if !heard("This is how you will be told") {
		t.Errorf("the chat heard %q", said)
	}
	b.click(`#browser-notices button`)
	b.until(`document.querySelector("#browser-notices button").textContent.startsWith("Stop")`)
	b.setsNoticesByKeys()

	b.open("/jobs/" + job.ID)
	b.shows("Tell me when it is done")
	b.click(`form[action$="/watch"] button`)
	b.until(`document.querySelector('form[action$="/watch"] button')?.textContent.includes("Don’t tell me") && document.readyState === "complete"`)
	b.entersUntil(`document.querySelector('form[action$="/watch"] button')?.textContent.includes("Tell me when") && document.readyState === "complete"`, `form[action$="/watch"] button`)
	b.entersUntil(`document.querySelector('form[action$="/watch"] button')?.textContent.includes("Don’t tell me") && document.readyState === "complete"`, `form[action$="/watch"] button`)
	b.canBeRead("/jobs/…")
	b.until(`window.follows === true`)
	if _, err := f.Cancel(t.Context(), []string{job.ID}, true); err != nil {
		t.Fatal(err)
	}
	b.until(`window.shown.some((words) => words.includes("was cancelled ` + job.ID + `"))`)
	f.Await("the chat to be told", func() bool { return heard("was cancelled") })
}

// setsNoticesByKeys chooses what else to be told of, saves it, has a test sent, and stops and begins the browser's own notices, without a mouse.
func (b *browser) setsNoticesByKeys() {
	b.t.Helper()
	const finished = `document.querySelector("input[name=about][value=finished]").checked`
	was := value[bool](b, finished)
	b.do(focus(`input[name=about][value=finished]`), chromedp.KeyEvent(" "))
	b.until(fmt.Sprintf(`%s === %t`, finished, !was))
	b.entersUntil(`document.readyState === "complete" && document.body.innerText.includes("Your notifications have been saved")`, `form[action^="/account/notifications#"] button[type=submit]`)
	b.until(fmt.Sprintf(`%s === %t`, finished, !was))
	b.entersUntil(`document.readyState === "complete" && document.body.innerText.includes("The test chat message was sent")`, `form[action^="/account/notifications/test"] button`)
	b.entersUntil(`!document.querySelector("#browser-notices button").textContent.startsWith("Stop")`, `#browser-notices button`)
	b.entersUntil(`document.querySelector("#browser-notices button").textContent.startsWith("Stop")`, `#browser-notices button`)
}
