package commandtest

import (
	"flag"
	"strconv"
)

// AllCases says whether properties are tried on so many cases that each end of a history comes up. On the quarter of them that FewerChecks leaves
// under the race detector one may be missing by chance.
func AllCases() bool {
	n, err := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	return err == nil && n >= 100
}
