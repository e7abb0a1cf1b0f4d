package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"overcrank/farm"
)

func TestAJobsPageSaysWhyItWaits(t *testing.T) {
	r := start(t)
	job := r.submit("art", "Spring spot")
	r.as("vic").get("/jobs/"+job.ID).is(http.StatusOK, "Why isn’t it running?", "No machine is online", "First in line").lacks("/order\"")
	r.as("zoe").get("/jobs/" + job.ID).is(http.StatusNotFound)
	german := r.as("vic")
	german.reads = "de"
	for _, path := range []string{"/jobs/" + job.ID, "/jobs", "/queue"} {
		german.get(path).is(http.StatusOK, "Kein Rechner ist verbunden: Starten Sie einen Agenten.").lacks("No machine is online")
	}
}

func TestAWaitingJobIsMovedInLine(t *testing.T) {
	r := start(t)
	job := r.submit("art", "Spring spot")
	art := r.as("art")
	art.get("/jobs/"+job.ID).is(http.StatusOK, "Place in the queue", "Move to the front", `value="overnight"`).lacks(`value="rush"`)
	art.post("/jobs/"+job.ID+"/order", url.Values{"level": {"rush"}}).is(http.StatusForbidden, "level rush", "Producer or higher", "choose the level normal")
	v := r.as("ada")
	v.get("/jobs/"+job.ID).is(http.StatusOK, `value="rush"`)
	v.post("/jobs/"+job.ID+"/order", url.Values{"level": {"rush"}, "priority": {"7"}, "notBefore": {"2040-01-02T03:04"}, "zone": {"-60"}}).is(http.StatusOK, "Rush, priority 7")
	got, err := r.farm.Job(t.Context(), r.principal("art"), job.ID)
	if err != nil || got.Level != farm.LevelRush || got.Priority != 7 || !got.NotBefore.Equal(time.Date(2040, 1, 2, 2, 4, 0, 0, time.UTC)) {
		t.Errorf("the job is %+v, %v", got, err)
	}
	v.post("/jobs/"+job.ID+"/order", url.Values{"level": {"rush"}, "front": {"1"}}).is(http.StatusOK, "priority 1000")
	art.get("/jobs/"+job.ID).is(http.StatusOK, `value="rush"`)
	art.post("/jobs/"+job.ID+"/order", url.Values{"level": {"rush"}, "priority": {"9"}}).is(http.StatusOK, "Rush, priority 9")
	v.post("/jobs/"+job.ID+"/order", url.Values{"level": {"soon"}}).is(http.StatusBadRequest, "Is rush, normal or overnight")
	r.as("vic").post("/jobs/"+job.ID+"/order", url.Values{"level": {"rush"}}).is(http.StatusForbidden)
	r.as("vic").post("/jobs/"+job.ID+"/approve", nil).is(http.StatusForbidden)
	r.as("art").post("/jobs/"+job.ID+"/approve", nil).is(http.StatusConflict)
}

func TestAPlaceInLineThatIsRefusedKeepsWhatWasTyped(t *testing.T) {
	r := start(t)
	job := r.submit("art", "Spring spot")
	art := r.as("art")
	a := art.post("/jobs/"+job.ID+"/order", url.Values{"level": {"overnight"}, "priority": {"many"}, "notBefore": {"2040-01-02T03:04"}, "zone": {"-60"}})
	a.is(http.StatusBadRequest, "<title>Spring spot", `id="order-title"`, `data-touched="1"`, `value="overnight" selected`, `name="priority" min="-1000" max="1000" value="many"`,
		`aria-describedby="priority-wrong"`, `id="priority-wrong">Has to be a whole number from -1000 to 1000`, `value="2040-01-02T03:04"`, `name="zone" value="-60"`, "The place in the queue was not changed")
	art.post("/jobs/"+job.ID+"/order", url.Values{"priority": {"5"}, "notBefore": {"soon"}}).is(http.StatusBadRequest, `id="notBefore-wrong">Has to be a day and a time`, `value="5"`)
	if got, err := r.farm.Job(t.Context(), r.principal("art"), job.ID); err != nil || got.Priority != 0 || got.Level == farm.LevelOvernight {
		t.Errorf("what was refused has changed the job: %+v, %v", got, err)
	}
}

func TestTheQueueTellsOfOtherTeamsOnlyThatTheyWait(t *testing.T) {
	r := start(t)
	r.submit("art", "Spring spot")
	r.submit("zoe", "Secret spot")
	r.as("vic").get("/queue").is(http.StatusOK, "Spring spot", `dir="auto">art</span>`, "another team", "No machine", "2 tasks wait").lacks("Secret spot", "Pause the farm")
	r.as("zoe").get("/queue").is(http.StatusOK, "Secret spot", "another team").lacks("Spring spot", "Pause the farm")
}

func TestAPausedFarmSaysSoOnEveryPage(t *testing.T) {
	r := start(t)
	v := r.as("ops")
	page := r.as("vic").live("jobs:")
	v.post("/queue/pause", nil).is(http.StatusOK, "Paused by ops", "Resume")
	page.next(func(p part) bool {
		return p.ID == "pause" && strings.Contains(p.HTML, "Paused by ops") && !strings.Contains(p.HTML, "<form")
	})
	v.post("/queue/levels/overnight/pause", nil).is(http.StatusOK, "Paused by ops", "Resume the level overnight")
	for _, path := range []string{"/", "/jobs", "/machines", "/settings/fonts"} {
		r.as("vic").get(path).is(http.StatusOK, "Paused by ops").lacks("/queue/resume")
	}
	v.post("/queue/resume", nil).is(http.StatusOK, "Pause the farm").lacks("Paused by")
	r.as("art").post("/queue/pause", nil).is(http.StatusForbidden)
	r.as("zoe").post("/queue/pause", nil).is(http.StatusForbidden)
	v.post("/queue/levels/soon/pause", nil).is(http.StatusNotFound)
}
