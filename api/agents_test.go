package api_test

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"overcrank/agent/identity"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// machine is an enrolled agent that does what a test tells it.
type machine struct {
	r    *rig
	self identity.Identity
	tls  *tls.Config
	http *http.Client
	ws   *websocket.Conn
}

func inventory() farm.Inventory {
	return farm.Inventory{
		OS: "linux", Arch: "amd64", CPUs: 4, Memory: 8 << 30, Version: "0.1.0", Slots: 1,
		Engines: []farm.EngineInfo{{Kind: "embedded", Version: "0.1.0"}},
	}
}

const pathJoinTokens = "/api/farm/v1/join-tokens"

// invite makes a join token.
func (r *rig) invite(body string) wire.JoinToken {
	r.t.Helper()
	var made struct{ JoinToken string }
	r.send(http.MethodPost, pathJoinTokens, body).into(http.StatusCreated, &made)
	token, err := wire.ParseJoinToken(made.JoinToken)
	if err != nil {
		r.t.Fatal(err)
	}
	return token
}

// over is a client with a way of its own to speak TLS.
func (r *rig) over(config *tls.Config) *http.Client {
	transport := &http.Transport{TLSClientConfig: config}
	r.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: patience}
}

func (r *rig) enrol(name string) *machine {
	r.t.Helper()
	token := r.invite(`{"name": "` + name + `"}`)
	m := &machine{r: r, self: identity.Identity{Key: newKey(r.t)}}
	r.sendBy(r.over(identity.FirstContact(token.Authority)), http.MethodPost, r.secure+wire.PathEnrol,
		wire.Enrol{Name: name, Inventory: inventory(), Request: requestOf(r.t, m.self.Key)}, bearer(token.Secret)).into(http.StatusCreated, &m.self.Enrolled)
	m.speak()
	return m
}

// speak makes the machine show what it has.
func (m *machine) speak() {
	m.r.t.Helper()
	var err error
	if m.tls, err = m.self.TLS(); err != nil {
		m.r.t.Fatal(err)
	}
	m.http = m.r.over(m.tls)
}

func newKey(t testing.TB) []byte {
	t.Helper()
	key, err := identity.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func requestOf(t testing.TB, key []byte) []byte {
	t.Helper()
	request, err := identity.Request(key)
	if err != nil {
		t.Fatal(err)
	}
	return request
}

// send makes a request over a connection that shows the machine's certificate.
func (m *machine) send(method, path string, body any) reply {
	m.r.t.Helper()
	return m.r.sendBy(m.http, method, m.r.secure+path, body, "Authorization:")
}

func (m *machine) get(path string) reply {
	m.r.t.Helper()
	return m.send(http.MethodGet, path, nil)
}

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
	ws, res, err := m.handshake()
	if err != nil {
		m.r.t.Fatalf("opening the session: %v, %v", err, res)
	}
	m.ws = ws
	m.r.t.Cleanup(func() { ws.Close() })
}

func (m *machine) handshake() (*websocket.Conn, *http.Response, error) {
	dialer := websocket.Dialer{TLSClientConfig: m.tls, HandshakeTimeout: patience}
	return dialer.Dial("wss"+strings.TrimPrefix(m.r.secure, "https")+wire.PathSession, nil)
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
func (m *machine) put(path string, at wire.Attempt, name string, body any) reply {
	m.r.t.Helper()
	return m.send(http.MethodPut, fmt.Sprintf("%s%s/%d/%s", path, at.Task, at.Attempt, name), body)
}

func picture(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 16, 9)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAMachineSendsItsFirstFrame(t *testing.T) {
	r := start(t)
	m := r.enrol("suite-1")
	m.send(http.MethodPut, wire.PathFrame, "no picture").refused(http.StatusBadRequest)
	m.send(http.MethodPut, wire.PathFrame, strings.Repeat("x", 1<<20)).refused(http.StatusRequestEntityTooLarge)
	m.send(http.MethodPut, wire.PathFrame, picture(t)).into(http.StatusNoContent, nil)
	for range 2 {
		m.send(http.MethodPut, wire.PathFrame, picture(t)).into(http.StatusNoContent, nil)
	}
	m.send(http.MethodPut, wire.PathFrame, picture(t)).refused(http.StatusTooManyRequests)
	r.enrol("suite-2").send(http.MethodPut, wire.PathFrame, picture(t)).into(http.StatusNoContent, nil)
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
	if got := m.get(wire.PathFiles+kept.SHA256).into(http.StatusOK, nil); string(got.body) != "pixels" {
		t.Errorf("the file of the lease holds %q", got.body)
	}
	m.get(wire.PathFiles + strings.Repeat("0", 64)).refused(http.StatusNotFound)
	m.get(wire.PathFiles + "..%2fjoin.token").refused(http.StatusNotFound)

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
	times := fmt.Sprintf("%s%s/%d", wire.PathTimes, lease.Task, lease.Attempt.Attempt)
	m.send(http.MethodPut, times, []byte(`{"step": 1, "of": [{"first": 3, "frames": 1, "took": 40, "slow": 3, "most": 40}]}`)).into(http.StatusNoContent, nil)
	m.send(http.MethodPut, times, []byte(`{"step": 0}`)).refused(http.StatusBadRequest, "cannot be read")
	m.send(http.MethodPut, times, make([]byte, 129<<10)).refused(http.StatusRequestEntityTooLarge)
	for line := range strings.Lines(r.logs.String()) { // there are dozens for each attempt
		if strings.Contains(line, "route="+wire.PathThumbnail) && !strings.Contains(line, "level=DEBUG") {
			t.Errorf("an ordinary log has %s", line)
		}
	}
	if taken := strings.Count(r.logs.String(), "route="+wire.PathThumbnail); taken != 4 {
		t.Errorf("the log has %d requests for thumbnails, want 4", taken)
	}
	proxy := wire.PathProxy + lease.Task + "/1"
	m.send(http.MethodPut, proxy, "\x00\x00\x00\x20ftypisom, a film").into(http.StatusNoContent, nil)
	m.send(http.MethodPut, proxy, "<html>").refused(http.StatusBadRequest, "no MP4")
	m.send(http.MethodPut, wire.PathProxy+lease.Task+"/7", "\x00\x00\x00\x20ftyp").refused(http.StatusConflict)
	m.send(http.MethodPut, wire.PathProxy+lease.Task+"/x", "").refused(http.StatusBadRequest)
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
	r.get("/api/farm/v1/agents").into(http.StatusOK, &machines)
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
	token := r.invite(`{}`)
	stranger := &machine{r: r, http: r.over(identity.FirstContact(token.Authority))}
	stranger.get(wire.PathSession).refused(http.StatusUnauthorized)
	stranger.get(wire.PathFiles + strings.Repeat("0", 64)).refused(http.StatusUnauthorized)
	stranger.put(wire.PathOutput, at, "a.mp4", "x").refused(http.StatusUnauthorized)
	stranger.put(wire.PathThumbnail, at, "1", picture(t)).refused(http.StatusUnauthorized)
	stranger.send(http.MethodPost, wire.PathRenew, wire.Renew{}).refused(http.StatusUnauthorized)
	for _, secret := range []string{"", "nonsense", r.token} {
		r.sendBy(stranger.http, http.MethodPost, r.secure+wire.PathEnrol, wire.Enrol{Name: "x"}, bearer(secret)).refused(http.StatusUnauthorized)
		for _, path := range []string{wire.PathSession, wire.PathFiles + strings.Repeat("0", 64)} {
			r.sendBy(stranger.http, http.MethodGet, r.secure+path, nil, bearer(secret)).refused(http.StatusUnauthorized)
		}
	}
	for _, wrong := range []string{`{"name": 1}`, `{"name": "x"}`, `{"name": "x", "request": "AAAA"}`, `{`} {
		r.sendBy(stranger.http, http.MethodPost, r.secure+wire.PathEnrol, wrong, bearer(token.Secret)).refused(http.StatusBadRequest)
	}
	m := r.enrol("suite-1")
	m.get("/api/v2/jobs").refused(http.StatusUnauthorized) // a certificate opens what is for agents, and nothing else
	m.put(wire.PathOutput, at, "a.mp4", "x").refused(http.StatusConflict)
	m.put(wire.PathOutput, wire.Attempt{Task: at.Task, Attempt: 0}, "a.mp4", "x").refused(http.StatusBadRequest)
	m.get(wire.PathSession).refused(http.StatusUpgradeRequired)
}

func TestAnAgentThatCannotBeUpdatedIsToldSo(t *testing.T) {
	r := start(t)
	m := r.enrol("suite-1")
	m.dial()
	m.say(wire.Message{Hello: &wire.Hello{Version: wire.FirstUpdatable - 1, Name: "suite-1", Inventory: inventory().Hash()}})
	if err := m.ws.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	_, _, err := m.ws.ReadMessage()
	if !websocket.IsCloseError(err, websocket.ClosePolicyViolation) || !strings.HasSuffix(err.Error(), "update overcrank on the agent's machine") {
		t.Errorf("the session ended with %v", err)
	}
}

// TestAnAgentOfAVersionToComeIsHeard: whatever else its hello may say in a way that this release does not know.
func TestAnAgentOfAVersionToComeIsHeard(t *testing.T) {
	r := start(t)
	m := r.enrol("suite-1")
	m.dial()
	hello := fmt.Sprintf(`{"hello": {"version": %d, "name": ["suite", 1], "inventory": {"hash": 7}, "holding": "none"}}`, wire.Version+1)
	if err := m.ws.WriteMessage(websocket.TextMessage, []byte(hello)); err != nil {
		t.Fatal(err)
	}
	if got := m.hear(); got.OtherVersion == nil || got.OtherVersion.Version != wire.Version {
		t.Errorf("it was answered with %+v", got)
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
