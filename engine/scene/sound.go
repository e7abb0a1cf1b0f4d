package scene

import (
	"fmt"
	"slices"

	"overcrank/aep"
	"overcrank/engine/audio"
	"overcrank/engine/eval"
)

// SoundEffect is an effect on the sound of a layer.
type SoundEffect struct {
	Match  string
	Name   string
	Kind   audio.Kind
	Values []eval.Number // in the order of its parameters
}

// Heard tells whether the layer is heard, seen or not, if what it shows has sound.
func (l *Layer) Heard() bool {
	return l.AudioEnabled && (!l.Comp.Solo || l.Solo) && l.Source != nil && !l.within
}

// hear lists what the sound of layers lacks that are heard, seen or not, in a composition and those within it.
func (c *compiler) hear(comp *Comp, heard map[*Comp]bool) {
	heard[comp] = true
	for _, l := range comp.All {
		if !l.Heard() {
			continue
		}
		if l.Inner != nil && !heard[l.Inner] {
			c.hear(l.Inner, heard)
		}
		for _, lack := range l.lacks {
			if slices.ContainsFunc(l.Sounds, func(e SoundEffect) bool { return e.Feature() == lack.Of }) {
				c.tell(l, lack)
			}
		}
	}
}

// sound adds an effect on the layer's sound.
func (l *Layer) sound(p *aep.Property, kind audio.Kind, name string) {
	e := SoundEffect{Match: p.Match, Name: name, Kind: kind}
	first := 1
	// The graph of an equalizer stands before its bands, and has no number.
	if c := p.Child(param(p, 1)); c != nil {
		if _, number := c.Value.(aep.Numbers); !number {
			first = 2
		}
	}
	for i, start := range kind.Start {
		e.Values = append(e.Values, eval.NumberOf(l.At(p.Child(param(p, first+i))), start))
	}
	if l.AudioEnabled && kind.Likeness != "" {
		l.detail(kind.Likeness+" in the sound of effect '"+name+"'", e.Feature())
	}
	if l.AudioEnabled && kind.Reverses && len(l.Sounds) > 0 {
		l.detail("the effects before effect '"+name+"', which are heard as if they came after it,", e.Feature())
	}
	l.Sounds = append(l.Sounds, e)
}

func param(p *aep.Property, number int) string { return fmt.Sprintf("%s-%04d", p.Match, number) }
