package aep

// Lack is a file that a composition cannot be rendered without and that did not come with the project.
type Lack struct {
	File        string // its name
	Media       string // image, video or audio
	Layer       string // that shows or plays it
	Index       int    // of the layer in its composition, 1-based
	Composition string // that the layer is in
}

// Lacks lists the visible or audible layers of a composition, and of those nested in it, whose file is missing. A
// composition that is not in the project lacks nothing.
func (s *Summary) Lacks(composition string) []Lack {
	return s.lacks(func(c *CompositionSummary) bool { return c.Name == composition })
}

// MissingFiles names, once each, the files that did not come with the project and that a root composition cannot be
// rendered without.
func (s *Summary) MissingFiles() []string {
	var out []string
	named := map[string]bool{}
	for _, l := range s.lacks(func(c *CompositionSummary) bool { return c.Root }) {
		if !named[l.File] {
			named[l.File] = true
			out = append(out, l.File)
		}
	}
	return out
}

// lacks is Lacks for all compositions for which of is true; a lack that several share is listed once.
func (s *Summary) lacks(of func(*CompositionSummary) bool) []Lack {
	if !s.lacksAny() { // true of most projects, and each submission asks
		return nil
	}
	byID := make(map[uint32]*CompositionSummary, len(s.Compositions))
	for i := range s.Compositions {
		byID[s.Compositions[i].ID] = &s.Compositions[i]
	}
	var out []Lack
	seen := map[uint32]bool{}
	var walk func(*CompositionSummary)
	walk = func(c *CompositionSummary) {
		if seen[c.ID] {
			return
		}
		seen[c.ID] = true
		for i, l := range c.Layers {
			if l.Missing != "" {
				out = append(out, Lack{File: l.Missing, Media: l.Media, Layer: l.Name, Index: i + 1, Composition: c.Name})
			}
			if inner, ok := byID[l.SourceComp]; ok && l.SourceComp != 0 && !l.Idle {
				walk(inner)
			}
		}
	}
	for i := range s.Compositions {
		if c := &s.Compositions[i]; of(c) {
			walk(c)
		}
	}
	return out
}

// lacksAny says whether a file of any layer did not come with the project.
func (s *Summary) lacksAny() bool {
	for i := range s.Compositions {
		layers := s.Compositions[i].Layers
		for j := range layers {
			if layers[j].Missing != "" {
				return true
			}
		}
	}
	return false
}
