//go:build linux

package pages_test

import (
	"fmt"

	"overcrank/cmd/overcrank/farmtest"
	"overcrank/cmd/overcrank/titlecard"
)

// enlivens has a farm look as one does on a working day, for pictures: films of several projects, a batch, what was said of a film, and more work than
// machines. The job that renders is kept beside two others.
func (h furnished) enlivens(f *farmtest.Farm) {
	f.T.Helper()
	for _, project := range []string{"Winter sale", "Festival"} {
		if _, err := f.CreateProject(f.T.Context(), project, nil); err != nil {
			f.T.Fatal(err)
		}
	}
	var ended []string
	for i, name := range []string{"Winter sale, TV", "Winter sale, online", "Festival trailer", "Festival, German", "Festival, French"} {
		ended = append(ended, submitsCard(f, h.lively(name, []string{"Winter sale", "Winter sale", "Festival"}[min(i, 2)], 40+10*i, 41+10*i)))
	}
	var rows []map[string]any
	for _, country := range []string{"Austria", "Belgium", "Denmark", "Estonia", "Finland", "Germany"} {
		rows = append(rows, h.lively("Opener, "+country, "Festival", 70, 71))
	}
	batch, err := f.CreateBatch(f.T.Context(), rows)
	if err != nil {
		f.T.Fatal(err)
	}
	for _, job := range batch.Jobs {
		ended = append(ended, job.ID)
	}
	for _, id := range ended {
		f.Ended(id)
	}
	for frame, text := range []string{"Can the title stay a little longer?", "Warmer here, please. The sun may be lower too."} {
		f.FarmAPI("POST", "/jobs/"+h.finished+"/comments", fmt.Sprintf(`{"text": %q, "frame": %d}`, text, frame*9+2))
	}
}

// queues has more films wait than machines can render, which keeps them at work while pictures are taken.
func (h furnished) queues(f *farmtest.Farm) {
	f.T.Helper()
	for _, name := range []string{"Winter sale, cinema", "Festival, long", "Spring spot, Dutch", "Spring spot, Danish", "Spring spot, Polish"} {
		order := h.lively(name, "Spring spots", 0, 149)
		order["sequential"] = true
		submitsCard(f, order)
	}
}

// lively is a job of some frames of the title card.
func (h furnished) lively(name, project string, first, last int) map[string]any {
	return map[string]any{
		"name": name, "project": project, "tags": []string{"Acme"}, "settings": map[string]any{"frames": []int{first, last}},
		"template": map[string]string{"id": h.template, "composition": titlecard.Composition},
		"assets":   []map[string]any{{"type": "text", "layerName": titlecard.TitleLayer, "value": name}},
	}
}
