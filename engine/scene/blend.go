package scene

import (
	"math"

	"overcrank/aep"
	"overcrank/engine/raster"
)

// BlendAt is how the layer is laid over those below it at a time of its composition.
func (l *Layer) BlendAt(t float64) raster.Blend {
	if l.dances() {
		return raster.Dissolve(l.Pattern(t))
	}
	return l.blend
}

// Pattern distinguishes the pixels that a mode shows which dissolves the layer, at a time of its composition.
func (l *Layer) Pattern(t float64) uint64 {
	if l.dances() {
		return uint64(l.ID)<<32 + uint64(int64(math.Round(t*l.Comp.FrameRate)))
	}
	return uint64(l.ID)
}

// Stencil tells whether the layer cuts away what lies below it and outside of it.
func (l *Layer) Stencil() bool {
	return l.Blend == aep.BlendStencilAlpha || l.Blend == aep.BlendStencilLuma
}

// dances tells whether the layer is laid over those below it differently in each frame. Neither mode that dissolves works on 3D layers, says
// Adobe (After Effects CS4 manual, page 174).
func (l *Layer) dances() bool { return l.Blend == aep.BlendDancingDissolve && !l.ThreeD }

// blending finds the layer's blend mode; Normal, with a lack, for one that is not known. Of some modes Adobe publishes what they are for, and
// not all of how.
func (l *Layer) blending() raster.Blend {
	if l.Blend < aep.BlendNormal {
		return raster.Normal
	}
	mode := Of(aep.NeedBlend, l.Blend.String())
	named := "blend mode '" + l.Blend.String() + "'"
	switch l.Blend {
	case aep.BlendDissolve, aep.BlendDancingDissolve:
		if l.ThreeD {
			return raster.Normal
		}
		l.detail("After Effects' own pattern of "+named, mode)
		return raster.Dissolve(uint64(l.ID))
	case aep.BlendClassicDifference, aep.BlendClassicColorDodge, aep.BlendClassicColorBurn:
		l.detail("the exact formula of "+named, mode)
	case aep.BlendLuminescentPremul:
		l.detail("the light of transparent pixels in "+named, mode)
	}
	if blend, ok := raster.Mode(l.Blend.String()); ok {
		return blend
	}
	l.lack(named, mode)
	return raster.Normal
}
