package workstation

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	testSecret      = "ocj_0123456789abcdefghijklmnop"
	testFingerprint = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	testToken       = testSecret + "." + testFingerprint
)

func TestInvitationsInTheNamesOfPackages(t *testing.T) {
	for name, server := range map[string]string{
		"overcrank-agent__farm.example.com_8080__" + testToken + ".msi":              "https://farm.example.com:8080",
		`C:\Users\me\Downloads\overcrank-agent__10.0.0.5_443__` + testToken + ".msi": "https://10.0.0.5:443",
		"/tmp/overcrank-agent-0.2.0-x64__farm_1__" + testToken + " (1).MSI":          "https://farm:1",
		"overcrank-agent__farm_65535__" + testToken + "(2).pkg":                      "https://farm:65535",
		"overcrank-agent__farm_8080__" + testToken + "-3.pkg":                        "https://farm:8080",
		"overcrank-agent__farm_8080__" + testToken + " - Copy.deb":                   "https://farm:8080",
		"overcrank-agent__farm_8080__" + testToken + ".rpm":                          "https://farm:8080",
		"overcrank-agent__farm_8080__" + testToken:                                   "https://farm:8080",
	} {
		in, err := invitationInName(name)
		if err != nil || in == nil || in.Join != testToken || !slices.Equal(in.Server, []string{server}) || in.check() != nil {
			t.Errorf("%s: %+v, %v", name, in, err)
		}
	}
	for _, name := range []string{"", "overcrank-agent.msi", "/my__folder/overcrank-agent_0.2.0_amd64.deb", `C:\a__b\overcrank-agent.msi`} {
		if in, err := invitationInName(name); in != nil || err != nil {
			t.Errorf("%q has the invitation %+v, %v", name, in, err)
		}
	}
}

// TestHostileNamesOfPackages: whoever names a file may name it anything. What is no invitation is refused, and no secret is repeated.
func TestHostileNamesOfPackages(t *testing.T) {
	for _, name := range []string{
		"overcrank-agent__.msi",
		"overcrank-agent__farm__" + testToken + ".msi",
		"overcrank-agent__farm_8080__" + testToken + "x.msi",
		"overcrank-agent__farm_8080__" + testSecret + ".msi",
		"overcrank-agent__farm_8080__" + strings.ToUpper(testToken) + ".msi",
		"overcrank-agent__farm_123456__" + testToken + ".msi",
		"overcrank-agent__user@farm_8080__" + testToken + ".msi",
		"overcrank-agent__fa rm_8080__" + testToken + ".msi",
		"overcrank-agent__farm\n_8080__" + testToken + ".msi",
		"overcrank-agent__$(reboot)_8080__" + testToken + ".msi",
		"overcrank-agent__" + strings.Repeat("a", 300) + "_8080__" + testToken + ".msi",
		"overcrank-agent__farm_8080__" + testToken + "\x00.msi",
		"__" + strings.Repeat("_", 1000),
	} {
		in, err := invitationInName(name)
		if in != nil || err == nil || strings.Contains(err.Error(), testSecret) {
			t.Errorf("%q has the invitation %+v, %v", name, in, err)
		}
	}
	for _, name := range []string{"overcrank-agent__farm_0__", "overcrank-agent__farm_65536__", "overcrank-agent__.._80__", "overcrank-agent__-_99999__"} {
		in, err := invitationInName(name + testToken + ".msi")
		if err != nil {
			continue
		}
		if err := in.check(); err == nil && !strings.Contains(name, "..") && !strings.Contains(name, "-_") {
			t.Errorf("%q leads to %v", name, in.Server)
		}
	}
}

func FuzzInvitationInName(f *testing.F) {
	f.Add("overcrank-agent__farm_8080__" + testToken + " (1).msi")
	f.Fuzz(func(t *testing.T, name string) {
		in, err := invitationInName(name)
		if err != nil || in == nil {
			return
		}
		if in.check() == nil && (len(in.Server) != 1 || strings.ContainsAny(in.Server[0], " \n'\"\\") || len(in.Join) < len(testFingerprint)) {
			t.Errorf("%q gives %+v", name, in)
		}
	})
}

func TestInvitationsBesidePackages(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "overcrank-agent.msi")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, invitationFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if in, err := invited(path); in != nil || err != nil {
		t.Errorf("a package alone has %+v, %v", in, err)
	}
	for text, servers := range map[string][]string{
		`{"server": "farm:8080", "join": "` + testToken + `", "tags": ["gpu"]}`:                                                                  {"https://farm:8080"},
		"\ufeff" + `{"server": ["http://a:1/", "b:2"], "join": "` + testSecret + `", "fingerprint": "` + testFingerprint + `", "tags": ["gpu"]}`: {"http://a:1", "https://b:2"},
		`{"server": "farm", "join": "` + testToken + `", "tags": ["gpu"], "later": {"field": 1}}`:                                                {"https://farm"},
	} {
		write(text)
		in, err := invited(path)
		if err == nil {
			err = in.check()
		}
		if err != nil || !slices.Equal(in.Server, servers) || in.Join != testToken || !slices.Equal(in.Tags, []string{"gpu"}) {
			t.Errorf("%s: %+v, %v", text, in, err)
		}
	}
	for _, text := range []string{
		"", "{", `{"server": 7}`, `{"server": "file:///etc/passwd"}`, `{"server": "https://user:pw@farm"}`, `{"server": "https://farm/path"}`,
		`{"server": "farm:99999"}`, `{"server": "farm\nslots: 99"}`, `{"join": "secret"}`, `{"join": "` + testSecret + `"}`,
		`{"join": "` + testToken + `", "fingerprint": "` + strings.Repeat("a", 64) + `"}`, `{"fingerprint": "short"}`, `{"caFile": "missing.pem"}`,
		`{"tags": ["a\nb"]}`, `{"tags": [""]}`, `{"tags": "` + strings.Repeat("x", maxInvitation) + `"}`,
	} {
		write(text)
		in, err := invited(path)
		if err == nil {
			err = in.check()
		}
		if err == nil || strings.Contains(err.Error(), testSecret) {
			t.Errorf("%.80s is taken, %v", text, err)
		}
	}
}

func TestFingerprintsAsProgramsPrintThem(t *testing.T) {
	colons := strings.ToUpper(testFingerprint[:2])
	for i := 2; i < len(testFingerprint); i += 2 {
		colons += ":" + strings.ToUpper(testFingerprint[i:i+2])
	}
	for _, text := range []string{testFingerprint, colons, "SHA256:" + testFingerprint} {
		in := invitation{Join: testSecret, Fingerprint: text}
		if err := in.check(); err != nil || in.Join != testToken {
			t.Errorf("%s: %v, the token is %q", text, err, in.Join)
		}
	}
}
