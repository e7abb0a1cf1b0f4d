//go:build linux

package linux_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	coordinatorUnit = "overcrank-coordinator"
	agentUnit       = "overcrank-agent"
	asAdministrator = "OVERCRANK_SERVER=http://127.0.0.1:8080 OVERCRANK_TOKEN_FILE=/var/lib/overcrank/coordinator/admin.token overcrank "
)

// TestAFarmIsInstalledFromPackages follows a coordinator and an agent from their installation by way of a rendered film, an upgrade and a removal to the
// point where nothing is left. systemd runs them in their real sandboxes.
func TestAFarmIsInstalledFromPackages(t *testing.T) {
	dist := packagesToTest(t)
	packages := t.TempDir()
	coordinator := only(t, filepath.Join(dist, "overcrank_*_amd64.deb"))
	agent := only(t, filepath.Join(dist, "overcrank-agent_*_amd64.deb"))
	copyFile(t, coordinator, filepath.Join(packages, "overcrank.deb"))
	copyFile(t, agent, filepath.Join(packages, "overcrank-agent.deb"))
	for _, name := range []string{"release.key", "keys.json", "keys.json.minisig"} {
		copyFile(t, filepath.Join(dist, "test-release-keys", name), filepath.Join(packages, "keys", name))
	}
	if err := os.Chmod(filepath.Join(packages, "keys", "release.key"), 0o600); err != nil {
		t.Fatal(err)
	}
	newer(t, filepath.Join(packages, "newer"), coordinator, agent)
	byHand(t, agent, filepath.Join(packages, "download"))
	m := startMachine(t, packages)
	before := m.files()

	m.run("dpkg -i /mnt/overcrank.deb")
	if out, _ := m.try("systemctl is-enabled " + coordinatorUnit); strings.TrimSpace(out) != "disabled" {
		t.Errorf("a coordinator that nobody has looked at is %s", out)
	}
	m.run("echo '# ours' >>/etc/overcrank/coordinator.yaml && systemctl enable --now " + coordinatorUnit)
	m.await("curl -fsS http://127.0.0.1:8080/readyz", "")

	token := invited(t, m, "Suite 4")
	m.run("mkdir -p /tmp/share && cp /mnt/overcrank-agent.deb /tmp/share/overcrank-agent__127.0.0.1_8080__" + token + ".deb")
	m.run("echo OVERCRANK_AGENT_IDLE_AFTER=0 >/tmp/agent.env")
	out := m.run("cd /tmp/share && dpkg -i overcrank-agent__*.deb")
	if strings.Contains(out, "knows no farm") {
		t.Errorf("the invitation in the package's name is not seen: %s", out)
	}
	m.run("cat /tmp/agent.env >>/etc/overcrank/agent.env && systemctl restart " + agentUnit)
	m.await("overcrank-agent status", "linked to")
	m.run("setpriv --reuid=65534 --clear-groups overcrank-agent status | grep -q 'linked to'") // a person without rights may ask
	m.await("test ! -e /var/lib/overcrank/agent/join-token && echo joined", "joined")

	for _, unit := range []string{coordinatorUnit, agentUnit} {
		m.run("systemd-analyze verify " + unit + ".service")
		m.run("systemd-analyze security --no-pager --threshold=30 " + unit + ".service")
		if user := m.run("ps -o user= -p $(systemctl show -P MainPID " + unit + ")"); user != "overcra+" && user != "overcrank" {
			t.Errorf("%s runs as %s", unit, user)
		}
	}

	// The demo leaves its project, which the farm of the packages then renders.
	m.run("cd /root && overcrank --quiet demo --dir /root/demo")
	submit := asAdministrator + `submit --template "/root/demo/Title Card.zip" --composition "Title Card"`
	m.run(submit + " --frames 0-4 --wait -o /root/first.mp4")
	if film := m.run("ffprobe -v error -count_frames -select_streams v -show_entries stream=codec_name,nb_read_frames -of csv=p=0 /root/first.mp4"); film != "h264,5" {
		t.Errorf("the film is %s", film)
	}

	// Both are upgraded while the whole card is rendered.
	job := m.run(submit + " 2>/dev/null")
	m.await(asAdministrator+"jobs show "+job, "rendering")
	was := m.run("systemctl show -P MainPID " + agentUnit)
	m.run("dpkg -i /mnt/newer/overcrank-agent_*.deb /mnt/newer/overcrank_*.deb")
	m.await("systemctl is-active "+agentUnit+" "+coordinatorUnit, "active\nactive")
	if now := m.run("systemctl show -P MainPID " + agentUnit); now == was {
		t.Error("the upgrade did not start the agent again")
	}
	if versions := m.run("ls /usr/lib/overcrank-agent/versions"); versions != "9.0.0" {
		t.Errorf("after the upgrade, the versions are %q", versions)
	}
	m.run("grep -q '# ours' /etc/overcrank/coordinator.yaml && grep -q IDLE_AFTER /etc/overcrank/agent.env")
	m.await("curl -fsS http://127.0.0.1:8080/readyz", "")
	m.run(asAdministrator + "jobs download --wait " + job + " -o /root/second.mp4")

	// The farm updates the machine by a release, signed with the keys that make packages built into the programs.
	m.run("mkdir /root/release && cp /usr/lib/overcrank-agent/versions/9.0.0/overcrank-agent /root/release/overcrank-agent-linux-amd64")
	m.run("OVERCRANK_KEY_PASSWORD=test overcrank releases sign /root/release --version 9.1.0 --number 4000000000 --key /mnt/keys/release.key --keys /mnt/keys")
	m.run(asAdministrator + "releases add /root/release && " + asAdministrator + "updates set --ring canary=$(hostname) --soak 0 --release 9.1.0")
	m.await(asAdministrator+"updates --json", `"state":"updated"`)
	m.await("overcrank-agent status", "linked to")
	if running := m.run("ps -o args= -p $(pgrep -f versions/9.1.0/overcrank-agent | head -n 1)"); !strings.HasPrefix(running, "/var/lib/overcrank/launcher/versions/9.1.0/") {
		t.Errorf("after the update, what runs is %q", running)
	}
	m.run(submit + " --frames 0-4 --wait -o /root/third.mp4")

	// Removing keeps what people made; installing again takes it up.
	m.run("dpkg -r overcrank-agent")
	m.run("test -e /etc/overcrank/agent.yaml && test -d /var/lib/overcrank/agent && test ! -e /usr/bin/overcrank-agent")
	m.run("dpkg -i /mnt/newer/overcrank-agent_*.deb")
	m.run("overcrank-agent configure --join " + invited(t, m, "Suite 4") + " && systemctl restart " + agentUnit) // it had left the farm
	m.await("overcrank-agent status", "linked to")

	if out, err := m.try("/mnt/download/overcrank-agent install"); err == nil || !strings.Contains(out, "apt-get remove overcrank-agent") {
		t.Errorf("installing beside the package: %v: %s", err, out)
	}
	m.run("mkdir -p /var/lib/overcrank/agent-work/attempt") // as settings with sessions have it
	m.run("dpkg -P overcrank-agent")
	installsByHand(t, m)
	m.run("dpkg -P overcrank")
	m.run("rm -rf /root/demo /root/release /root/first.mp4 /root/second.mp4 /root/third.mp4")
	if left := added(before, m.files()); len(left) > 0 {
		t.Errorf("purging leaves %s", strings.Join(left, ", "))
	}
	if ours, _ := m.try("pgrep -u overcrank"); strings.TrimSpace(ours) != "" {
		t.Errorf("after purging, processes %s are left", ours)
	}
}

// invited is a token to join the farm of the machine with.
func invited(t *testing.T, m *machine, name string) string {
	t.Helper()
	return between(t, m.run(asAdministrator+"agents invite --for '"+name+"' --json"), `"joinToken":"`, `"`)
}

// byHand makes the folder that somebody without packages has: the two programs.
func byHand(t *testing.T, agent, to string) {
	t.Helper()
	unpacked := t.TempDir()
	shell(t, "dpkg-deb", "-x", agent, unpacked)
	copyFile(t, filepath.Join(unpacked, "usr/lib/overcrank-agent/overcrank"), filepath.Join(to, "overcrank-launcher"))
	copyFile(t, only(t, filepath.Join(unpacked, "usr/lib/overcrank-agent/versions/*/overcrank-agent")), filepath.Join(to, "overcrank-agent"))
}

// installsByHand is the life of an agent without a package, on a machine with a coordinator.
func installsByHand(t *testing.T, m *machine) {
	t.Helper()
	before := m.files()
	for command, words := range map[string]string{
		"/mnt/download/overcrank-agent install":                                                                     "knows no farm",
		"/mnt/download/overcrank-agent install --server http://127.0.0.1:8080 --join nonsense":                      "token",
		"setpriv --reuid=65534 --clear-groups /mnt/download/overcrank-agent install --server http://127.0.0.1:8080": "sudo",
	} {
		if out, err := m.try(command); err == nil || !strings.Contains(out, words) {
			t.Errorf("%s: %v: %s", command, err, out)
		}
	}
	if now := m.files(); !slices.Equal(now, before) {
		t.Errorf("refused installations leave %s", strings.Join(added(before, now), ", "))
	}
	token := invited(t, m, "Suite 5")
	install := "/mnt/download/overcrank-agent install --server http://127.0.0.1:8080 --tags by-hand"
	m.run(install + " --join " + token)
	m.await("overcrank-agent status", "linked to")
	was := m.run("systemctl show -P MainPID " + agentUnit)
	if user := m.run("ps -o user= -p " + was); user != "overcra+" && user != "overcrank" {
		t.Errorf("the agent runs as %s", user)
	}
	if out := m.run("/mnt/download/overcrank-agent install --json"); !strings.Contains(out, `"changed": false`) {
		t.Errorf("the same again changes something: %s", out)
	}
	if now := m.run("systemctl show -P MainPID " + agentUnit); now != was {
		t.Error("the same again starts the agent again")
	}
	m.run("/usr/bin/overcrank-agent install --tags by-hand,again") // the installed agent installs itself again
	m.await("overcrank-agent status", "linked to")

	m.run("overcrank-agent uninstall")
	m.run("grep -q again /etc/overcrank/agent.yaml && test -d /var/lib/overcrank/agent && test ! -e /usr/bin/overcrank-agent")
	m.run("/mnt/download/overcrank-agent install --join " + invited(t, m, "Suite 5"))
	m.await("overcrank-agent status", "linked to")
	m.run("/mnt/download/overcrank-agent uninstall --purge")
	if list := m.run(asAdministrator + "agents list --json"); strings.Contains(list, "by-hand") {
		t.Errorf("the farm still lists the machine:\n%s", list)
	}
	if left := added(before, m.files()); len(left) > 0 {
		t.Errorf("uninstall --purge leaves %s", strings.Join(left, ", "))
	}
	if out, err := m.try("systemctl status " + agentUnit); err == nil || !strings.Contains(out, "could not be found") {
		t.Errorf("systemd still knows the unit: %v: %s", err, out)
	}
}

// added are the files of now that were not there before.
func added(before, now []string) []string {
	known := make(map[string]bool, len(before))
	for _, path := range before {
		known[path] = true
	}
	return slices.DeleteFunc(now, func(path string) bool { return known[path] })
}

// files lists the machine's files, but for those that programs other than ours write.
func (m *machine) files() []string {
	m.t.Helper()
	return strings.Split(m.run(`find /etc /usr /opt /var /root /home -xdev \( -path /var/lib/dpkg -o -path /var/log -o -path /var/cache -o -path /var/lib/systemd -o -path /root/go -o -path '/root/.*' \) -prune -o -print 2>/dev/null`+
		` | grep -vE '^/etc/(passwd|group|shadow|gshadow|subuid|subgid)-?$' | sort`), "\n")
}

// newer packs the packages once more, as a later version.
func newer(t *testing.T, to string, packages ...string) {
	t.Helper()
	if err := os.Mkdir(to, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range packages {
		unpacked := filepath.Join(t.TempDir(), "package")
		shell(t, "dpkg-deb", "-R", path, unpacked)
		shell(t, "sed", "-i", "s/^Version: .*/Version: 9.0.0/", filepath.Join(unpacked, "DEBIAN", "control"))
		if versions, _ := filepath.Glob(filepath.Join(unpacked, "usr/lib/overcrank-agent/versions/*")); len(versions) == 1 {
			if err := os.Rename(versions[0], filepath.Join(filepath.Dir(versions[0]), "9.0.0")); err != nil {
				t.Fatal(err)
			}
			shell(t, "sed", "-i", "/versions/d", filepath.Join(unpacked, "DEBIAN", "md5sums"))
		}
		shell(t, "dpkg-deb", "-Znone", "--root-owner-group", "-b", unpacked, to)
	}
}

func shell(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v: %s", program, args, err, out)
	}
	return string(out)
}

func only(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) != 1 {
		t.Fatalf("%s matches %q: %v", pattern, found, err)
	}
	return found[0]
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, content, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func between(t *testing.T, text, start, end string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, start)
	inner, _, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatal(fmt.Errorf("%q has no %q", text, start))
	}
	return inner
}
