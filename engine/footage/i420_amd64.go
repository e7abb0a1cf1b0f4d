package footage

import "golang.org/x/sys/cpu"

// wide tells whether this processor has what i420Wide needs.
var wide = cpu.X86.HasAVX2

// i420Wide is rowInGo for a multiple of sixteen pixels.
//
//go:noescape
func i420Wide(row, luma, u, v *uint8, n int, m *matrix)

// i444Wide is i420Wide with a chroma for each pixel.
//
//go:noescape
func i444Wide(row, luma, u, v *uint8, n int, m *matrix)
