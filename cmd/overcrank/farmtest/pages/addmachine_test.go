//go:build linux

package pages_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/coordinator/downloads/downloadstest"
)

// TestAStudioAddsAMachineInTheBrowser gets a package with an invitation on the page, installs the machine as the package's script does, and sees on the
// same page that it has come, and the first frame that it rendered.
func TestAStudioAddsAMachineInTheBrowser(t *testing.T) {
	t.Parallel()
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir())
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	b := signedIn(t, f)
	b.open("/machines/add?for=deb")
	b.shows("The farm has no package for Debian, Ubuntu yet")
	b.canBeRead("/machines/add without packages")
	dist := filepath.Join(t.TempDir(), "overcrank-agent_0.2.0_amd64.deb")
	if err := os.WriteFile(dist, downloadstest.DEB(t, "Package: overcrank-agent\nVersion: 0.2.0\nArchitecture: amd64\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, said := f.Command("agents", "packages", "add", dist); code != 0 {
		t.Fatalf("adding the package: %d: %s", code, said)
	}
	b.open("/machines/add?for=deb")
	b.fill("#name", "Suite 4")
	b.presses(`#invite-form button`)
	b.shows("Waiting for the machine")
	b.canBeRead("/machines/add with an invitation")
	b.open("/machines/add?for=deb")
	b.do(focus("#name"), chromedp.KeyEvent("Suite 4"))
	b.until(`document.getElementById("name").value.endsWith("Suite 4")`)
	b.entersUntil(`document.readyState === "complete" && document.body.innerText.includes("Waiting for the machine")`, `#invite-form button`)

	installed := filepath.Join(t.TempDir(), "suite-4")
	config := filepath.Join(t.TempDir(), "agent.yaml")
	if code, _, said := farmtest.Run(t, "agent", "configure", "--config", config, "--data-dir", installed, "--package", b.downloads(t.TempDir())); code != 0 {
		t.Fatalf("configuring: %d: %s", code, said)
	}
	farmtest.StartAgent(t, f, installed, "", "--config", config, "--idle-after", "0")
	b.shows("suite-4 is here, and has rendered its first frame.")
	b.until(`(i => i && i.naturalWidth === 320 && i.naturalHeight === 180)(document.querySelector("#joined img.first-frame"))`)
	b.canBeRead("/machines/add with a machine that has come")
	b.size(1360, 900)
	b.picture("add-machine")
	b.click(`#joined article a.name`)
	b.shows("What it has")
	b.until(`(i => i && i.naturalWidth === 320)(document.querySelector("#machine img.first-frame"))`)
}

// downloads gets the package with the invitation in its name, as the page's first button does, into a folder.
func (b *browser) downloads(dir string) (path string) {
	b.t.Helper()
	var named string
	script := `(async () => {
		const form = document.querySelector("form[action='/machines/add/file']");
		const answer = await fetch(form.action, {method: "POST", body: new URLSearchParams(new FormData(form))});
		const name = answer.headers.get("Content-Disposition").match(/filename="([^"]+)"/);
		return answer.ok && name ? name[1] : "";
	})()`
	b.do(chromedp.Evaluate(script, &named, awaited))
	if named == "" {
		b.t.Fatal("the page does not hand out the package")
	}
	path = filepath.Join(dir, filepath.Base(named))
	if err := os.WriteFile(path, nil, 0o600); err != nil { // its name is what the script reads
		b.t.Fatal(err)
	}
	return path
}

// awaited has a script's promise be waited for.
func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
