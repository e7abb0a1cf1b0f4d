//go:build linux

package machines_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/farmtest"

	"overcrank/agent/doctor"
)

// doctor examines this machine with the built program, on a data folder of its own.
func runDoctor(t *testing.T, env []string, flags ...string) (stdout string, code int) {
	t.Helper()
	cmd := exec.Command(farmtest.Program(t), append([]string{"agent", "doctor", "--data-dir", t.TempDir(), "--gossip-listen", "127.0.0.1:0"}, flags...)...)
	cmd.Env = append(os.Environ(), env...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	t.Log(errs.String())
	return out.String(), cmd.ProcessState.ExitCode()
}

func TestDoctorRendersWithTheEmbeddedEngine(t *testing.T) {
	t.Parallel()
	out, code := runDoctor(t, nil)
	for _, want := range []string{"embedded engine", "rendered two frames, which were checked", "writes all 12 codecs", "fonts", "This machine could work; it gets nothing to do before it has enrolled"} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing of %q in\n%s", want, out)
		}
	}
	if code != 0 {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

func TestDoctorSpeaksJSON(t *testing.T) {
	t.Parallel()
	out, _ := runDoctor(t, nil, "--json", "--coordinator", "http://127.0.0.1:1")
	var found doctor.Examination
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	if found.Healthy || len(found.Inventory.Engines) == 0 || len(found.Findings) < 6 {
		t.Errorf("%+v", found)
	}
	if !strings.Contains(out, `"mend": "Check that the coordinator runs`) {
		t.Errorf("nothing about the coordinator in\n%s", out)
	}
}

func TestDoctorEndsWithOneWhenSomethingIsBroken(t *testing.T) {
	t.Parallel()
	out, code := runDoctor(t, []string{"PATH=" + t.TempDir()})
	if code != exit.Failed || !strings.Contains(out, "Install ffmpeg") || !strings.Contains(out, "to mend.") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}
