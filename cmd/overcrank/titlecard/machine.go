package titlecard

import (
	"slices"
	"unicode/utf8"

	"overcrank/aep"
)

// MachineFrame is the frame of Machine's composition in which all has come to rest.
const MachineFrame = 3 * FrameRate

// roomForName is how many letters of a machine's name fit into the card's width in the title's own size.
const roomForName = 18

// Machine is the card with a machine's name, by which a machine shows that it renders. It needs no files.
func Machine(name string) *aep.Project {
	p := Project()
	p.Items = slices.DeleteFunc(p.Items, func(i *aep.Item) bool { return i.ID == idPicture || i.ID == idMusic })
	card := p.Items[0].Comp
	size := 96 * min(1, roomForName/float64(max(1, utf8.RuneCountInString(name))))
	title := textLayer(TitleLayer, name, style("Inter-Bold", size, 1, 1, 1), transform(still("ADBE Position", 100, 452, 0)))
	subtitle := textLayer(SubtitleLayer, "Rendered on this machine", style("Inter-Regular", 34, 0.92, 0.92, 0.95), transform(still("ADBE Position", 100, 508, 0)))
	kept := []*aep.Layer{title, subtitle}
	for _, l := range card.Layers {
		switch l.Name {
		case AccentLayer, "Film Strip", "Background":
			kept = append(kept, l)
		}
	}
	for i, l := range kept {
		l.ID = uint32(i + 1)
	}
	card.Layers = kept
	return p
}
