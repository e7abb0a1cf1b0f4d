package project

import "overcrank/aep"

// Sounds tells whether the composition that is rendered has a layer with sound that is switched on, as the project was fetched: what a
// script changes is not seen.
func (p *Project) Sounds() bool {
	if p.file == nil {
		return false
	}
	item := p.file.Composition(p.Composition)
	return item != nil && sounds(p.file, item, make(map[uint32]bool))
}

// sounds looks through a composition and those within it. seen are the ids of those that were looked at.
func sounds(project *aep.Project, comp *aep.Item, seen map[uint32]bool) bool {
	if comp.Comp == nil || seen[comp.ID] {
		return false
	}
	seen[comp.ID] = true
	for _, l := range comp.Comp.Layers {
		source := project.Item(l.Source)
		if !l.AudioEnabled || source == nil {
			continue
		}
		if source.Footage != nil && source.Footage.HasAudio || sounds(project, source, seen) {
			return true
		}
	}
	return false
}
