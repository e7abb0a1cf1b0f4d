package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestNotificationsOfTheCaller(t *testing.T) {
	r := start(t)
	const path = "/api/farm/v1/me/notifications"
	status := http.StatusOK
	chat := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	defer chat.Close()
	var settings struct {
		About    []string
		Chat     *struct{ Kind, Host string }
		Language *string
		ToldIn   string
	}
	r.get(path).into(http.StatusOK, &settings)
	if len(settings.About) != 0 || settings.Chat != nil || settings.Language != nil || settings.ToldIn != "en" {
		t.Errorf("at first: %+v", settings)
	}
	leveled(r, r.token)
	body := `{"about": ["failed", "finished"], "email": false, "chat": {"kind": "teams", "url": "` + chat.URL + `/secret"}, "quietHours": {"hours": "22:00-07:00", "timeZone": "Europe/Berlin"}}`
	kept := r.send(http.MethodPut, path, body)
	kept.into(http.StatusOK, &settings)
	if settings.Chat == nil || settings.Chat.Kind != "teams" || strings.Contains(string(kept.body), "secret") {
		t.Errorf("kept: %s", kept.body)
	}
	r.send(http.MethodPut, path, `{"about": ["batch"], "chat": {"kind": "discord"}, "language": "fr"}`).into(http.StatusOK, &settings)
	if settings.Chat == nil || settings.Chat.Kind != "discord" || "http://"+settings.Chat.Host != chat.URL {
		t.Errorf("kept with the address of before: %+v", settings)
	}
	for _, change := range []struct{ language, toldIn string }{{"", "fr"}, {`, "language": "de"`, "de"}, {`, "language": null`, "en"}} {
		r.send(http.MethodPut, path, `{"about": [], "chat": {"kind": "discord"}`+change.language+`}`).into(http.StatusOK, &settings)
		if settings.ToldIn != change.toldIn {
			t.Errorf("%s: told in %s", change.language, settings.ToldIn)
		}
	}
	var test struct {
		Sent    bool
		Problem *string
	}
	r.send(http.MethodPost, path+"/test", `{"way": "chat"}`).into(http.StatusOK, &test)
	if !test.Sent || test.Problem != nil {
		t.Errorf("a test that was taken: %+v", test)
	}
	status = http.StatusGone
	r.send(http.MethodPost, path+"/test", `{"way": "chat"}`).into(http.StatusOK, &test)
	if test.Sent || test.Problem == nil || *test.Problem != "the receiver answered 410" {
		t.Errorf("a test that was not taken: %+v", test)
	}
}
