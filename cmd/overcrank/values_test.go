package main

import (
	"bytes"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/exit"
)

// TestAnEmptyVariableSaysNothing: a variable that was passed on without a value leaves a setting as it is. An empty address to listen at would be a
// port of every network.
func TestAnEmptyVariableSaysNothing(t *testing.T) {
	for _, name := range []string{"OVERCRANK_LISTEN", "OVERCRANK_LEASE", "OVERCRANK_SERVER", "OVERCRANK_TOKEN_FILE", "OVERCRANK_AGENT_SLOTS", "OVERCRANK_LOG_LEVEL"} {
		t.Setenv(name, "")
	}
	t.Setenv("OVERCRANK_AGENT_GOSSIP_LISTEN", "") // of this one alone empty is a value: none
	var c cli
	for _, line := range []string{"up", "jobs", "agent --coordinator http://farm:8080"} {
		parser, err := newParser(&c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(strings.Split(line, " ")); err != nil {
			t.Errorf("overcrank %s: %v", line, err)
		}
	}
	if c.Up.Listen != "127.0.0.1:8080" || c.Up.Lease == 0 || c.LogLevel != "info" {
		t.Errorf("empty variables make --listen %q, --lease %v, --log-level %q", c.Up.Listen, c.Up.Lease, c.LogLevel)
	}
	if c.Jobs.List.Server != "http://127.0.0.1:8080" || c.Jobs.List.TokenFile != "" {
		t.Errorf("empty variables make --server %q, --token-file %q", c.Jobs.List.Server, c.Jobs.List.TokenFile)
	}
	if got := c.Agent.GossipListen; got != "" {
		t.Errorf("an agent that is to have no gossip listens at %q", got)
	}
}

// TestWrongValuesAreToldWithTheirPlace: what is wrong, how it is written, and the variable that holds it.
func TestWrongValuesAreToldWithTheirPlace(t *testing.T) {
	for _, c := range []struct{ variable, value, line, want string }{
		{line: "up --lease 30", want: `--lease: "30" is not a length of time: write a number and its unit, such as 30s, 90m or 72h`},
		{line: "jobs --limit many", want: `--limit: "many" is not a whole number`},
		{line: "jobs --limit 99999999999999999999", want: "--limit: 99999999999999999999 is too large a number"},
		{line: "up --listen 8080", want: `up: --listen is "8080": it has to be host:port`},
		{line: "up --listen=", want: `up: --listen is "": it has to be host:port`},
		{line: "jobs --token x --server farm", want: `--server (OVERCRANK_SERVER) is "farm": it has to look like http://farm.example.com:8080`},
		{"OVERCRANK_LEASE", "soon", "up", `--lease: "soon" is not a length of time: write a number and its unit, such as 30s, 90m or 72h (it comes from the variable OVERCRANK_LEASE)`},
		{"OVERCRANK_SLOTS", "two", "up", `--slots: "two" is not a whole number (it comes from the variable OVERCRANK_SLOTS)`},
		{"OVERCRANK_LOG_LEVEL", "loud", "jobs", `--log-level must be one of "debug","info","warn","error" but got "loud" (it comes from the variable OVERCRANK_LOG_LEVEL)`},
		{"OVERCRANK_LOG_LEVEL", "loud", "jobs --log-level shrill", `--log-level must be one of "debug","info","warn","error" but got "shrill"` + "\n"},
	} {
		t.Run(c.variable+" "+c.line, func(t *testing.T) {
			if c.variable != "" {
				t.Setenv(c.variable, c.value)
			}
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), strings.Split(c.line, " "), &stdout, &stderr)
			if code != exit.Usage || stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), "overcrank: "+c.want) {
				t.Errorf("exit code %d, said\n%s%swant overcrank: %s", code, &stdout, &stderr, c.want)
			}
		})
	}
}

// TestTheNameAloneShowsTheHelp: who types it wants to know what can be typed.
func TestTheNameAloneShowsTheHelp(t *testing.T) {
	var alone, help, stderr bytes.Buffer
	if code := run(t.Context(), nil, &alone, &stderr); code != 0 || stderr.Len() > 0 {
		t.Errorf("exit code %d, said %s", code, &stderr)
	}
	run(t.Context(), []string{"--help"}, &help, &stderr)
	if alone.Len() == 0 || alone.String() != help.String() {
		t.Errorf("overcrank prints\n%s\nand overcrank --help\n%s", &alone, &help)
	}
}
