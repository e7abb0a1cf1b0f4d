package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// machine is an enrolled agent that does what a test tells it.
type machine struct {
	r      *rig
	secret string
	ws     *websocket.Conn
}

func inventory() farm.Inventory {
	return farm.Inventory{
		OS: "linux", Arch: "amd64", CPUs: 4, Memory: 8 << 30, Version: "0.1.0", Slots: 1,
		Engines: []farm.EngineInfo{{Kind: "embedded", Version: "0.1.0"}},
	}
}

func (r *rig) enrol(name string) *machine {
	r.t.Helper()
	var enrolled wire.Enrolled
	r.send(http.MethodPost, wire.PathEnrol, wire.Enrol{Name: name, Inventory: inventory()}, "Authorization: Bearer "+r.farm.JoinToken()).
		into(http.StatusCreated, &enrolled)
	return &machine{r: r, secret: enrolled.Secret}
}

func (m *machine) auth() string { return "Authorization: Bearer " + m.secret }

// connect opens the session and waits until the farm has welcomed the machine.
func (m *machine) connect() {
	m.r.t.Helper()
	m.dial()
	m.say(wire.Message{Hello: &wire.Hello{Version: wire.Version, Name: "suite-1", Inventory: inventory().Hash()}})
	if got := m.hear(); got.Welcome == nil {
		m.r.t.Fatalf("the farm greets with %+v, want a welcome", got)
	}
}

func (m *machine) dial() {
	m.r.t.Helper()
	header := http.Header{"Authorization": {"Bearer " + m.secret}}
	ws, res, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(m.r.base, "http")+wire.PathSession, header)
	if err != nil {
		m.r.t.Fatalf("opening the session: %v, %v", err, res)
	}
	m.ws = ws
	m.r.t.Cleanup(func() { ws.Close() })
}

func (m *machine) say(message wire.Message) {
	m.r.t.Helper()
	if err := m.ws.WriteJSON(message); err != nil {
		m.r.t.Fatal(err)
	}
}

func (m *machine) hear() (message wire.Message) {
	m.r.t.Helper()
	if err := m.ws.SetReadDeadline(time.Now().Add(patience)); err != nil {
		m.r.t.Fatal(err)
	}
	if err := m.ws.ReadJSON(&message); err != nil {
		m.r.t.Fatal(err)
	}
	return message
}

// put sends a file about an attempt.
func (m *machine) put(path string, at wire.Attempt, name string, body any) answer {
	m.r.t.Helper()
	return m.r.send(http.MethodPut, fmt.Sprintf("%s%s/%d/%s", path, at.Task, at.Attempt, name), body, m.auth())
}

func picture(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 16, 9)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAJobFromItsLeaseToItsResult(t *testing.T) {
	r := start(t)
	var kept struct{ Src, SHA256 string }
	r.send(http.MethodPost, "/api/farm/v1/files?name=logo.png", "pixels").into(http.StatusCreated, &kept)
	job := r.submit(`{"template": {"src": "https://files.example/a.aep", "composition": "main"},
		"assets": [{"type": "image", "layerName": "logo", "src": "` + kept.Src + `"}]}`)
	m := r.enrol("suite-1")
	m.connect()
	lease := m.hear().Lease
	if lease == nil || lease.Job != job.ID || lease.Files[kept.Src].SHA256 != kept.SHA256 {
		t.Fatalf("the lease is %+v", lease)
	}
	if got := r.get(wire.PathFiles+kept.SHA256, m.auth()).into(http.StatusOK, nil); string(got.body) != "pixels" {
		t.Errorf("the file of the lease holds %q", got.body)
	}
	r.get(wire.PathFiles+strings.Repeat("0", 64), m.auth()).refused(http.StatusNotFound)
	r.get(wire.PathFiles+"..%2fjoin.token", m.auth()).refused(http.StatusNotFound)

	m.say(wire.Message{Progress: &wire.Progress{Attempt: lease.Attempt, Percent: 40, Frame: 3, Phase: "rendering", FramesTotal: 10}})
	m.say(wire.Message{Log: &wire.Log{Attempt: lease.Attempt, Lines: []string{"PROGRESS: frame 3"}}})
	var now jobAnswer
	r.eventually("the job renders", func() bool {
		r.get("/api/v2/jobs/"+job.ID).into(http.StatusOK, &now)
		return now.Status == "render:dorender" && now.Progress == 40
	})
	m.put(wire.PathThumbnail, lease.Attempt, "3", picture(t)).into(http.StatusNoContent, nil)
	m.put(wire.PathThumbnail, lease.Attempt, "4", "<html>").refused(http.StatusBadRequest, "JPEG")
	m.put(wire.PathThumbnail, lease.Attempt, "5", make([]byte, 257<<10)).refused(http.StatusRequestEntityTooLarge)
	m.put(wire.PathThumbnail, lease.Attempt, "-1", picture(t)).refused(http.StatusBadRequest)
	var thumbnails []struct {
		Frame int
		URL   string
	}
	r.get("/api/farm/v1/jobs/"+job.ID+"/thumbnails").into(http.StatusOK, &thumbnails)
	if len(thumbnails) != 1 || thumbnails[0].Frame != 3 {
		t.Fatalf("the thumbnails are %+v", thumbnails)
	}
	if got := r.get(thumbnails[0].URL).into(http.StatusOK, nil); got.header.Get("Content-Type") != "image/jpeg" || !bytes.Equal(got.body, picture(t)) {
		t.Errorf("the thumbnail is %d bytes of %s", len(got.body), got.header.Get("Content-Type"))
	}
	r.inParts(thumbnails[0].URL, picture(t))
	r.send(http.MethodPatch, "/api/v2/jobs/"+job.ID+"/cancel", nil).refused(http.StatusConflict)

	film := []byte(strings.Repeat("film", 1000))
	other := wire.Attempt{Task: lease.Task, Attempt: lease.Attempt.Attempt + 1}
	m.put(wire.PathOutput, other, "result.mp4", film).refused(http.StatusConflict)
	m.put(wire.PathOutput, lease.Attempt, "..%2fresult.mp4", film).refused(http.StatusBadRequest)
	var out farm.OutputRef
	m.put(wire.PathOutput, lease.Attempt, "result.mp4", film).into(http.StatusOK, &out)
	if out.Size != int64(len(film)) {
		t.Fatalf("the farm got %+v", out)
	}
	out.Frames = 10
	m.say(wire.Message{Finished: &wire.Finished{Attempt: lease.Attempt, Output: out}})
	for settled := false; !settled; {
		settled = m.hear().Settled != nil
	}
	r.get("/api/v2/jobs/"+job.ID).into(http.StatusOK, &now)
	if now.Status != "finished" || now.Progress != 100 || now.Stats.FinishedAt == nil || now.Stats.RenderDuration == nil || now.Stats.Error != nil {
		t.Errorf("the finished job reads %+v %+v", now, now.Stats)
	}

	r.inParts(now.OutputURL, film)
	got := r.get(now.OutputURL, "Authorization:").into(http.StatusOK, nil)
	if !bytes.Equal(got.body, film) || got.header.Get("Content-Type") != "video/mp4" || got.header.Get("ETag") == "" {
		t.Errorf("the result is %d bytes, %v", len(got.body), got.header)
	}
	log := r.get("/api/v2/jobs/"+job.ID+"/logs").into(http.StatusOK, nil)
	if !bytes.Contains(log.body, []byte("PROGRESS: frame 3")) {
		t.Errorf("the log reads %s", log.body)
	}
	for name, want := range map[string]string{
		"Content-Type": "text/plain; charset=utf-8", "Content-Disposition": `inline; filename="` + job.ID + `.log"`, "X-Content-Type-Options": "nosniff",
	} {
		if got := log.header.Get(name); got != want {
			t.Errorf("the log's %s is %q, want %q", name, got, want)
		}
	}
	// A reader that follows goes on where it stopped.
	r.inParts("/api/v2/jobs/"+job.ID+"/logs", log.body)
	size := len(log.body)
	rest := r.get("/api/v2/jobs/"+job.ID+"/logs", fmt.Sprintf("Range: bytes=%d-", size-5)).into(http.StatusPartialContent, nil)
	if string(rest.body) != string(log.body[size-5:]) {
		t.Errorf("the rest of the log is %q", rest.body)
	}
	r.get("/api/v2/jobs/"+job.ID+"/logs", fmt.Sprintf("Range: bytes=%d-", size)).refused(http.StatusRequestedRangeNotSatisfiable)

	var machines []struct {
		Name    string
		Online  bool
		Secret  any `json:"secretHash"`
		Running []any
	}
	r.get("/api/farm/v1/machines").into(http.StatusOK, &machines)
	if len(machines) != 1 || machines[0].Name != "suite-1" || !machines[0].Online || machines[0].Secret != nil {
		t.Errorf("the machines are %+v", machines)
	}
}

// finish renders a job to a film, as far as the farm can see.
func (m *machine) finish(film []byte) {
	m.r.t.Helper()
	lease := m.hear().Lease
	if lease == nil {
		m.r.t.Fatal("the machine got no lease")
	}
	var out farm.OutputRef
	m.put(wire.PathOutput, lease.Attempt, "result."+lease.Ext, film).into(http.StatusOK, &out)
	m.say(wire.Message{Finished: &wire.Finished{Attempt: lease.Attempt, Output: out}})
	for settled := false; !settled; {
		settled = m.hear().Settled != nil
	}
}

func TestARenderingJobStopsWhenForced(t *testing.T) {
	r := start(t)
	job := r.submit(srcJob)
	m := r.enrol("suite-1")
	m.connect()
	lease := m.hear().Lease
	if lease == nil {
		t.Fatal("the machine got no lease")
	}
	path := "/api/v2/jobs/" + job.ID + "/cancel"
	r.send(http.MethodPatch, path, nil).refused(http.StatusConflict)
	r.send(http.MethodPatch, path+"?force=perhaps", nil).refused(http.StatusBadRequest, "force")
	r.send(http.MethodPatch, path+"?force=true", nil).into(http.StatusOK, nil)
	if got := m.hear(); got.Cancel == nil || got.Cancel.Attempt != lease.Attempt {
		t.Errorf("the machine hears %+v, want a cancel", got)
	}
}

func TestAgentsAddressesWantAnAgentsSecret(t *testing.T) {
	r := start(t)
	at := wire.Attempt{Task: unknownID + ".1", Attempt: 1}
	for _, secret := range []string{"", "nonsense", r.token, r.farm.JoinToken()} {
		m := &machine{r: r, secret: secret}
		r.get(wire.PathSession, m.auth()).refused(http.StatusUnauthorized)
		r.get(wire.PathFiles+strings.Repeat("0", 64), m.auth()).refused(http.StatusUnauthorized)
		m.put(wire.PathOutput, at, "a.mp4", "x").refused(http.StatusUnauthorized)
		m.put(wire.PathThumbnail, at, "1", picture(t)).refused(http.StatusUnauthorized)
	}
	for _, token := range []string{"", "nonsense", r.token} {
		r.send(http.MethodPost, wire.PathEnrol, wire.Enrol{Name: "x"}, "Authorization: Bearer "+token).refused(http.StatusUnauthorized)
	}
	r.send(http.MethodPost, wire.PathEnrol, `{"name": 1}`, "Authorization: Bearer "+r.farm.JoinToken()).refused(http.StatusBadRequest)
	m := r.enrol("suite-1")
	r.get("/api/v2/jobs", m.auth()).refused(http.StatusUnauthorized)
	m.put(wire.PathOutput, at, "a.mp4", "x").refused(http.StatusConflict)
	m.put(wire.PathOutput, wire.Attempt{Task: at.Task, Attempt: 0}, "a.mp4", "x").refused(http.StatusBadRequest)
	r.get(wire.PathSession, m.auth()).refused(http.StatusUpgradeRequired)
}

func TestAnAgentOfAnotherReleaseIsToldToUpdate(t *testing.T) {
	r := start(t)
	for version, machine := range map[int]string{wire.Version - 1: "the agent's machine", wire.Version + 1: "the farm's server"} {
		m := r.enrol("suite-1")
		m.dial()
		m.say(wire.Message{Hello: &wire.Hello{Version: version, Name: "suite-1", Inventory: inventory().Hash()}})
		if err := m.ws.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		_, _, err := m.ws.ReadMessage()
		if !websocket.IsCloseError(err, websocket.ClosePolicyViolation) || !strings.HasSuffix(err.Error(), "update overcrank on "+machine) {
			t.Errorf("version %d: the session ended with %v", version, err)
		}
	}
}

func TestASessionThatSpeaksNonsenseEnds(t *testing.T) {
	r := start(t)
	m := r.enrol("suite-1")
	m.dial()
	if err := m.ws.WriteMessage(websocket.TextMessage, []byte("{")); err != nil {
		t.Fatal(err)
	}
	var message json.RawMessage
	if err := m.ws.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if err := m.ws.ReadJSON(&message); !websocket.IsCloseError(err, websocket.CloseInvalidFramePayloadData) {
		t.Fatalf("the session gives %s and %v, want its end", message, err)
	}
}
