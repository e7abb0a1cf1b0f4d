package effect

import (
	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// The data of Curves: a head of two words, then for each channel a table of the 256 values that it maps, and the points that the user drew. At
// 8 bits After Effects draws the tables. Red, green, blue and alpha have curves of their own; that of all three colours applies after theirs.
const (
	curvesHead     = 4
	curvesChannels = 5 // all colours, red, green, blue, alpha
)

// curves is Curves.
type curves struct{ data eval.Slot }

func newCurves(p Params) Effect {
	e := &curves{p.Data("0001")}
	if data, has := e.data.First().(aep.Opaque); has {
		if _, ok := curvesOf(data); !ok {
			p.Lack("the curves, whose data are of a kind that is not read,")
		} else if e.data.Varies() {
			p.Lack("the exact curve")
		}
	}
	return e
}

// curveTables are the mappings of red, green, blue and alpha; ok is false for data of another kind.
func curveTables(data aep.Opaque) (tables [4]*mapping, ok bool) {
	curves, ok := curvesOf(data)
	if !ok {
		return tables, false
	}
	for i := range 3 {
		tables[i] = curves[0].after(curves[1+i])
	}
	tables[3] = curves[4]
	return tables, true
}

// curvesOf are the mappings of the channels themselves.
func curvesOf(data aep.Opaque) (curves [curvesChannels]*mapping, ok bool) {
	if len(data) < curvesHead+curvesChannels*256 {
		return curves, false
	}
	for i := range curves {
		m := mapping(data[curvesHead+256*i : curvesHead+256*(i+1)])
		curves[i] = &m
	}
	return curves, true
}

func (e *curves) Draw(f *Frame, img *raster.Image) error {
	from, to, share := f.Data(&e.data)
	tables, ok := curveTables(from)
	if !ok {
		return nil
	}
	// After Effects moves the points between keyframes, which is nearly this.
	if after, ok := curveTables(to); ok && share > 0 {
		for i := range tables {
			tables[i] = tables[i].mixed(after[i], share)
		}
	}
	lookUpAll(img, tables)
	return nil
}
