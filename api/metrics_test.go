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

	"go.yaml.in/yaml/v3"
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
	for _, line := range []string{
		`overcrank_raft_leads 1`, `overcrank_raft_has_leader 1`, `overcrank_raft_members{voter="yes"} 1`,
		`overcrank_commands_total{result="done"} `, `overcrank_queue_ready_tasks 1`, `overcrank_leases 0`, `overcrank_check_ok{check="leader"} 1`,
		`overcrank_http_request_seconds_count{method="POST",route="/api/v2/jobs",status="201"} 1`,
		`overcrank_http_request_seconds_count{method="GET",route="none",status="404"} 1`,
	} {
		r.eventually("the metrics hold "+line, func() bool { return strings.Contains(r.measured(), line) })
	}
	if strings.Contains(r.measured(), "xxxx") {
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
	for _, check := range ready.Checks {
		line := fmt.Sprintf("overcrank_check_ok{check=%q} 1\n", check.Name)
		r.eventually("the metrics hold "+line, func() bool { return strings.Contains(r.measured(), line) })
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

// TestDashboardAndAlarmsNameWhatIsMeasured holds the files of docs/grafana to the names of metrics.
func TestDashboardAndAlarmsNameWhatIsMeasured(t *testing.T) {
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	var alarms struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	read(t, "../docs/grafana/overcrank.json", json.Unmarshal, &board)
	read(t, "../docs/grafana/alerts.yaml", yaml.Unmarshal, &alarms)
	expressions := map[string][]string{}
	for _, panel := range board.Panels {
		for _, target := range panel.Targets {
			expressions[panel.Title] = append(expressions[panel.Title], target.Expr)
		}
	}
	for _, group := range alarms.Groups {
		for _, rule := range group.Rules {
			expressions[rule.Alert] = append(expressions[rule.Alert], rule.Expr)
		}
	}
	r := start(t)
	r.submit(srcJob)
	given := r.measured()
	// What a farm of one coordinator that does not move its files has not got, and what is known only once a machine was there.
	later := []string{"overcrank_machines", "overcrank_disk_reserve_bytes", "overcrank_storage_move_files_left", "overcrank_state_differs"}
	named := 0
	for title, list := range expressions {
		for _, name := range regexp.MustCompile(`\b(overcrank|process)_[a-z_]+`).FindAllString(strings.Join(list, " "), -1) {
			named++
			if !strings.Contains(given, "\n"+name) && !slices.Contains(later, name) {
				t.Errorf("%q names %s, which is not measured", title, name)
			}
		}
	}
	if named < 33 {
		t.Errorf("dashboard and alarms name %d metrics only", named)
	}
}

func read(t *testing.T, path string, decode func([]byte, any) error, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = decode(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
