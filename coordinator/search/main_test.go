package search

import (
	"testing"

	"overcrank/faults/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }
