package encode

import "golang.org/x/sys/cpu"

// wide tells whether this processor has what i420Wide needs.
var wide = cpu.X86.HasAVX2

// i420Wide is i420Rows for a multiple of sixteen pixels.
//
//go:noescape
func i420Wide(y0, y1, u, v, top, bottom *uint8, n int)
