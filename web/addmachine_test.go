package web_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"overcrank/agent/identity"
	"overcrank/coordinator/downloads/downloadstest"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// keeps has the farm hand out a package.
func (r *rig) keeps(name string, content []byte) farm.Download {
	r.t.Helper()
	sum := sha256.Sum256(content)
	hash := hex.EncodeToString(sum[:])
	ada := r.principal("ada")
	if _, err := r.farm.Downloads().Receive(r.t.Context(), ada, hash, bytes.NewReader(content), int64(len(content))); err != nil {
		r.t.Fatal(err)
	}
	d, err := r.farm.Downloads().Add(r.t.Context(), ada, farm.Download{Kind: farm.DownloadPackage, File: farm.FileRef{SHA256: hash, Name: name}})
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

func TestAMachineIsAddedWithAPackage(t *testing.T) {
	r := start(t)
	v := r.as("ada")
	v.get("/machines/add?for=deb").is(http.StatusOK, "no package for Debian, Ubuntu yet", "overcrank agents packages add dist/")
	content := downloadstest.DEB(t, "Package: overcrank-agent\nVersion: 0.2.0\nArchitecture: amd64\n")
	d := r.keeps("overcrank-agent_0.2.0_amd64.deb", content)
	v.get("/machines/add?for=deb").is(http.StatusOK, "0.2.0", "Get the package").lacks("ocj_")
	v.get("/machines/add?for=windows").is(http.StatusOK, "no package for Windows yet")

	made := v.post("/machines/add", url.Values{"for": {"deb"}, "name": {"Suite 4"}, "uses": {"3"}, "tags": {"gpu"}, "life": {"1h"}}).
		is(http.StatusOK, "Install this on the machine", "Waiting for the machine", "apt-get install -y", "- hosts: HOSTS", "no_log: true", "lets 3 machines in", `data-live="joined:`)
	token := regexp.MustCompile(`ocj_[0-9a-z]+\.[0-9a-f]{64}`).FindString(made.body)
	if token == "" {
		t.Fatal("the page has no token")
	}
	for _, address := range regexp.MustCompile(`(?:href|src|action)="[^"]*"`).FindAllString(made.body, -1) {
		if strings.Contains(address, "ocj_") {
			t.Errorf("the token is in the address %s", address)
		}
	}
	file := v.post("/machines/add/file", url.Values{"sha256": {d.File.SHA256}, "token": {token}, "what": {"named"}}).is(http.StatusOK)
	if file.body != string(content) {
		t.Error("the download is not the package")
	}
	host, port, _ := strings.Cut(strings.TrimPrefix(r.base, "http://"), ":")
	if said := file.header.Get("Content-Disposition"); !strings.Contains(said, "overcrank-agent__"+host+"_"+port+"__"+token+".deb") {
		t.Errorf("it is called %s", said)
	}
	beside := v.post("/machines/add/file", url.Values{"sha256": {d.File.SHA256}, "token": {token}, "what": {"invitation"}}).is(http.StatusOK, `"server":"https://`, token)
	if said := beside.header.Get("Content-Disposition"); !strings.Contains(said, "overcrank-invitation.json") {
		t.Errorf("the invitation is called %s", said)
	}
	plain := v.post("/machines/add/file", url.Values{"sha256": {d.File.SHA256}, "token": {token}, "what": {"plain"}}).is(http.StatusOK)
	if said := plain.header.Get("Content-Disposition"); !strings.Contains(said, "overcrank-agent_0.2.0_amd64.deb") {
		t.Errorf("the package is called %s", said)
	}
	v.post("/machines/add/file", url.Values{"sha256": {d.File.SHA256}, "token": {"ocj_x; rm -rf /"}, "what": {"named"}}).is(http.StatusBadRequest)
	v.post("/machines/add/file", url.Values{"sha256": {strings.Repeat("0", 64)}, "token": {token}}).is(http.StatusNotFound)
	v.post("/machines/add", url.Values{"for": {"deb"}, "uses": {"0"}}).is(http.StatusBadRequest, "Enter at least 1").lacks("ocj_")

	// The page shows the machine that joins with it, and no other.
	r.enrol("another", farm.Inventory{})
	invitation := regexp.MustCompile(`data-live="(joined:[0-9A-Z]+)"`).FindStringSubmatch(made.body)[1]
	live := v.live(invitation)
	key, err := identity.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	request, err := identity.Request(key)
	if err != nil {
		t.Fatal(err)
	}
	secret, _, _ := strings.Cut(token, ".")
	if _, err := r.farm.Enrol(t.Context(), secret, wire.Enrol{Name: "suite-4", Request: request}); err != nil {
		t.Fatal(err)
	}
	got := live.next(func(p part) bool { return p.ID == "joined" && strings.Contains(p.HTML, "suite-4") })
	if strings.Contains(got.HTML, "another") || strings.Contains(got.HTML, "Waiting for") {
		t.Errorf("the page shows %s", got.HTML)
	}
}

// TestAnInvitationThatNobodySees is revoked: no command can have this farm's address.
func TestAnInvitationThatNobodySees(t *testing.T) {
	r := start(t, func(r *rig) { r.public = "https://farm.example.com/it's" })
	r.keeps("overcrank-agent_0.2.0_amd64.deb", downloadstest.DEB(t, "Package: overcrank-agent\nVersion: 0.2.0\nArchitecture: amd64\n"))
	r.as("ada").post("/machines/add", url.Values{"for": {"deb"}, "uses": {"3"}, "life": {"1h"}}).is(http.StatusBadRequest).lacks("ocj_")
	if open, err := r.farm.JoinTokens(t.Context(), r.principal("ada")); err != nil || len(open) != 0 {
		t.Errorf("there are the invitations %+v, %v", open, err)
	}
}

func TestThePackageForTheVisitorsSystem(t *testing.T) {
	r := start(t)
	for agent, want := range map[string]string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36":      "Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1": "macOS",
		"Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:140.0) Gecko/20100101":  "Debian, Ubuntu",
		"Mozilla/5.0 (X11; Fedora; Linux x86_64; rv:140.0) Gecko/20100101":  "Fedora, Rocky, RHEL",
		"Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36":       "",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)":            "",
		"":                              "",
		strings.Repeat("<script>", 500): "",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.base+"/machines/add", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("User-Agent", agent)
		answer := r.as("ada").do(req).is(http.StatusOK).lacks("<script><script>")
		if want == "" {
			answer.is(http.StatusOK, "no package for Windows yet").lacks("Your browser says")
		} else {
			answer.is(http.StatusOK, "Your browser says that this is "+want)
		}
	}
	v := r.as("ada")
	v.get("/machines/add?for=plan9").is(http.StatusOK)
}
