//go:build !amd64

package footage

// wide is false: processors of this kind convert in Go.
const wide = false

func i420Wide(_, _, _, _ *uint8, _ int, _ *matrix) {}

func i444Wide(_, _, _, _ *uint8, _ int, _ *matrix) {}
