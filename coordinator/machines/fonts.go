package machines

import (
	"cmp"
	"context"
	"slices"

	"overcrank/farm"
)

// Holder is a machine that has a font, or lacks it.
type Holder struct{ ID, Name string }

// FontHolders are the machines of a farm by whether they have a font installed, each list by name and no longer than was asked for. Have and Lack
// count all of them.
type FontHolders struct {
	Having, Lacking []Holder
	Have, Lack      int
}

// FontHolders tells which machines have the font with a PostScript name. It names at most so many of each kind.
func (r *Roster) FontHolders(_ context.Context, p farm.Principal, name string, most int) (FontHolders, error) {
	if err := p.May(farm.ActView); err != nil {
		return FontHolders{}, err
	}
	i := r.installed
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := r.state.View(i.renewLocked); err != nil {
		return FontHolders{}, err
	}
	key := farm.FontKey(name)
	var h FontHolders
	for id, m := range i.machines {
		holder := Holder{ID: id, Name: m.agent.Name}
		if m.has(partFont, key) {
			h.Having = append(h.Having, holder)
		} else {
			h.Lacking = append(h.Lacking, holder)
		}
	}
	h.Have, h.Lack = len(h.Having), len(h.Lacking)
	h.Having, h.Lacking = firstHolders(h.Having, most), firstHolders(h.Lacking, most)
	return h, nil
}

func firstHolders(list []Holder, most int) []Holder {
	slices.SortFunc(list, func(a, b Holder) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return list[:min(len(list), most)]
}

// FontCounts counts the machines that have fonts, by their PostScript names. It looks at no machine but those that have changed.
func (r *Roster) FontCounts(_ context.Context, p farm.Principal, names []string) (have map[string]int, machines int, err error) {
	if err := p.May(farm.ActView); err != nil {
		return nil, 0, err
	}
	i := r.installed
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := r.state.View(i.renewLocked); err != nil {
		return nil, 0, err
	}
	have = make(map[string]int, len(names))
	for _, name := range names {
		have[name] = i.fleet[partFont][farm.FontKey(name)].n
	}
	return have, len(i.machines), nil
}
