package tray

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"overcrank/agent/control"
	"overcrank/agent/presence"
	"overcrank/farm"
	"overcrank/farm/wire"
)

var verbs = regexp.MustCompile(`%[a-z%]|%[^a-z]`)

// TestNoLanguageLacksAWord: and each says the same things of a sentence, in the same order.
func TestNoLanguageLacksAWord(t *testing.T) {
	english := reflect.ValueOf(languages["en"])
	for _, code := range []string{"en", "de", "fr"} {
		say, known := languages[code]
		if !known {
			t.Errorf("the tray does not speak %s", code)
			continue
		}
		for i, v := 0, reflect.ValueOf(say); i < v.NumField(); i++ {
			name, text := v.Type().Field(i).Name, v.Field(i).String()
			if text == "" {
				t.Errorf("%s has no words for %s", code, name)
			}
			if got, want := verbs.FindAllString(text, -1), verbs.FindAllString(english.Field(i).String(), -1); !slices.Equal(got, want) {
				t.Errorf("%s: %s has %q, English has %q", code, name, got, want)
			}
			if code != "en" && text == english.Field(i).String() {
				t.Errorf("%s: %s is English: %q", code, name, text)
			}
		}
	}
}

func TestTheSystemsLanguageIsSpoken(t *testing.T) {
	for _, c := range []struct {
		locales []string
		want    string
	}{
		{nil, "en"}, {[]string{"C.UTF-8"}, "en"}, {[]string{"de_AT.UTF-8"}, "de"}, {[]string{"fr-CA"}, "fr"}, {[]string{"", "de"}, "de"},
		{[]string{"pl_PL", "fr_FR"}, "fr"}, {[]string{"en_GB", "de_DE"}, "en"}, {[]string{"POSIX"}, "en"},
	} {
		if got := speak(c.locales); got != languages[c.want] {
			t.Errorf("%q: it says %q", c.locales, got.Resume)
		}
	}
}

func TestTheMenuSaysWhatTheAgentDoes(t *testing.T) {
	now := time.Date(2026, 11, 23, 14, 0, 0, 0, time.Local)
	free := control.Status{Linked: true, Coordinator: "https://farm:8080", Presence: farm.Availability{Presence: farm.PresenceFree}}
	with := func(change func(*control.Status)) control.Status {
		s := free
		change(&s)
		return s
	}
	away := func(reason string) control.Status {
		return with(func(s *control.Status) {
			s.Presence = farm.Availability{Presence: farm.PresenceAway, Reason: reason}
		})
	}
	film := control.Work{Name: "Titles", Task: "tsk_1", Progress: 41.7, Picture: true}
	say := languages["en"]
	for name, c := range map[string]struct {
		status control.Status
		err    error
		sign   Sign
		state  string
	}{
		"free":               {free, nil, Free, "Ready, waiting for work"},
		"no agent":           {control.Status{}, fmt.Errorf("%w here", control.ErrNoAgent), Trouble, "The Overcrank agent is not running"},
		"an error":           {control.Status{}, errors.New("it refuses"), Trouble, "That did not work: it refuses"},
		"no farm":            {with(func(s *control.Status) { s.Linked = false }), nil, Trouble, "The farm does not answer"},
		"of another version": {with(func(s *control.Status) { s.Linked, s.UpdatesOnly = false, true }), nil, Trouble, "Waiting for an update"},
		"somebody works":     {away(presence.ReasonInput), nil, Away, "You are working: it renders when you are away"},
		"on battery":         {away(presence.ReasonBattery), nil, Away, "On battery: not rendering"},
		"outside its hours":  {away("outside its hours"), nil, Away, "Not rendering now"},
		"drained":            {with(func(s *control.Status) { s.Standing = wire.Standing{State: farm.MachineDrained} }), nil, Away, "Not rendering now"},
		"rendering":          {with(func(s *control.Status) { s.Working = []control.Work{film} }), nil, Rendering, "Rendering Titles, 41 %"},
		"nameless":           {with(func(s *control.Status) { s.Working = []control.Work{{}} }), nil, Rendering, "Rendering a film, 0 %"},
		"paused":             {with(func(s *control.Status) { s.Pause.On = true }), nil, Away, "Paused"},
		"paused until later": {with(func(s *control.Status) { s.Pause = presence.Pause{On: true, Until: now.Add(time.Hour)} }), nil, Away, "Paused until 15:00"},
		"paused for days":    {with(func(s *control.Status) { s.Pause = presence.Pause{On: true, Until: now.Add(48 * time.Hour)} }), nil, Away, "Paused until 2026-11-25 14:00"},
	} {
		m := menuOf(c.status, c.err, say, now)
		if m.Sign != c.sign || m.State != c.state {
			t.Errorf("%s: it says %d %q, want %d %q", name, m.Sign, m.State, c.sign, c.state)
		}
		if m.CanAsk != (c.err == nil) || m.CanGive != (len(c.status.Working) > 0) || m.Paused != c.status.Pause.On || m.Paused != (m.Pause == say.Resume) {
			t.Errorf("%s: the choices are wrong: %+v", name, m)
		}
	}
	m := menuOf(with(func(s *control.Status) { s.Working, s.NeverOnBattery = slices.Repeat([]control.Work{film}, 5), true }), nil, say, now)
	if len(m.Work) != 4 || m.Work[3] != "and 2 more" || m.Progress != 41 || m.Picture != "tsk_1" || !m.Never {
		t.Errorf("five renders: %+v", m)
	}
}

// TestOnlyAPageIsOpened: the address may come from the farm, and goes to a program of the system.
func TestOnlyAPageIsOpened(t *testing.T) {
	for address, want := range map[string]string{
		"https://farm:8080": "https://farm:8080/", "http://10.0.0.1:8080/base?x=1": "http://10.0.0.1:8080/", "": "", "file:///etc/passwd": "", "farm:8080": "",
		"javascript:alert(1)": "", "https://": "", "--help": "", "https://user:pw@farm": "", "\x00": "",
	} {
		if got := dashboard(address); got != want {
			t.Errorf("%q: it opens %q, want %q", address, got, want)
		}
	}
}

func TestIconsDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, c := range []struct {
		sign    Sign
		percent int
	}{{Trouble, 0}, {Free, 0}, {Away, 0}, {Rendering, 0}, {Rendering, 50}, {Rendering, 100}} {
		img := icon(c.sign, c.percent)
		text, err := encode(img)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint(c)
		if other, same := seen[string(text)]; same {
			t.Errorf("%s looks like %s", name, other)
		}
		seen[string(text)] = name
		if windows := ico(img); len(windows) != 6+16+40+4*iconSide*iconSide+iconSide*iconSide/8 || !bytes.HasPrefix(windows, []byte{0, 0, 1, 0, 1, 0, iconSide, iconSide}) {
			t.Errorf("%s: Windows' icon has %d bytes: %x", name, len(windows), windows[:22])
		}
	}
}

func TestAPictureFitsTheMenu(t *testing.T) {
	frame := image.NewRGBA(image.Rect(0, 0, 320, 180))
	for x := range 320 {
		for y := range 180 {
			frame.Set(x, y, color.RGBA{0xc0, 0x20, 0x20, 0xff})
		}
	}
	var text bytes.Buffer
	if err := jpeg.Encode(&text, frame, nil); err != nil {
		t.Fatal(err)
	}
	small, ok := picture(text.Bytes())
	if !ok || small.Bounds().Dx() != 64 || small.Bounds().Dy() != 36 {
		t.Fatalf("it is %v", small)
	}
	if r, g, _, _ := small.At(30, 20).RGBA(); r < 0xb000 || g > 0x3000 {
		t.Errorf("its colour is %x %x", r, g)
	}
	for name, damaged := range map[string][]byte{"nothing": nil, "half": text.Bytes()[:text.Len()/2], "text": []byte("no picture")} {
		if _, ok := picture(damaged); ok && name != "half" {
			t.Errorf("%s is a picture", name)
		}
	}
}
