package scene

import (
	"cmp"
	"fmt"
	"strconv"

	"overcrank/aep"
	"overcrank/engine/profile"
)

// Color is how the colours of a project are drawn.
type Color struct {
	Bits    int              // per channel: 8, 16 or 32
	Working *profile.Profile // what the project's colours mean; nil where they are not managed
	Curve   profile.Curve    // of the project's colours
	// LinearBlending lays layers over each other in linear light, LinearLayers applies effects to linear light too.
	LinearBlending, LinearLayers bool

	unread string // why the working space is not used
}

// colorOf is how the colours of a project are drawn.
func colorOf(p *aep.Project) Color {
	c := Color{
		Bits: cmp.Or(p.BitsPerChannel, 8), Curve: profile.Power(cmp.Or(p.Color.Gamma, 2.2)),
		LinearBlending: p.Color.LinearBlending, LinearLayers: p.Color.LinearWorkSpace,
	}
	if !p.Color.WorkingSpace.Has() {
		c.LinearLayers = false // After Effects offers it for managed colours only
		return c
	}
	working, err := ProfileOf(p.Color.WorkingSpace)
	if err != nil || len(working.Curve.Table) > 0 {
		c.unread = p.Color.WorkingSpace.Name
		c.LinearLayers = false
		return c
	}
	c.Working, c.Curve = working, working.Curve
	return c
}

// ProfileOf is the profile that a project names: that with the name, or else what the project holds of it.
func ProfileOf(p aep.ColorProfile) (*profile.Profile, error) {
	if known, ok := profile.Named(p.Name); ok {
		return known, nil
	}
	if p.ICC == "" {
		return nil, fmt.Errorf("colour profile '%s' is not known", p.Name)
	}
	return profile.ICC([]byte(p.ICC))
}

// FootageProfile is what the colours of an item mean: what the project assigns, or its file says; nil for neither.
func FootageProfile(it *aep.Item) (p *profile.Profile, err error) {
	if it.Footage.Profile.Has() {
		if p, err = ProfileOf(it.Footage.Profile); err == nil {
			return p, nil
		}
	}
	if it.Footage.Still && it.Footage.File.Resolved != "" {
		carried, broken := profile.Carried(it.Footage.File.Resolved)
		if carried != nil {
			return carried, nil
		}
		err = cmp.Or(err, broken)
	}
	return nil, err
}

// notes are what of the project's colours is drawn differently.
func (c *Color) notes(p *aep.Project) (notes []Lack) {
	if c.Bits > 8 {
		notes = append(notes, Lack{What: fmt.Sprintf("footage, edges and animated text are drawn, and all is written, in 8 of %d bits per channel", c.Bits), Of: c.Depth()})
	}
	if c.unread != "" {
		notes = append(notes, Lack{What: "the working space '" + c.unread + "' is not known, so colours are not converted to it", Of: Of(aep.NeedProfile, c.unread)})
	}
	if p.Color.OCIO {
		notes = append(notes, Lack{What: "colours that OpenColorIO manages are drawn as those of Adobe's own management", Of: OpenColorIO})
	}
	return notes
}

// Depth are the bits per channel, as a feature.
func (c *Color) Depth() Feature {
	return Of(aep.NeedPicture, strconv.Itoa(c.Bits)+" bits per channel")
}

// Deep tells whether more than bytes are needed whatever the project shows.
func (c *Color) Deep() bool { return c.Bits > 8 || c.LinearBlending || c.LinearLayers }
