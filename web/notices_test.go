package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"overcrank/farm"
)

func TestSomebodySaysWhatToBeToldOfAndTriesIt(t *testing.T) {
	r := start(t)
	v := r.as("art")
	taken := make(chan struct{}, 10)
	chat := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { taken <- struct{}{} }))
	defer chat.Close()
	v.get("/account").is(http.StatusOK, "Notifications", "This farm sends no e-mail").lacks("Send a test")
	form := url.Values{"about": {"finished", "batch"}, "chat": {"1"}, "chatUrl": {chat.URL + "/whoever-knows"}, "chatKind": {"slack"}, "quiet": {"1"}, "quietHours": {"22:00-07:00"}, "quietZone": {"Europe/Berlin"}}
	r.eventually("the farm keeps what people want to be told of", func() bool {
		return v.post("/account/notifications", form).status == http.StatusOK
	})
	host := strings.TrimPrefix(chat.URL, "http://")
	v.get("/account").is(http.StatusOK, `value="finished" checked`, "kept for "+host, "22:00-07:00", "Europe/Berlin", "Send a test chat message").lacks("whoever-knows", `value="failed" checked`)
	v.post("/account/notifications/test", url.Values{"way": {"chat"}}).is(http.StatusOK, "The test chat message was sent.")
	<-taken
	chat.Close()
	v.post("/account/notifications/test", url.Values{"way": {"chat"}}).is(http.StatusOK, "was not sent: the receiver cannot be asked")
	v.post("/account/notifications/test", url.Values{"way": {"email"}}).is(http.StatusConflict, "Your settings do not use e-mail")
	form["about"], form["quietHours"] = []string{"failed"}, []string{"late"}
	v.post("/account/notifications", form).is(http.StatusBadRequest, "weekly window", `value="failed" checked`, `value="late"`).lacks(`value="finished" checked`, "whoever-knows")
	v.reads = "de"
	v.post("/account/notifications/test", url.Values{"way": {"chat"}}).is(http.StatusOK, "wurde nicht gesendet: der Empfänger kann nicht gefragt werden: Verbindung abgelehnt").lacks("connection refused")
	v.post("/account/notifications", form).is(http.StatusBadRequest, "Ruhezeiten: „late“ ist kein", "Uhrzeiten gehen von 00:00 bis 24:00", "Geben Sie die Adresse noch einmal ein").lacks("quietHours.hours", "weekly window", "whoever-knows")
	form["chatUrl"] = []string{""}
	v.post("/account/notifications", form).is(http.StatusBadRequest).lacks("Geben Sie die Adresse noch einmal ein")
}

func TestSomebodyIsToldWhenAJobIsDone(t *testing.T) {
	r := start(t)
	job := r.submit("art", "Opener")
	v := r.as("vic")
	path := "/jobs/" + job.ID
	v.get(path).is(http.StatusOK, "Tell me when it is done")
	r.eventually("the farm keeps who watches a job", func() bool { return v.post(path+"/watch", url.Values{"on": {"1"}}).status == http.StatusOK })
	v.get(path).is(http.StatusOK, "Don’t tell me", "only in browsers").lacks("Tell me when it is done")
	r.as("art").get(path).is(http.StatusOK, "Tell me when it is done")
	r.as("zoe").post(path+"/watch", url.Values{"on": {"1"}}).is(http.StatusNotFound)
	v.post(path+"/watch", nil).is(http.StatusOK, "Tell me when it is done").lacks("only in browsers")
}

func TestABrowserIsToldOfAJobThatIsDone(t *testing.T) {
	r := start(t)
	job := r.submit("art", "Opener")
	v := r.as("vic")
	r.eventually("the farm keeps who watches a job", func() bool {
		return v.post("/jobs/"+job.ID+"/watch", url.Values{"on": {"1"}}).status == http.StatusOK
	})
	v.reads = "de"
	home := v.live("home")
	home.shows("home", "Opener")
	if _, err := r.farm.CancelJobs(t.Context(), r.principal("ada"), []string{job.ID}, true); err != nil {
		t.Fatal(err)
	}
	got := home.next(func(p part) bool { return p.Notice != nil }).Notice
	if got.Text != "Opener wurde abgebrochen" || got.Path != "/jobs/"+job.ID || got.Tag != job.ID {
		t.Errorf("the browser is told %+v", got)
	}
	vic := r.principal("vic")
	id := farm.NoticeID(vic.TokenID, farm.Notice{About: farm.HappenedEnded, Job: job.ID})
	if _, ok, err := r.farm.Notices().Show(t.Context(), vic, id); !ok || err != nil {
		t.Errorf("to whom it is for: %v, %v", ok, err)
	}
	for _, name := range []string{"art", "zoe"} {
		if _, ok, err := r.farm.Notices().Show(t.Context(), r.principal(name), id); ok || err != nil {
			t.Errorf("to %s: %v, %v", name, ok, err)
		}
	}
}
