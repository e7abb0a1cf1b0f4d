package raster

import "golang.org/x/sys/cpu"

// wide tells whether this processor has what the functions in rows_amd64.s need. They do to several pixels at once what their twins in Go do, to
// the last bit.
var wide = cpu.X86.HasAVX2

// bilinearWide is bilinearRow for a multiple of eight pixels.
//
//go:noescape
func bilinearWide(row, pix *uint8, n, stride int, u, v, du, dv, k int64)

// normalWide is normalRow for a multiple of eight pixels.
//
//go:noescape
func normalWide(dst, src *uint8, n int)

// multiplyWide is multiplyRow for a multiple of eight pixels, of which it does those before the first eight that do not all lie on something opaque.
//
//go:noescape
func multiplyWide(dst, src *uint8, n int) (done int)

// behindWide is behindRow for a multiple of eight pixels.
//
//go:noescape
func behindWide(row *uint8, n int, c uint32)

// scaleWide is scaleRow for a multiple of eight pixels.
//
//go:noescape
func scaleWide(dst, src *uint8, n int, k uint32)

// coverWide is coverRow for a multiple of eight pixels.
//
//go:noescape
func coverWide(dst, cov *uint8, n int, c uint32)
