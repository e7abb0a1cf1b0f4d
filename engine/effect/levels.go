package effect

import (
	"encoding/binary"
	"fmt"
	"math"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// level maps the values between two inputs to those between two outputs, with a gamma. All lie between 0 and 1.
type level struct{ black, white, gamma, outBlack, outWhite float64 }

// at is the published formula of Levels: the share of v between the inputs, to the power of 1/gamma, between the outputs.
func (l level) at(v float64) float64 {
	span := l.white - l.black
	switch {
	case span > 0:
		v = unit((v - l.black) / span)
	case v >= l.black:
		v = 1
	default:
		v = 0
	}
	return l.outBlack + (l.outWhite-l.outBlack)*math.Pow(v, 1/max(l.gamma, 0.01))
}

// mixed is the level a share of the way from l to another.
func (l level) mixed(to level, share float64) level {
	mix := func(a, b float64) float64 { return a + (b-a)*share }
	return level{mix(l.black, to.black), mix(l.white, to.white), mix(l.gamma, to.gamma), mix(l.outBlack, to.outBlack), mix(l.outWhite, to.outWhite)}
}

// levelControls are the five parameters of one channel.
type levelControls [5]eval.Number

// levelsOf finds the five parameters that begin with a number.
func levelsOf(p Params, first int) levelControls {
	var c levelControls
	for i, def := range [5]float64{0, 1, 1, 0, 1} {
		c[i] = p.Number(fmt.Sprintf("%04d", first+i), def)
	}
	return c
}

func (c *levelControls) at(f *Frame) level {
	return level{f.Number(&c[0]), f.Number(&c[1]), f.Number(&c[2]), f.Number(&c[3]), f.Number(&c[4])}
}

func (c *levelControls) varies() bool {
	for i := range c {
		if c[i].Varies() {
			return true
		}
	}
	return false
}

// levelChannels are the channels of Levels, as its popup numbers them: all colours, red, green, blue, alpha. Each colour has its own level;
// that of all three applies after it.
type levelChannels [5]level

func (c *levelChannels) draw(img *raster.Image) {
	all := mappingOf(c[0].at)
	var tables [4]*mapping
	for i := range 3 {
		tables[i] = all.after(mappingOf(c[1+i].at))
	}
	tables[3] = mappingOf(c[4].at)
	lookUpAll(img, tables)
}

// The data of Levels: a head, then five numbers for each channel.
const (
	levelsHead = 8
	levelsSize = levelsHead + 5*5*4
)

// levels is Levels. Its data hold all channels; the five numbers beside them show the one that the popup chooses, and drive it when they are
// animated.
type levels struct {
	channel  eval.Number
	data     eval.Slot
	controls levelControls
}

func newLevels(p Params) Effect { return &levels{p.Number("0001", 1), p.Data("0002"), levelsOf(p, 3)} }

func (e *levels) Draw(f *Frame, img *raster.Image) error {
	channels := e.channels(f)
	channels.draw(img)
	return nil
}

func (e *levels) channels(f *Frame) levelChannels {
	from, to, share := f.Data(&e.data)
	channels, stored := storedLevels(from)
	if after, ok := storedLevels(to); ok && share > 0 {
		for i := range channels {
			channels[i] = channels[i].mixed(after[i], share)
		}
	}
	if !stored || e.controls.varies() {
		channels[max(0, min(f.Choice(&e.channel)-1, len(channels)-1))] = e.controls.at(f)
	}
	return channels
}

// storedLevels reads the data of Levels; of other data it returns levels that change nothing.
func storedLevels(data aep.Opaque) (channels levelChannels, ok bool) {
	for i := range channels {
		channels[i] = level{0, 1, 1, 0, 1}
	}
	if len(data) != levelsSize {
		return channels, false
	}
	for i := range channels {
		var v [5]float64
		for j := range v {
			v[j] = float64(math.Float32frombits(binary.BigEndian.Uint32(data[levelsHead+20*i+4*j:])))
		}
		channels[i] = level{v[0], v[1], v[2], v[3], v[4]}
	}
	return channels, true
}

// proLevels is Levels (Individual Controls).
type proLevels [5]levelControls

func newProLevels(p Params) Effect {
	var e proLevels
	for i := range e {
		e[i] = levelsOf(p, 4+7*i)
	}
	return &e
}

func (e *proLevels) Draw(f *Frame, img *raster.Image) error {
	channels := e.channels(f)
	channels.draw(img)
	return nil
}

func (e *proLevels) channels(f *Frame) (channels levelChannels) {
	for i := range channels {
		channels[i] = e[i].at(f)
	}
	return channels
}

// alphaLevels is Alpha Levels. Its older version counts to 255.
type alphaLevels struct {
	controls levelControls
	full     float64
}

func newAlphaLevels(p Params) Effect { return &alphaLevels{levelsOf(p, 1), 1} }

func newAlphaLevels255(p Params) Effect {
	c := levelsOf(p, 1)
	for i, def := range [5]float64{0, 255, 1, 0, 255} {
		c[i] = p.Number(fmt.Sprintf("%04d", 1+i), def)
	}
	return &alphaLevels{c, 255}
}

func (e *alphaLevels) Draw(f *Frame, img *raster.Image) error {
	l := e.controls.at(f)
	l.black, l.white, l.outBlack, l.outWhite = l.black/e.full, l.white/e.full, l.outBlack/e.full, l.outWhite/e.full
	same := identity()
	lookUpAll(img, [4]*mapping{same, same, same, mappingOf(l.at)})
	return nil
}
