package web_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

var (
	hiddenOf   = regexp.MustCompile(`name="of" value="([^"]*)"`)
	hiddenShot = regexp.MustCompile(`data-shot="([^"]+)"`)
)

func TestCellsAreEditedWhereTheyStand(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	v := r.as("art")
	const table = "Title;@priority;#note\nSpring;high;a;\nSummer;;b\n"
	base := []field{{name: "template", value: card.ID}, {name: "composition", value: "main"}}
	send := func(more ...field) answer { return v.sends("/files/table", append(base[:2:2], more...)...) }

	drawn := send(field{name: "table", value: table}, field{name: "do", value: "look"}).is(http.StatusOK, `name="cell:2:1"`, `aria-invalid="true"`, "not a whole number")
	if n := strings.Count(drawn.body, `data-frame-of=`); n != 1 {
		t.Errorf("%d of two rows have a picture, of which one is wrong and gets no frame", n)
	}
	of := hiddenOf.FindStringSubmatch(drawn.body)[1]
	mended := []field{{name: "of", value: of}, {name: "table", value: strings.ReplaceAll(table, "\n", "\r\n")}, {name: "cell:2:1", value: "7"}, {name: "cell:3:0", value: "Late\r\nsummer; sun"}}
	a := send(append(mended, field{name: "do", value: "look"})...).is(http.StatusOK, "Late\nsummer; sun").lacks("not a whole number", "things are wrong")
	if n := strings.Count(a.body, `data-shot="{`); n != 2 {
		t.Errorf("the contact sheet has %d rows to draw", n)
	}
	send(field{name: "table", value: " "}, field{name: "do", value: "look"}).is(http.StatusOK, "There is no table yet: drop one, or paste cells")
	// Cells that were drawn of another text change nothing.
	send(field{name: "of", value: of}, field{name: "table", value: "Title;@priority\nNew;5\n"}, field{name: "cell:2:0", value: "Old"}).is(http.StatusOK, "New").lacks("Old")

	german := r.as("art")
	german.reads = "de"
	german.sends("/files/table", append(base[:2:2], field{name: "table", value: table}, field{name: "do", value: "look"})...).
		is(http.StatusOK, "(Text)", "über den Job").lacks("(words)", "about the job", "(picture")

	due := time.Now().Add(48 * time.Hour).UTC().Truncate(time.Minute)
	send(append(mended, field{name: "do", value: "order"}, field{name: "batch", value: " Spring  spots "}, field{name: "due", value: due.Format("2006-01-02T15:04")}, field{name: "zone", value: "0"})...).
		is(http.StatusOK, "Spring spots", "Due ", due.Format(time.RFC3339))
	v.get("/batches").is(http.StatusOK, "Spring spots", due.Format(time.RFC3339))
	v.get("/").is(http.StatusOK, "Spring spots")
	list, _, err := r.farm.Batches(t.Context(), r.principal("art"), "", 1)
	if err != nil || list[0].Name != "Spring spots" || !list[0].DueAt.Equal(due) {
		t.Fatalf("the batch is %+v, %v", list, err)
	}
	_, jobs, err := r.farm.Batch(t.Context(), r.principal("art"), list[0].ID)
	if err != nil || jobs[list[0].Jobs[0].ID].Priority != 7 || string(jobs[list[0].Jobs[1].ID].Assets[0].Value) != `"Late\nsummer; sun"` {
		t.Errorf("its jobs are %+v, %v", jobs, err)
	}
	v.post("/batches/"+list[0].ID+"/label", map[string][]string{"batch": {"Autumn"}, "due": {""}, "zone": {"0"}}).is(http.StatusOK, "Autumn").lacks("Due <time", "Spring spots")
	v.post("/batches/"+list[0].ID+"/label", map[string][]string{"batch": {"Autumn"}, "due": {"soon"}}).is(http.StatusBadRequest)
}

func TestMoreRowsAreShownWhenSomebodyAsks(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	v := r.as("art")
	rows := "Title\n" + strings.Repeat("x\n", 60)
	send := func(more ...field) answer {
		return v.sends("/files/table", append([]field{{name: "template", value: card.ID}, {name: "composition", value: "main"}, {name: "table", value: rows}}, more...)...)
	}
	send().is(http.StatusOK, "24 of 60 rows", "Show more rows", `name="shown" value="24"`)
	send(field{name: "shown", value: "24"}, field{name: "do", value: "more"}).is(http.StatusOK, "48 of 60 rows")
	send(field{name: "shown", value: "999999999"}).is(http.StatusOK).lacks("Show more rows")
}

func TestARowOfATableIsDrawn(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	v := r.as("art")
	a := v.sends("/files/table", field{name: "template", value: card.ID}, field{name: "composition", value: "main"}, field{name: "table", value: "Title\nSpring\n"}).is(http.StatusOK)
	shot := html.UnescapeString(hiddenShot.FindStringSubmatch(a.body)[1])
	if !strings.Contains(shot, `"Spring"`) {
		t.Fatalf("the row is asked for by %s", shot)
	}
	ask := func(v *visitor, job, frame string) answer {
		return v.post("/new/table/frame", map[string][]string{"job": {job}, "frame": {frame}, "width": {"200"}})
	}
	ask(v, "{", "0").is(http.StatusOK, `"error"`)
	ask(v, shot, "-1").is(http.StatusBadRequest)
	ask(r.as("zoe"), shot, "0").is(http.StatusOK, "there is no template")
	// This coordinator has no program to draw with; that it has is looked at in a browser.
	ask(v, shot, "0").is(http.StatusOK, `"error"`)
}
