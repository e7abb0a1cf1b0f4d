package raster

import "encoding/binary"

// The stencils and silhouettes show nothing of the source: they cut the backdrop by it. They are the operators "in" and "out" with the backdrop
// as what is kept (Porter, Duff: Compositing Digital Images, 1984). A stencil also cuts what lies outside of the source, so it has to be
// composited from a picture that is as large as the backdrop.
var (
	// StencilAlpha keeps what the source covers.
	StencilAlpha = cut(func(p []uint8) uint32 { return uint32(p[3]) })
	// StencilLuma keeps what the source lights.
	StencilLuma = cut(brightness)
	// SilhouetteAlpha removes what the source covers.
	SilhouetteAlpha = cut(func(p []uint8) uint32 { return 255 - uint32(p[3]) })
	// SilhouetteLuma removes what the source lights.
	SilhouetteLuma = cut(func(p []uint8) uint32 { return 255 - brightness(p) })
)

// cut makes a Blend that keeps a share, of 255, of the backdrop.
func cut(share func(src []uint8) uint32) Blend {
	return func(dst, src []uint8, _ Span) {
		for i := 0; i+3 < len(src) && i+3 < len(dst); i += 4 {
			if p := binary.LittleEndian.Uint32(dst[i:]); p != 0 {
				binary.LittleEndian.PutUint32(dst[i:], scale(p, share(src[i:i+4:i+4])))
			}
		}
	}
}

func brightness(p []uint8) uint32 { return uint32(Luma(p) + 0.5) }

// Luma is how bright a premultiplied pixel is, 0 to 255, by the weights of ITU-R BT.709.
func Luma(p []uint8) float64 {
	return 0.2126*float64(p[0]) + 0.7152*float64(p[1]) + 0.0722*float64(p[2])
}
