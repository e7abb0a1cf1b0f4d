package launcher

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
)

// ordered matches versions that can be compared: three numbers, optionally followed by the number of commits since, in git describe's format.
var ordered = regexp.MustCompile(`^v?([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})(?:-([0-9]{1,9})-g[0-9a-f]+)?$`)

// compare orders two versions as cmp.Compare does. known is false when they differ and their format does not tell which one is newer.
func compare(a, b string) (order int, known bool) {
	if a == b {
		return 0, true
	}
	x, y := ordered.FindStringSubmatch(a), ordered.FindStringSubmatch(b)
	if x == nil || y == nil {
		return 0, false
	}
	return slices.CompareFunc(x[1:], y[1:], func(m, n string) int {
		i, _ := strconv.Atoi(m) // "" is 0, and the expression lets nothing else through
		j, _ := strconv.Atoi(n)
		return cmp.Compare(i, j)
	}), true
}
