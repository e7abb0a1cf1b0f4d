//go:build race

package commandtest

import "flag"

// FewerChecks has properties tried on a quarter of the cases under the race detector, where each takes ten times as long and one goroutine
// applies all commands. `make test RACE=1` tries them without it on all cases.
func FewerChecks() error {
	if flag.Lookup("rapid.checks").Value.String() != "100" { // which somebody has asked for
		return nil
	}
	return flag.Set("rapid.checks", "25")
}
