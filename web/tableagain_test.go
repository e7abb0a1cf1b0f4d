package web_test

import (
	"html"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"overcrank/aep/aeptest"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// failedBatch is a farm with a batch of four rows: the second one's words were wrong, the third one's picture is gone, and the fourth was cancelled.
// The first one waits.
func failedBatch(t *testing.T) (r *rig, batch string) {
	t.Helper()
	r = &rig{t: t, dir: t.TempDir()}
	r.people()
	stop := r.serve("127.0.0.1:0")
	card := r.cardTemplate("ada")
	table := "@name,Title,Picture,@hold,Subtitle:Transform.Opacity\nOne,Spring,https://files.example/day.png,yes,50\nTwo,Sumer,https://files.example/day.png?sig=hush,yes,50\n" +
		"Three,Autumn,https://files.example/night.png,yes,50\nFour,Winter,https://files.example/day.png,yes,\n"
	made := r.as("art").sends("/files/table", field{name: "template", value: card.ID}, field{name: "composition", value: "main"}, field{name: "table", value: table}, field{name: "do", value: "order"})
	batch = strings.TrimPrefix(made.path, "/batches/")
	if batch == made.path {
		t.Fatalf("ordering leads to %s: %.3000s", made.path, made.body)
	}
	_, jobs, err := r.farm.Batch(t.Context(), r.principal("art"), batch)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]string{}
	for _, job := range jobs {
		byName[job.Name] = job.ID
	}
	stop()
	store, err := raftstore.Open(t.Context(), raftstore.Config{Dir: filepath.Join(r.dir, "state"), MinFree: 1, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC()
	team := jobs[byName["One"]].Team
	does := func(cmd command.Command) {
		t.Helper()
		if result, err := store.Apply(t.Context(), cmd); err != nil || result.Refused != nil {
			t.Fatalf("%T: %v, %v", cmd, result.Refused, err)
		}
	}
	does(command.EnrolAgent{Agent: farm.Agent{ID: "01JD7000000000000000000090", Name: "suite-1", SecretHash: "none", EnrolledAt: now}})
	does(command.ReleaseJobs{Team: team, IDs: []string{byName["Two"], byName["Three"]}, At: now})
	for name, message := range map[string]string{"Two": "After Effects expression error: bad words (asset 0)", "Three": "Asset https://files.example/… answered 404"} {
		task := byName[name] + ".1"
		does(command.LeaseTasks{Grants: []command.Grant{{Task: task, Attempt: 1, Agent: "01JD7000000000000000000090"}}, At: now})
		does(command.FailTask{Task: task, Attempt: 1, Message: message, Class: farm.FailureDeterministic, Cause: farm.Cause{Kind: farm.CauseFootage, Subject: "night.png"}, At: now})
	}
	does(command.CancelJobs{Team: team, IDs: []string{byName["Four"]}, At: now})
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	stop = r.serve("127.0.0.1:0")
	t.Cleanup(func() { stop() })
	return r, batch
}

var hiddenTable = regexp.MustCompile(`(?s)<textarea name="table" hidden>\n(.*?)</textarea>`)

// sent are the fields of a table of rows that are submitted again, as its page holds them.
func sent(t *testing.T, a answer, batch string) []field {
	t.Helper()
	text, of := hiddenTable.FindStringSubmatch(a.body), hiddenOf.FindStringSubmatch(a.body)
	if text == nil || of == nil {
		t.Fatalf("the page holds no table: %.3000s", a.body)
	}
	template := regexp.MustCompile(`name="template" value="([^"]*)"`).FindStringSubmatch(a.body)
	return []field{
		{name: "template", value: template[1]}, {name: "composition", value: "main"}, {name: "again", value: batch},
		{name: "of", value: of[1]}, {name: "table", value: strings.ReplaceAll(html.UnescapeString(text[1]), "\n", "\r\n")},
		{name: "drawn", value: "2"}, {name: "drawn", value: "3"}, {name: "drawn", value: "4"},
	}
}

func TestFailedRowsAreEditedAndSubmittedAgainInTheirPlaces(t *testing.T) {
	r, batch := failedBatch(t)
	v := r.as("art")
	v.get("/batches/"+batch).is(http.StatusOK, `/batches/`+batch+`/edit"`, "Edit and resubmit")
	a := v.get("/batches/"+batch+"/edit").is(http.StatusOK, "Sumer</textarea>", "Autumn</textarea>", "Winter</textarea>", "50</textarea>",
		"as before: night.png", "as before: day.png", "Resubmit 2 rows", `value="2" checked`, `value="3" checked`).
		lacks("Spring</textarea>", "hush", `value="4" checked`, "Name of the batch", "things are wrong")
	cells := regexp.MustCompile(`(?s)<td dir="auto">.*?</td>`).FindAllString(a.body, -1)
	blamed := func(words, reason string) {
		t.Helper()
		for _, cell := range cells {
			if strings.Contains(cell, words) && strings.Contains(cell, reason) {
				return
			}
		}
		t.Errorf("%q does not stand beside %q", reason, words)
	}
	blamed("Sumer</textarea>", "bad words")
	blamed("as before: night.png", "answered 404")

	base := sent(t, a, batch)
	again := v.sends("/files/table", append(base, field{name: "pick", value: "2"}, field{name: "pick", value: "3"}, field{name: "cell:2:2", value: "Summer"}, field{name: "cell:3:3", value: "moon.png"},
		field{name: "do", value: "order"})...).is(http.StatusBadRequest, "the file “moon.png” is missing", "Row 3, column “Picture”", "Summer</textarea>").lacks("bad words", "answered 404", "line 3")
	base = sent(t, again, batch)
	done := v.sends("/files/table", append(base, field{name: "pick", value: "2"}, field{name: "cell:3:3", value: ""}, field{name: "do", value: "order"})...)
	if done.path != "/batches/"+batch {
		t.Fatalf("resubmitting leads to %s: %.3000s", done.path, done.body)
	}
	done.is(http.StatusOK, "0 of 4 finished, 2 waiting, 1 failed, 1 cancelled")
	of, jobs, err := r.farm.Batch(t.Context(), r.principal("art"), batch)
	if err != nil || len(of.Jobs) != 4 {
		t.Fatalf("the batch is %+v, %v", of, err)
	}
	take := jobs[of.Jobs[1].ID]
	if take.Name != "Two" || len(take.Assets) != 3 || string(take.Assets[0].Value) != `"Summer"` || take.Assets[1].Src != "https://files.example/day.png?sig=hush" || string(take.Assets[2].Value) != "50" || take.TakeOf == "" {
		t.Errorf("the new take is %+v", take)
	}
	v.get("/batches/"+batch+"/edit").is(http.StatusOK, "Autumn</textarea>").lacks("Summer</textarea>")
	// Whoever has the page from before submits nothing twice.
	v.sends("/files/table", append(base, field{name: "pick", value: "2"}, field{name: "do", value: "order"})...).is(http.StatusBadRequest, "Choose at least one row")

	v.post("/batches/"+batch+"/again", url.Values{}).is(http.StatusOK, "0 of 4 finished, 3 waiting, 1 cancelled")
	v.get("/batches/"+batch+"/edit").is(http.StatusOK, "Winter</textarea>").lacks("Autumn</textarea>")
	r.as("vic").get("/batches/" + batch + "/edit").is(http.StatusForbidden)
	r.as("zoe").get("/batches/" + batch + "/edit").is(http.StatusNotFound).lacks("Winter")
	v.get("/batches/" + batch + "/edit?template=nothing").is(http.StatusNotFound)
}

func TestRowsOfAnEarlierVersionAreEditedAsThatVersion(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	r.replaceTemplate("ada", card, aeptest.BareProject(t))
	v := r.as("ada")
	rows := []field{{"template", "", card.ID}, {"version", "", "1"}, {"composition", "", "main"}, {"table", "", "@name,Subtitle,@hold\nOne,a,yes\nTwo,b,yes\n"}, {"do", "", "order"}}
	batch := strings.TrimPrefix(v.sends("/files/table", rows...).is(http.StatusOK).path, "/batches/")
	v.post("/batches/"+batch+"/cancel", nil).is(http.StatusOK)

	a := v.get("/batches/"+batch+"/edit").is(http.StatusOK, "Subtitle", "a</textarea>", "b</textarea>", `name="version" value="1"`, "These rows render version 1 of the template").lacks("things are wrong", "is wrong")
	v.get("/batches/"+batch+"/edit?template="+card.ID+"&composition=main").is(http.StatusOK, "2 rows have another template, composition or version (main, version 1)", "version=1")
	form := append(sent(t, a, batch), field{name: "version", value: "1"}, field{name: "drawn", value: "1"}, field{name: "pick", value: "1"}, field{name: "cell:2:2", value: "c"}, field{name: "do", value: "order"})
	v.sends("/files/table", form...).is(http.StatusOK)
	_, jobs, err := r.farm.Batch(t.Context(), r.principal("ada"), batch)
	if err != nil {
		t.Fatal(err)
	}
	for _, job := range jobs {
		if job.Template.Version != 1 {
			t.Errorf("%s renders version %d", job.Name, job.Template.Version)
		}
		if job.Name == "One" && (job.Status.Ended() || string(job.Assets[0].Value) != `"c"`) {
			t.Errorf("the new take is %+v", job)
		}
	}
}
