package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	secret      = "ocj_0123456789abcdefghijklmnop"
	fingerprint = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	token       = secret + "." + fingerprint
)

// machine is a workstation of a test: its file of settings and its data folder.
type machine struct {
	t              *testing.T
	settings, data string
}

func newMachine(t *testing.T) machine {
	dir := t.TempDir()
	return machine{t, filepath.Join(dir, "etc", "agent.yaml"), filepath.Join(dir, "var", "agent")}
}

// configure runs the command, with the data folder if withData.
func (m machine) configure(code int, args ...string) (said string) {
	m.t.Helper()
	var out bytes.Buffer
	if got := run(m.t.Context(), append([]string{"configure", "--config", m.settings}, args...), &out, &out); got != code {
		m.t.Errorf("configure %q: exit code %d, want %d\n%s", args, got, code, &out)
	}
	if strings.Contains(out.String(), secret) {
		m.t.Errorf("configure %q repeats the token:\n%s", args, &out)
	}
	return out.String()
}

func (m machine) has(path, want string) {
	m.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) || string(text) != want {
		m.t.Errorf("%s has %q, %v; want %q", path, text, err, want)
	}
}

func (m machine) token() string { return filepath.Join(m.data, "join-token") }

func TestConfigureWritesWhatWasGiven(t *testing.T) {
	m := newMachine(t)
	m.configure(0, "--server", "https://a:1", "--server", "b:2", "--join", token, "--tags", "gpu,suite-4", "--data-dir", m.data, "--updates", "managed")
	m.has(m.settings, "coordinator: ['https://a:1', 'https://b:2']\ntags: [gpu, suite-4]\ndata-dir: "+m.data+"\nupdates: managed\n")
	m.has(m.token(), token+"\n")
	if info, err := os.Stat(m.token()); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("the token has the rights %v, %v", info.Mode(), err)
	}
	// What was written is what the agent takes.
	var out bytes.Buffer
	if code := run(t.Context(), []string{"config", "--json", "--config", m.settings}, &out, &out); code != 0 || !strings.Contains(out.String(), `"managed"`) {
		t.Errorf("config: exit code %d\n%s", code, &out)
	}
}

// TestAnUpgradeWithoutAnswersChangesNothing: neither settings nor a token that waits, not even when settings have a mistake.
func TestAnUpgradeWithoutAnswersChangesNothing(t *testing.T) {
	m := newMachine(t)
	m.configure(0, "--server", "https://a:1", "--join", token, "--data-dir", m.data)
	const mine = "# mine\ncoordinator: https://other:9 # moved\nslots: 2\n"
	write(t, m.settings, mine+"data-dir: "+m.data+"\n")
	said := m.configure(0)
	if !strings.Contains(said, "nothing is changed") {
		t.Errorf("said %q", said)
	}
	m.configure(0, "--server", "", "--join", "", "--package", filepath.Join(t.TempDir(), "overcrank-agent.msi"))
	m.has(m.settings, mine+"data-dir: "+m.data+"\n")
	m.has(m.token(), token+"\n")
	for _, broken := range []string{"slots: [\n", "sltos: 2\n", "slots: -5\n", "coordinator: a\ncoordinator: b\n"} {
		write(t, m.settings, broken)
		m.configure(0)
		m.has(m.settings, broken)
	}
}

func TestConfigureKeepsCommentsAndOtherKeys(t *testing.T) {
	m := newMachine(t)
	write(t, m.settings, "# the farm\ncoordinator: https://a:1\n\n# evenings\nhours:\n  - mon-fri 19:00-08:00 # not on Fridays\ntags: [old]\n")
	m.configure(0, "--server", "https://b:2", "--data-dir", m.data)
	m.has(m.settings, "# the farm\ncoordinator: https://b:2\n\n# evenings\nhours:\n  - mon-fri 19:00-08:00 # not on Fridays\ntags: [old]\ndata-dir: "+m.data+"\n")
	m.has(m.token(), "")
}

// TestAPackageBringsItsInvitation: in its name, beside it, and with flags that count more.
func TestAPackageBringsItsInvitation(t *testing.T) {
	named := "overcrank-agent__farm.example.com_8080__" + token + " (1).msi"
	downloads := t.TempDir()
	beside := filepath.Join(downloads, "overcrank-agent.msi")
	write(t, filepath.Join(downloads, "overcrank-invitation.json"), `{"server": "https://beside:1", "join": "`+token+`", "tags": ["beside"]}`)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--package", named}, "coordinator: https://farm.example.com:8080\n"},
		{[]string{"--package", `C:\Users\me\` + named}, "coordinator: https://farm.example.com:8080\n"},
		{[]string{"--package", beside}, "coordinator: https://beside:1\ntags: [beside]\n"},
		{[]string{"--package", filepath.Join(downloads, named)}, "coordinator: https://farm.example.com:8080\n"},
		{[]string{"--package", beside, "--tags", "flag", "--server", "flag:2"}, "coordinator: https://flag:2\ntags: [flag]\n"},
	} {
		m := newMachine(t)
		t.Setenv("OVERCRANK_AGENT_DATA_DIR", m.data) // not a flag, so it is not written
		m.configure(0, c.args...)
		m.has(m.settings, c.want)
		m.has(m.token(), token+"\n")
	}
	// What is no invitation stops a first installation, with words; an upgrade goes on.
	m := newMachine(t)
	t.Setenv("OVERCRANK_AGENT_DATA_DIR", m.data)
	if said := m.configure(1, "--package", "overcrank-agent__nonsense.msi"); !strings.Contains(said, "give --server and --join") {
		t.Errorf("said %q", said)
	}
	m.has(m.settings, "")
	write(t, m.settings, "coordinator: https://a:1\n")
	m.configure(0, "--package", "overcrank-agent__nonsense.msi")
	m.has(m.settings, "coordinator: https://a:1\n")
}

func TestConfigureRefusesWhatCannotWork(t *testing.T) {
	authority, print := authority(t)
	m := newMachine(t)
	t.Setenv("OVERCRANK_AGENT_DATA_DIR", m.data)
	for _, args := range [][]string{
		{"--server", "https://farm/path"}, {"--server", "a b"}, {"--server", "ftp://farm"}, {"--server", "https://u:p@farm"}, {"--server", "farm\nslots: 9"},
		{"--join", "nonsense"}, {"--join", secret}, {"--join", token, "--fingerprint", strings.Repeat("a", 64)}, {"--join", token, "--ca-file", authority},
		{"--ca-file", m.settings}, {"--fingerprint", "x"}, {"--tags", "a\nb"},
	} {
		m.configure(1, args...)
	}
	m.configure(2, "--updates", "never")
	m.configure(2, "--ca-file", authority, "--fingerprint", fingerprint)
	m.has(m.settings, "")
	m.has(m.token(), "")

	named := "overcrank-agent__farm.example.com_8080__" + token + ".msi"
	m.configure(1, "--package", named, "--fingerprint", strings.Repeat("a", 64)) // the invitation is of another farm
	m.configure(1, "--package", named, "--ca-file", authority)
	m.has(m.settings, "")
	write(t, m.settings, "coordinator: https://a:1\n")
	m.configure(0, "--package", named, "--ca-file", authority) // an upgrade takes nothing of it
	m.has(m.settings, "coordinator: https://a:1\n")
	m.has(m.token(), "")

	m.configure(0, "--join", secret, "--ca-file", authority) // a token without the fingerprint gets that of the certificate
	m.has(m.token(), secret+"."+print+"\n")
}

func TestConfigureSaysWhatItDidToPrograms(t *testing.T) {
	m := newMachine(t)
	var out bytes.Buffer
	code := run(t.Context(), []string{"configure", "--json", "--config", m.settings, "--data-dir", m.data, "--server", "farm", "--join", token}, &out, &out)
	var said struct {
		File, Token string
		Set         []string
		Remarks     []string
	}
	if err := json.Unmarshal(out.Bytes(), &said); code != 0 || err != nil || said.File != m.settings || said.Token != m.token() ||
		!slices.Equal(said.Set, []string{"coordinator", "data-dir"}) || said.Remarks == nil {
		t.Errorf("exit code %d, %v\n%s", code, err, &out)
	}
}

// TestATokenOfTheEnvironment: packages give it in a variable, since everybody at a machine can see command lines.
func TestATokenOfTheEnvironment(t *testing.T) {
	m := newMachine(t)
	t.Setenv("OVERCRANK_AGENT_JOIN", token)
	m.configure(0, "--server", "https://a:1", "--data-dir", m.data)
	m.has(m.token(), token+"\n")
}

// TestAConfigurationThatFailsChangesNothing, so that the next try begins as the first did.
func TestAConfigurationThatFailsChangesNothing(t *testing.T) {
	for _, before := range []string{"", "# mine\ncoordinator: https://a:1\n"} {
		m := newMachine(t)
		if before != "" {
			write(t, m.settings, before)
		}
		write(t, filepath.Join(m.token(), "in-the-way"), "") // no file can take the place of a folder
		m.configure(1, "--server", "https://b:2", "--join", token, "--data-dir", m.data, "--installer", "begin")
		m.has(m.settings, before)
		if _, err := os.Stat(m.settings + ".before"); err == nil {
			t.Error("a copy of the settings is left")
		}
	}
}

// TestAnInstallationThatIsRolledBack: something else of it may fail after the configuration.
func TestAnInstallationThatIsRolledBack(t *testing.T) {
	for _, before := range []string{"", "# mine\ncoordinator: https://a:1\n"} {
		m := newMachine(t)
		if before != "" {
			write(t, m.settings, before)
		}
		m.configure(0, "--installer", "roll-back") // when it failed before that
		m.has(m.settings, before)
		begin := []string{"--server", "https://b:2", "--join", token, "--data-dir", m.data, "--installer", "begin"}
		m.configure(0, begin...)
		m.configure(0, "--installer", "roll-back")
		m.has(m.settings, before)
		m.has(m.token(), "")
		m.configure(0, append(begin, "--tags", "left")...) // which broke off, without a roll back
		m.configure(0, begin...)
		after, err := os.ReadFile(m.settings)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(after), "left") {
			t.Errorf("the settings of an installation that broke off are left: %s", after)
		}
		m.configure(0, "--installer", "commit")
		m.configure(0, "--installer", "roll-back")
		m.has(m.settings, string(after))
		m.has(m.token(), token+"\n")
	}
}

// TestAFirstInstallationFollowsNobodyElse: who makes the agent's folders before its first installation must not choose its farm.
func TestAFirstInstallationFollowsNobodyElse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the rights of files are others there: the test of the package sets them from outside of wine")
	}
	m := newMachine(t)
	state := filepath.Join(filepath.Dir(m.data), "launcher")
	first := []string{"--server", "https://mine:1", "--join", token, "--data-dir", m.data, "--launcher-state", state, "--first-install"}
	theirs := "coordinator: https://theirs:1\ntags: [theirs]\n"
	write(t, m.settings, theirs)
	write(t, m.settings+".before", `{"settings": "coordinator: https://theirs:1"}`)
	write(t, filepath.Join(state, "state.json"), "{}")
	write(t, filepath.Join(m.data, "credential.json"), "{}")
	for _, path := range []string{m.settings, m.settings + ".before", filepath.Join(state, "state.json"), filepath.Join(m.data, "credential.json")} {
		if err := os.Chmod(path, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	said := m.configure(0, first...)
	for _, path := range []string{m.settings, state, m.data} {
		if aside, err := filepath.Glob(path + ".untrusted-*"); err != nil || len(aside) != 1 || !strings.Contains(said, aside[0]) {
			t.Errorf("%s: set aside is %v, %v; said\n%s", path, aside, err, said)
		}
	}
	m.has(m.settings, "coordinator: https://mine:1\ndata-dir: "+m.data+"\n")
	m.has(m.token(), token+"\n")

	// What is the system's own stays.
	if said := m.configure(0, first...); strings.Contains(said, "set aside") {
		t.Errorf("said %q", said)
	}
	// A folder above, in which others may replace everything, has to be somebody's decision.
	if err := os.Chmod(filepath.Dir(m.data), 0o777); err != nil {
		t.Fatal(err)
	}
	if said := m.configure(1, first...); !strings.Contains(said, "every account may write to it") || !strings.Contains(said, "choose a folder") {
		t.Errorf("said %q", said)
	}
	m.configure(0, first[:len(first)-1]...) // an upgrade loses nothing
}

// TestATokenReplacesNothingElse: who owns the data folder can put anything where the token goes; an installer must not write through it.
func TestATokenReplacesNothingElse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights on Windows")
	}
	m := newMachine(t)
	victim := filepath.Join(t.TempDir(), "victim")
	write(t, victim, "precious")
	if err := os.MkdirAll(m.data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, m.token()); err != nil {
		t.Fatal(err)
	}
	m.configure(0, "--data-dir", m.data, "--join", token)
	m.has(victim, "precious")
	m.has(m.token(), token+"\n")
	if info, err := os.Lstat(m.token()); err != nil || info.Mode()&fs.ModeSymlink != 0 {
		t.Errorf("the token is %v, %v", info.Mode(), err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// authority is the certificate of a farm's authority in a file, and its fingerprint.
func authority(t *testing.T) (path, print string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(certificate.RawSubjectPublicKeyInfo)
	path = filepath.Join(t.TempDir(), "ca.pem")
	write(t, path, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	return path, hex.EncodeToString(sum[:])
}
