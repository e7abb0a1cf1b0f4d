package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// measured are the metrics that a farm gives, line by line.
func (r *rig) measured() string {
	r.t.Helper()
	a := r.get("/metrics")
	if a.status != http.StatusOK {
		r.t.Fatalf("the metrics are answered with %d: %s", a.status, a.body)
	}
	return string(a.body)
}

func TestMetricsTellWhatTheFarmDoes(t *testing.T) {
	r := start(t)
	r.submit(srcJob)
	if status := r.get("/nowhere/" + strings.Repeat("x", 20)).status; status != http.StatusNotFound {
		t.Fatalf("an address that is none is answered with %d", status)
	}
	text := r.measured()
	for _, line := range []string{
		`overcrank_raft_leads 1`, `overcrank_raft_has_leader 1`, `overcrank_raft_members{voter="yes"} 1`,
		`overcrank_commands_total{result="done"} `, `overcrank_queue_ready_tasks 1`, `overcrank_leases 0`, `overcrank_check_ok{check="leader"} 1`,
		`overcrank_http_request_seconds_count{method="POST",route="/api/v2/jobs",status="201"} 1`,
		`overcrank_http_request_seconds_count{method="GET",route="none",status="404"} 1`,
	} {
		if !strings.Contains(text, line) {
			t.Errorf("the metrics lack %s", line)
		}
	}
	if strings.Contains(text, "xxxx") {
		t.Error("what a caller made up became the name of a metric")
	}
}

// TestEachCheckIsMeasured holds the metrics to what /readyz looks at, whatever that is.
func TestEachCheckIsMeasured(t *testing.T) {
	r := start(t)
	var ready struct {
		Checks []struct{ Name, Status string }
	}
	if err := json.Unmarshal(r.get("/readyz").body, &ready); err != nil || len(ready.Checks) < 8 {
		t.Fatalf("%v: %+v", err, ready)
	}
	given := r.measured()
	for _, check := range ready.Checks {
		if line := fmt.Sprintf("overcrank_check_ok{check=%q} 1\n", check.Name); !strings.Contains(given, line) {
			t.Errorf("the check %q is %s, and the metrics lack %s", check.Name, check.Status, line)
		}
	}
}

func TestProfilesAreForAdministrators(t *testing.T) {
	r := start(t)
	for _, path := range []string{"/debug/pprof/heap", "/debug/pprof/symbol", "/debug/pprof/profile?seconds=1", "/debug/pprof/trace?seconds=1"} {
		if a := r.get(path); a.status != http.StatusOK || len(a.body) == 0 {
			t.Errorf("%s is answered with %d and %d bytes", path, a.status, len(a.body))
		}
		operator := r.makeToken("operator", "").Secret
		if a := r.get(path, "Authorization: Bearer "+operator); a.status != http.StatusForbidden {
			t.Errorf("%s is answered to an operator with %d", path, a.status)
		}
	}
}

// TestTheDashboardDrawsWhatIsMeasured holds docs/grafana/overcrank.json to the names of metrics.
func TestTheDashboardDrawsWhatIsMeasured(t *testing.T) {
	text, err := os.ReadFile("../docs/grafana/overcrank.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	r := start(t)
	r.submit(srcJob)
	given := r.measured()
	// What is counted only once it happens is described, without a value.
	later := []string{"overcrank_attempt_failures_total", "overcrank_webhook_tries_total", "overcrank_machines", "overcrank_disk_reserve_bytes"}
	drawn := 0
	for _, panel := range board.Panels {
		for _, target := range panel.Targets {
			for _, name := range regexp.MustCompile(`\b(overcrank|process)_[a-z_]+`).FindAllString(target.Expr, -1) {
				drawn++
				if !strings.Contains(given, "\n"+name) && !slices.Contains(later, name) {
					t.Errorf("%q draws %s, which is not measured", panel.Title, name)
				}
			}
		}
	}
	if drawn < 20 {
		t.Errorf("the dashboard draws %d metrics only", drawn)
	}
}
