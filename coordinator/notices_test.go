package coordinator_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"overcrank/coordinator"
	"overcrank/coordinator/notices"
	"overcrank/coordinator/notices/mailtest"
	"overcrank/coordinator/people"
	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/web/language"
)

// notify has the administrator of a farm told of everything in a chat.
func (r *rig) notify(chat *receiver, edit ...func(*notices.Change)) {
	r.t.Helper()
	change := notices.Change{About: farm.Happenings(), Chat: &notices.Chat{Kind: farm.ChatSlack, Address: farm.NewConfidential(chat.URL + "/services/secret-part")}}
	for _, e := range edit {
		e(&change)
	}
	r.eventually("the farm keeps what people want to be told of", func() bool {
		_, err := r.Notices().Put(r.t.Context(), r.admin, change)
		if err != nil && farm.CodeOf(err) != farm.CodeUnavailable {
			r.t.Fatal(err)
		}
		return err == nil
	})
}

// told is how telling the administrator in a chat goes.
func (r *rig) told() farm.NoticeQueue {
	r.t.Helper()
	s, err := r.Notices().Settings(r.t.Context(), r.admin)
	if err != nil {
		r.t.Fatal(err)
	}
	return s.Ways[farm.ByChat]
}

func TestAChatIsToldOfAJob(t *testing.T) {
	r := open(t)
	chat := listen(t, taken)
	r.notify(chat)
	mac := r.enrol("mac")
	mac.connect()
	job := r.submit(func(j *farm.Job) { j.Name = "Opener <!channel>\n2" })
	mac.finish(mac.lease(), "film")
	r.eventually("the message is sent", func() bool { return r.told().Number == 1 })
	want := `{"text":"Opener \u0026lt;!channel\u0026gt; 2 has finished\n` + publicAddress + "/jobs/" + job.ID + `","mrkdwn":false,"unfurl_links":false}`
	calls := chat.heard()
	if len(calls) != 1 || calls[0].body != want || calls[0].path != "/services/secret-part" {
		t.Errorf("heard %+v, want %s", calls, want)
	}
}

func TestQuietHoursAreToldOfInOneMessage(t *testing.T) {
	now := &clock{now: time.Date(2026, 5, 4, 23, 0, 0, 0, time.UTC)}
	r := open(t, now.config)
	chat := listen(t, taken)
	r.notify(chat, func(c *notices.Change) { c.Quiet = &notices.Quiet{Hours: "22:00-08:00", Zone: "Europe/Berlin"} })
	mac := r.enrol("mac")
	mac.connect()
	for i := range 3 {
		r.submit(func(j *farm.Job) { j.Name = fmt.Sprintf("film %d", i) })
		mac.finish(mac.lease(), "film")
	}
	r.eventually("all of them wait", func() bool { return len(r.told().Waiting) == 3 })
	mac.hangUp()
	r.restart()
	if calls := chat.heard(); len(calls) != 0 {
		t.Errorf("told in the night: %+v", calls)
	}
	now.pass(7*time.Hour + time.Minute) // 08:01 in Berlin
	r.eventually("the message is sent", func() bool { return r.told().Number == 1 })
	calls := chat.heard()
	if len(calls) != 1 || !strings.Contains(calls[0].body, "3 things happened to your jobs") || !strings.Contains(calls[0].body, "film 2 has finished") {
		t.Errorf("heard %+v", calls)
	}
}

func TestNoticesAreTriedAgainAndSurviveARestart(t *testing.T) {
	now := newClock()
	r := open(t, now.config)
	var mu sync.Mutex
	broken := true
	chat := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if broken {
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	r.notify(chat)
	mac := r.enrol("mac")
	mac.connect()
	r.submit()
	mac.finish(mac.lease(), "film")
	r.eventually("the try is kept", func() bool { return r.told().Tries == 1 })
	if q := r.told(); q.Error != "the receiver answered 502" || len(q.Waiting) != 1 {
		t.Errorf("after the first try: %+v", q)
	}
	mu.Lock()
	broken = false
	mu.Unlock()
	mac.hangUp()
	r.restart()
	now.pass(20 * time.Second)
	r.eventually("the message is sent", func() bool { return r.told().Number == 1 })
	calls := chat.heard()
	if len(calls) != 2 || calls[0].body != calls[1].body {
		t.Errorf("heard %+v", calls)
	}
	if q := r.told(); len(q.Waiting) != 0 || q.Error != "" {
		t.Errorf("at the end: %+v", q)
	}
}

func TestATestTellsTheTrueOutcome(t *testing.T) {
	denied, err := address.ParsePolicy(nil, []string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		answer  http.HandlerFunc
		policy  address.Policy
		problem string
	}{
		"taken":     {answer: taken},
		"refused":   {answer: answering(http.StatusNotFound), problem: "the receiver answered 404"},
		"forbidden": {answer: taken, policy: denied, problem: "the receiver cannot be asked: the address is not allowed by this farm"},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, func(cfg *coordinator.Config) { cfg.Addresses = test.policy })
			r.notify(listen(t, test.answer))
			problem, err := r.Notices().Test(t.Context(), r.admin, farm.ByChat)
			if err != nil || problem != test.problem {
				t.Errorf("got %q, %v; want %q", problem, err, test.problem)
			}
			_, err = r.Notices().Test(t.Context(), r.admin, farm.ByMail)
			wantCode(t, err, farm.CodeConflict)
			for range 10 {
				_, err = r.Notices().Test(t.Context(), r.admin, farm.ByChat)
			}
			wantCode(t, err, farm.CodeRateLimited)
		})
	}
}

func TestNoticeSettingsAreChecked(t *testing.T) {
	r := open(t)
	chat := func(kind farm.ChatKind, address string) notices.Change {
		return notices.Change{Chat: &notices.Chat{Kind: kind, Address: farm.NewConfidential(address)}}
	}
	quiet := func(hours, zone string) notices.Change {
		return notices.Change{Quiet: &notices.Quiet{Hours: hours, Zone: zone}}
	}
	for name, change := range map[string]notices.Change{
		"an address that is none":         chat(farm.ChatSlack, "file:///etc/passwd"),
		"a chat that cannot be told":      chat("", "https://chat.example/hooks/x"),
		"a chat that is not known":        chat("irc", "https://chat.example/hooks/x"),
		"an address that is kept of none": {Chat: &notices.Chat{Keep: true}},
		"hours that are none":             quiet("late", "Europe/Berlin"),
		"a zone that is none":             quiet("22:00-07:00", "Mars/Base"),
		"a zone outside of the database":  quiet("22:00-07:00", "../../etc/passwd"),
		"hours without an end":            quiet("00:00-24:00", "Europe/Berlin"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.Notices().Put(t.Context(), r.admin, change)
			wantCode(t, err, farm.CodeInvalid)
		})
	}
	_, err := r.Notices().Put(context.Background(), r.admin, notices.Change{Mail: true})
	wantCode(t, err, farm.CodeConflict)
}

// TestPeopleAreToldInTheLanguageThatTheyRead has a German told by e-mail, and somebody with a browser in French in a chat.
func TestPeopleAreToldInTheLanguageThatTheyRead(t *testing.T) {
	post := mailtest.Open(t, mailtest.Plaintext, func(*mailtest.Server) {})
	mailer, err := notices.NewMailer(notices.MailServer{Address: post.Address, From: "farm@studio.example", TLS: notices.MailPlaintext})
	if err != nil {
		t.Fatal(err)
	}
	r := open(t, func(cfg *coordinator.Config) { cfg.Mail, cfg.Teller = mailer, language.Teller{} })
	chat := listen(t, taken)
	r.notify(chat)
	if err := r.Notices().NoteBrowserLanguage(t.Context(), r.admin, farm.French); err != nil {
		t.Fatal(err)
	}
	token, _, err := r.MakeToken(t.Context(), r.admin, people.NewToken{Name: "mia", Role: farm.RoleArtist, Person: true, Email: "mia@studio.example"})
	if err != nil {
		t.Fatal(err)
	}
	mia := farm.Principal{TokenID: token.ID, Team: token.Team, Name: token.Name, Role: token.Role}
	german, unknown := farm.German, farm.Language("xx")
	wanted := notices.Change{About: farm.Happenings(), Mail: true, Language: &german}
	if s, err := r.Notices().Put(t.Context(), mia, wanted); err != nil || s.Language != farm.German || s.Reads != farm.German {
		t.Fatalf("mia has %+v, %v", s, err)
	}
	_, err = r.Notices().Put(t.Context(), mia, notices.Change{Language: &unknown})
	wantCode(t, err, farm.CodeInvalid)

	mac := r.enrol("mac")
	mac.connect()
	job, err := r.Submit(t.Context(), mia, farm.Job{Name: "Öffner", Template: farm.JobTemplate{ID: r.uploaded(project(t, []string{"main"})).ID, Composition: "main"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Notices().Watch(t.Context(), r.admin, job.ID, true); err != nil {
		t.Fatal(err)
	}
	mac.fail(mac.lease(), "the disk of machine 'mac' is full", false)
	r.eventually("the e-mail is sent", func() bool { return len(post.Letters()) == 1 })
	link := publicAddress + "/jobs/" + job.ID
	const failed = "Öffner ist fehlgeschlagen: Der Datenträger des Rechners „mac“ ist voll"
	head, subject, text, err := post.Letters()[0].Read()
	if err != nil || subject != failed || head.Get("Content-Language") != "de" ||
		strings.TrimSpace(text) != failed+"\n"+link+"\n\n-- \nWorüber Sie benachrichtigt werden, und wie: "+publicAddress+"/account" {
		t.Errorf("the e-mail is %q, %q, %v, %v", subject, text, head, err)
	}
	r.eventually("the chat is told", func() bool { return r.told().Number == 1 })
	want := `{"text":"Öffner a échoué : le disque de la machine « mac » est plein\n` + link + `","mrkdwn":false,"unfurl_links":false}`
	if calls := chat.heard(); len(calls) != 1 || calls[0].body != want {
		t.Errorf("heard %+v, want %s", calls, want)
	}
}
