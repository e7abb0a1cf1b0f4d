//go:build !amd64

package raster

// wide is false: processors of this kind draw with the functions in Go.
const wide = false

func bilinearWide(_, _ *uint8, _, _ int, _, _, _, _, _ int64) {}
func normalWide(_, _ *uint8, _ int)                           {}
func multiplyWide(_, _ *uint8, _ int) int                     { return 0 }
func behindWide(_ *uint8, _ int, _ uint32)                    {}
func scaleWide(_, _ *uint8, _ int, _ uint32)                  {}
func coverWide(_, _ *uint8, _ int, _ uint32)                  {}
