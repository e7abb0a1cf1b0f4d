//go:build linux

package pages_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"overcrank/cmd/overcrank/farmtest"
	"overcrank/coordinator/singlesignon/providertest"
)

// atLocalhost are flags of a farm whose address has a name, which passkeys need.
func atLocalhost(t *testing.T) []string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := listener.Addr().(*net.TCPAddr)
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(at.String())
	return []string{"--listen", at.String(), "--public-address", "http://localhost:" + port}
}

func TestAPersonSignsInWithAPasskeyByKeyboard(t *testing.T) {
	t.Parallel()
	flags := atLocalhost(t)
	f := farmtest.Up(t, t.TempDir(), flags...)
	admin := signedIn(t, f)
	admin.open("/settings/people")
	admin.fill("#name", "Mia")
	admin.presses(`form[action="/settings/people"] button[type=submit]`)
	admin.shows("Send this link to Mia")
	link := value[string](admin, `document.querySelector("code.secret").textContent`)

	mia := newBrowser(t, flags[3])
	var device webauthn.AuthenticatorID
	mia.do(webauthn.Enable(), chromedp.ActionFunc(func(ctx context.Context) (err error) {
		device, err = webauthn.AddVirtualAuthenticator(&webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		}).Do(ctx)
		return err
	}))
	mia.open(link[strings.Index(link, "/sign-in/"):])
	mia.do(types("#password", "correct horse battery"+kb.Enter))
	mia.shows("Overview")
	mia.open("/account")
	mia.do(visible("#passkey-name"))
	mia.do(types("#passkey-name", "Laptop"+kb.Enter))
	mia.shows("The passkey has been added")
	mia.canBeRead("/account with a passkey")
	mia.picture("account-passkeys")

	mia.do(webauthn.SetAutomaticPresenceSimulation(device, false)) // nobody touches the device until the button is pressed
	mia.presses(`form[action="/sign-out"] button`)
	mia.do(visible("#passkey-enter button"))
	mia.canBeRead("/sign-in with passkeys")
	mia.picture("sign-in-passkey")
	mia.keysUntil(`document.activeElement.closest("#passkey-enter") !== null`, chromedp.KeyEvent(kb.Tab))
	mia.do(chromedp.KeyEvent(kb.Enter), webauthn.SetAutomaticPresenceSimulation(device, true))
	mia.shows("Overview")
	if who := value[string](mia, `document.querySelector(".whoname").textContent`); who != "Mia" {
		t.Errorf("the passkey signs in %q", who)
	}
}

func TestAPersonSignsInWithTheStudiosAccount(t *testing.T) {
	t.Parallel()
	idp := providertest.Start(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(idp.ClientSecret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := farmtest.Up(t, t.TempDir(), "--oidc-issuer", idp.Issuer(), "--oidc-client-id="+idp.ClientID, "--oidc-client-secret-file", secret, "--oidc-scopes", "openid,profile,email,groups")
	mia := newBrowser(t, f.Server)
	mia.open("/sign-in")
	mia.shows("This farm is new")
	mia.shows("lets nobody in yet")
	mia.canBeRead("a new farm whose single sign-on lets nobody in")

	admin := signedIn(t, f)
	admin.open("/settings/sign-in")
	admin.fill("#group", "artists")
	admin.presses(`form[action="/settings/sign-in/groups"] button[type=submit]`)
	admin.until(`[...document.querySelectorAll("td.name")].some((e) => e.textContent === "artists")`)
	admin.canBeRead("/settings/sign-in")
	admin.picture("settings-sign-in")

	person := providertest.Person{Subject: "8f1c", Claims: map[string]any{"name": "Mia Wong", "email": "mia@studio.example", "email_verified": true, "groups": []string{"artists"}}}
	idp.Next(person)
	admin.open("/settings/sign-in/test")
	admin.shows("This works")
	admin.canBeRead("the test of single sign-on")
	admin.picture("settings-sign-in-test")

	mia.open("/sign-in")
	mia.shows("Sign in with Studio account")
	mia.canBeRead("a new farm with single sign-on")

	admin.open("/settings/people") // a farm without people shows visitors how it is set up
	admin.fill("#name", "Ada")
	admin.presses(`form[action="/settings/people"] button[type=submit]`)
	admin.shows("Send this link to Ada")

	mia.open("/sign-in")
	mia.canBeRead("/sign-in with single sign-on")
	mia.picture("sign-in-single-sign-on")
	idp.Next(person)
	mia.click(`a[href="/single-sign-on"]`)
	mia.shows("Overview")
	if who := value[string](mia, `document.querySelector(".whoname").textContent`); who != "Mia Wong" {
		t.Errorf("the provider signs in %q", who)
	}
	mia.entersUntil(`document.readyState === "complete" && document.querySelector('a[href="/single-sign-on"]') !== null`, `form[action="/sign-out"] button`)
	idp.Next(person)
	mia.entersUntil(`document.querySelector(".whoname")?.textContent === "Mia Wong"`, `a[href="/single-sign-on"]`)
	admin.open("/settings/people")
	admin.until(`[...document.querySelectorAll("td.ways")].map((e) => e.innerText.trim()).sort().join() === "A link only,Studio account"`)
	admin.canBeRead("/settings/people with single sign-on")
	admin.ordersSignInRules()
}

// ordersSignInRules adds two groups to the first one, has each go up, and removes both: one with the mouse, the other by keyboard.
func (b *browser) ordersSignInRules() {
	b.t.Helper()
	const adds = `form[action="/settings/sign-in/groups"] button[type=submit]`
	are := func(groups string) string {
		return `document.readyState === "complete" && [...document.querySelectorAll("td.name")].map((e) => e.textContent).join(" ") === "` + groups + `"`
	}
	button := func(row int, change string) string {
		return fmt.Sprintf(`tbody tr:nth-child(%d) form[action="/settings/sign-in/groups/%s"] button`, row, change)
	}
	b.open("/settings/sign-in")
	b.fill("#group", "leads")
	b.presses(adds)
	b.until(are("artists leads"))
	b.painted()
	b.do(types("#group", "guests"+kb.Enter))
	b.until(are("artists leads guests"))

	b.presses(button(2, "up"))
	b.until(are("leads artists guests"))
	b.painted()
	b.do(focus(button(3, "up")), chromedp.KeyEvent(kb.Enter))
	b.until(are("leads guests artists"))
	b.presses(button(1, "remove"))
	b.until(are("guests artists"))
	b.painted()
	b.do(focus(button(1, "remove")), chromedp.KeyEvent(kb.Enter))
	b.until(are("artists"))
}
