//go:build linux

package linux_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/installers/linux"
	"overcrank/installers/version"
)

// rpmOn is rpm on a machine whose own packages are Debian's: what packages depend on is not looked for, since its database knows nothing of that. Everything
// else, above all the packages' scripts, is as on Fedora.
const rpmOn = "rpm --dbpath /var/lib/rpm --nodeps --force-debian "

// TestAFarmIsInstalledFromRPMs follows a coordinator and an agent from their installation by rpm by way of a rendered film, an upgrade and a refused
// downgrade to the point where nothing is left.
func TestAFarmIsInstalledFromRPMs(t *testing.T) {
	dist := packagesToTest(t)
	packages := t.TempDir()
	coordinator, agent := only(t, filepath.Join(dist, "overcrank-[0-9]*.x86_64.rpm")), only(t, filepath.Join(dist, "overcrank-agent-[0-9]*.x86_64.rpm"))
	copyFile(t, coordinator, filepath.Join(packages, "overcrank.rpm"))
	copyFile(t, agent, filepath.Join(packages, "overcrank-agent.rpm"))
	newerRPMs(t, filepath.Join(packages, "newer"), coordinator, agent)
	m := startMachine(t, packages)
	before := m.files()
	m.run("mkdir -p /var/lib/rpm && rpm --dbpath /var/lib/rpm --initdb")

	m.run(rpmOn + "-i /mnt/overcrank.rpm")
	if out, _ := m.try("systemctl is-enabled " + coordinatorUnit); strings.TrimSpace(out) != "disabled" {
		t.Errorf("a coordinator that nobody has looked at is %s", out)
	}
	m.run("echo '# ours' >>/etc/overcrank/coordinator.yaml && systemctl enable --now " + coordinatorUnit)
	m.await("curl -fsS http://127.0.0.1:8080/readyz", "")
	m.run("mkdir -p /tmp/share && cp /mnt/overcrank-agent.rpm /tmp/share/overcrank-agent__127.0.0.1_8080__" + invited(t, m, "Suite 4") + ".rpm")
	if out := m.run("cd /tmp/share && " + rpmOn + "-i overcrank-agent__*.rpm"); strings.Contains(out, "knows no farm") {
		t.Errorf("the invitation in the package's name is not seen: %s", out)
	}
	m.run("echo OVERCRANK_AGENT_IDLE_AFTER=0 >>/etc/overcrank/agent.env && systemctl restart " + agentUnit)
	m.await("overcrank-agent status", "linked to")
	for _, unit := range []string{coordinatorUnit, agentUnit} {
		if user := m.run("ps -o user= -p $(systemctl show -P MainPID " + unit + ")"); user != "overcra+" && user != "overcrank" {
			t.Errorf("%s runs as %s", unit, user)
		}
	}
	if changed, _ := m.try("rpm --dbpath /var/lib/rpm --verify --nodeps overcrank overcrank-agent"); strings.Contains(changed, "/usr/") {
		t.Errorf("of the files that it has installed, rpm finds changed\n%s", changed)
	}

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
	m.run(rpmOn + "-U /mnt/newer/*.rpm")
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
	if out, err := m.try(rpmOn + "-U /mnt/overcrank-agent.rpm"); err == nil || !strings.Contains(out, "newer than") {
		t.Errorf("an older package is installed over a newer one: %v: %s", err, out)
	}

	// Removing keeps what people made, and has the machine leave its farm.
	m.run(rpmOn + "-e overcrank-agent")
	m.run("test -e /etc/overcrank/agent.yaml && test -d /var/lib/overcrank/agent && test ! -e /usr/bin/overcrank-agent")
	if list := m.run(asAdministrator + "agents list --json"); strings.Contains(list, `"online":true`) {
		t.Errorf("the farm still lists the machine:\n%s", list)
	}
	if out, err := m.try("systemctl status " + agentUnit); err == nil || !strings.Contains(out, "could not be found") {
		t.Errorf("systemd still knows the unit: %v: %s", err, out)
	}
	m.run("OVERCRANK_JOIN=" + invited(t, m, "Suite 4") + " " + rpmOn + "-i /mnt/overcrank-agent.rpm") // the settings say which farm
	m.await("overcrank-agent status", "linked to")
	m.run(rpmOn + "-e overcrank-agent overcrank")
	m.run("rm -r /var/lib/overcrank /etc/overcrank /root/demo /root/first.mp4 /root/second.mp4 /var/lib/rpm")
	if left := added(before, m.files()); len(left) > 0 {
		t.Errorf("removing leaves %s", strings.Join(left, ", "))
	}
	if ours, _ := m.try("pgrep -u overcrank"); strings.TrimSpace(ours) != "" {
		t.Errorf("after removing, processes %s are left", ours)
	}
}

// newerRPMs makes the packages of the same programs once more, as a later version.
func newerRPMs(t *testing.T, to, coordinator, agent string) {
	t.Helper()
	root, programs, made := t.TempDir(), t.TempDir(), t.TempDir()
	for _, path := range []string{coordinator, agent} {
		shell(t, "sh", "-c", `rpm2cpio "$0" | (cd "$1" && cpio -idm --quiet --no-absolute-filenames)`, path, root)
	}
	for name, from := range map[string]string{
		"overcrank": "usr/bin/overcrank", "overcrank-launcher": "usr/lib/overcrank-agent/overcrank", "overcrank-agent": "usr/lib/overcrank-agent/versions/*/overcrank-agent",
	} {
		copyFile(t, only(t, filepath.Join(root, from)), filepath.Join(programs, "linux-amd64", name))
	}
	v, err := version.Parse("9.0.0")
	if err != nil {
		t.Fatal(err)
	}
	all, err := linux.Build(t.Context(), linux.Input{Dist: made, Version: v, Programs: programs})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		if filepath.Ext(path) == ".rpm" {
			copyFile(t, path, filepath.Join(to, filepath.Base(path)))
		}
	}
	if err := os.RemoveAll(root); err != nil { // it is large
		t.Fatal(err)
	}
}
