package transform_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/installers/windows/transform"
)

var base = transform.Base{
	ProductCode: "{A799107A-2FD9-5CA3-AB17-3FE248057624}", Version: "0.1.100", UpgradeCode: "{7F1C8E52-9D0B-4C5E-8A37-52B1C4E6D0A9}",
}

// TestOthersReadTheTransform has msitools read what was written. That it is applied is a test under wine.
func TestOthersReadTheTransform(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("msiinfo"); err != nil {
		t.Skip("msiinfo is missing: scripts/require msi installs it")
	}
	for name, properties := range map[string][]transform.Property{
		"one answer": {{"SERVER", "https://farm.studio.example:8080"}},
		"several, some alike": {
			{"SERVER", "https://farm.studio.example:8080"}, {"JOIN", "ocj_" + strings.Repeat("x", 200)}, {"TAGS", "1"}, {"FIREWALL", "1"},
		},
		"a stream of several small sectors": {{"TAGS", strings.Repeat("a", 1000)}, {"SERVER", strings.Repeat("b", 1000)}, {"JOIN", strings.Repeat("c", 1000)}},
	} {
		made, err := transform.Make(base, properties)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		path := filepath.Join(t.TempDir(), "answers.mst")
		if err := os.WriteFile(path, made, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "msiinfo", "suminfo", path).CombinedOutput()
		if err != nil || !strings.Contains(string(out), base.UpgradeCode) || !strings.Contains(string(out), "Restrict: 134217759") {
			t.Errorf("%s: msiinfo reads %s (%v)", name, out, err)
		}
	}
}

func TestWhatNoTransformCanSetIsRefused(t *testing.T) {
	t.Parallel()
	for name, properties := range map[string][]transform.Property{
		"nothing":           nil,
		"a private name":    {{"Server", "x"}},
		"no value":          {{"SERVER", ""}},
		"twice":             {{"SERVER", "x"}, {"SERVER", "y"}},
		"two lines":         {{"SERVER", "x\ny"}},
		"letters of others": {{"TAGS", "Büro"}},
		"too long":          {{"TAGS", strings.Repeat("x", 2000)}},
		"too many":          {{"A", strings.Repeat("a", 1000)}, {"B", strings.Repeat("b", 1000)}, {"C", strings.Repeat("c", 1000)}, {"D", strings.Repeat("d", 1000)}, {"E", strings.Repeat("e", 1000)}},
	} {
		made, err := transform.Make(base, properties)
		if err == nil || made != nil {
			t.Errorf("%s is taken", name)
		} else if name != "too many" && !errors.Is(err, transform.ErrProperty) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}
