package api_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"overcrank/agent/identity"
	"overcrank/api"
	"overcrank/coordinator"
	"overcrank/coordinator/authority"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/inbound/inboundtest"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// tryEnrol tries to enrol a machine with a join token.
func (r *rig) tryEnrol(token wire.JoinToken, key []byte) reply {
	r.t.Helper()
	return r.sendBy(r.over(identity.FirstContact(token.Authority)), http.MethodPost, r.secure+wire.PathEnrol,
		wire.Enrol{Name: "box", Inventory: inventory(), Request: requestOf(r.t, key)}, bearer(token.Secret))
}

func TestAJoinTokenLetsOneMachineIn(t *testing.T) {
	r := start(t)
	token := r.invite(`{"name": "Suite 4", "tags": ["gpu"]}`)
	codes := make([]int, 8)
	var race sync.WaitGroup
	for i := range codes {
		key := newKey(t)
		race.Go(func() { codes[i] = r.tryEnrol(token, key).status })
	}
	race.Wait()
	if in := len(slices.DeleteFunc(slices.Clone(codes), func(code int) bool { return code != http.StatusCreated })); in != 1 {
		t.Errorf("%d machines came in with one token: %v", in, codes)
	}
	r.tryEnrol(token, newKey(t)).refused(http.StatusUnauthorized, "has been used", "agents invite")
	var list []struct {
		Name       string
		Tags       []string
		Uses, Left int
		LastUsedAt *time.Time
		JoinToken  string
	}
	r.get(pathJoinTokens).into(http.StatusOK, &list)
	if len(list) != 1 || list[0].Name != "Suite 4" || list[0].Uses != 1 || list[0].Left != 0 || list[0].LastUsedAt == nil || list[0].JoinToken != "" {
		t.Errorf("the invitations are %+v", list)
	}
}

func TestAMachineThatDidNotHearTheAnswerAsksAgain(t *testing.T) {
	r := start(t)
	token, key := r.invite(`{}`), newKey(t)
	var first, second wire.Enrolled
	r.tryEnrol(token, key).into(http.StatusCreated, &first)
	r.tryEnrol(token, key).into(http.StatusCreated, &second)
	if first.AgentID != second.AgentID || len(second.Certificate) == 0 {
		t.Errorf("the machine was %s, and is now %s", first.AgentID, second.AgentID)
	}
}

func TestJoinTokensThatOpenNothing(t *testing.T) {
	clock := struct {
		sync.Mutex
		ahead time.Duration
	}{}
	r := startOn(t, coordinator.Config{DataDir: t.TempDir(), Now: func() time.Time {
		clock.Lock()
		defer clock.Unlock()
		return time.Now().Add(clock.ahead)
	}})
	revoked := r.invite(`{"name": "revoked"}`)
	var list []struct{ ID, Name string }
	r.get(pathJoinTokens).into(http.StatusOK, &list)
	r.send(http.MethodDelete, pathJoinTokens+"/"+list[0].ID, nil).into(http.StatusNoContent, nil)
	r.tryEnrol(revoked, newKey(t)).refused(http.StatusUnauthorized, "revoked")
	late := r.invite(`{"uses": 3}`)
	clock.Lock()
	clock.ahead = 25 * time.Hour
	clock.Unlock()
	r.tryEnrol(late, newKey(t)).refused(http.StatusUnauthorized, "has expired")
	past := time.Now().Format(time.RFC3339)
	r.send(http.MethodPost, pathJoinTokens, `{"expiresAt": "`+past+`"}`).refused(http.StatusBadRequest, "expiresAt")
	r.send(http.MethodPost, pathJoinTokens, `{"tags": ["`+strings.Repeat("x", 101)+`"]}`).refused(http.StatusBadRequest, "tags[0]")
}

// TestSecretsOfEnrolmentAreNotLogged looks through all that the farm logs, and at what its folder holds in the open.
func TestSecretsOfEnrolmentAreNotLogged(t *testing.T) {
	r := start(t)
	token := r.invite(`{"name": "Suite 4"}`)
	key := newKey(t)
	r.tryEnrol(token, key)
	r.tryEnrol(token, newKey(t)).refused(http.StatusUnauthorized)
	if strings.Contains(r.logs.String(), token.Secret) {
		t.Error("the log holds the join token")
	}
	err := filepath.WalkDir(r.dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return ignoreGone(err)
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), token.Secret) {
			t.Errorf("%s holds the join token", path)
		}
		if entry.Name() == authority.KeyFile {
			if info, err := entry.Info(); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the authority's key is %v, %v", info, err)
			}
		}
		return ignoreGone(err)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// foreign is a certificate for an agent of the farm that somebody else's authority made.
func foreign(t *testing.T, farm, agent string) tls.Certificate {
	t.Helper()
	other, err := authority.Load(t.TempDir(), farm, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return certified(t, other, farm, agent, time.Now().Add(time.Hour))
}

func certified(t *testing.T, by *authority.Authority, farm, agent string, until time.Time) tls.Certificate {
	t.Helper()
	key := newKey(t)
	request, err := authority.ReadRequest(requestOf(t, key))
	if err != nil {
		t.Fatal(err)
	}
	der, err := by.Agent(request, farm, agent, until.Add(-2*time.Hour), until)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.ParsePKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}
}

func TestCertificatesThatOpenNothing(t *testing.T) {
	r := start(t)
	m := r.enrol("suite-1")
	own, err := authority.Load(r.dir, m.self.Cluster, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	path := r.secure + wire.PathFiles + strings.Repeat("0", 64)
	// A certificate of the farm that its state does not know, as one of an agent that was retired.
	for name, agent := range map[string]string{"of nobody": unknownID, "of an agent that has another key": m.self.AgentID} {
		unknown := m.tls.Clone()
		unknown.Certificates = []tls.Certificate{certified(t, own, m.self.Cluster, agent, time.Now().Add(time.Hour))}
		a := r.sendBy(r.over(unknown), http.MethodGet, path, nil, "Authorization:")
		if a.status != http.StatusUnauthorized {
			t.Errorf("a certificate %s answers %d %s", name, a.status, a.body)
		}
	}
	other := m.tls.Clone()
	other.Certificates = []tls.Certificate{certified(t, own, "another-farm", m.self.AgentID, time.Now().Add(time.Hour))}
	r.sendBy(r.over(other), http.MethodGet, path, nil, "Authorization:").refused(http.StatusUnauthorized)

	// The one with which coordinators show themselves to each other is good for that alone.
	node, err := own.Node(m.self.AgentID, time.Now).Certificate()
	if err != nil {
		t.Fatal(err)
	}
	colleague := m.tls.Clone()
	colleague.Certificates = []tls.Certificate{*node}
	for _, path := range []string{wire.PathFiles + strings.Repeat("0", 64), wire.PathSession} {
		r.sendBy(r.over(colleague), http.MethodGet, r.secure+path, nil, "Authorization:").refused(http.StatusUnauthorized)
	}

	server, err := own.Server([]string{"x"}, time.Now).Certificate()
	if err != nil {
		t.Fatal(err)
	}
	for name, certificate := range map[string]tls.Certificate{
		"of another authority": foreign(t, m.self.Cluster, m.self.AgentID),
		"that has expired":     certified(t, own, m.self.Cluster, m.self.AgentID, time.Now().Add(-time.Second)),
		"of a coordinator":     *server,
	} {
		shown := m.tls.Clone()
		shown.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &certificate, nil }
		if err := get(r.over(shown), path); err == nil {
			t.Errorf("a certificate %s got an answer", name)
		}
	}
}

func get(client *http.Client, address string) error {
	res, err := client.Get(address)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

func TestOlderTLSIsRefused(t *testing.T) {
	r := start(t)
	config := identity.Stranger()
	config.MinVersion, config.MaxVersion = tls.VersionTLS12, tls.VersionTLS12
	if err := get(r.over(config), r.secure+"/healthz"); err == nil || !strings.Contains(err.Error(), "protocol version") {
		t.Errorf("TLS 1.2 ends with %v", err)
	}
	if err := get(r.over(identity.Stranger()), r.secure+"/healthz"); err != nil {
		t.Errorf("TLS 1.3 ends with %v", err)
	}
}

// TestPlainHTTPIsNotForAgents asks all that is for agents without TLS.
func TestPlainHTTPIsNotForAgents(t *testing.T) {
	r := start(t)
	token := r.invite(`{}`)
	for _, request := range []string{
		"POST " + wire.PathEnrol, "POST " + wire.PathRenew, "POST " + wire.PathProve, "POST " + wire.PathLeave, "GET " + wire.PathSession, "GET " + wire.PathFiles + strings.Repeat("0", 64),
		"PUT " + wire.PathOutput + "t/1/a.mp4", "PUT " + wire.PathThumbnail + "t/1/1", "PUT " + wire.PathFrame,
	} {
		method, path, _ := strings.Cut(request, " ")
		for _, secret := range []string{"", token.Secret, r.token} {
			r.send(method, path, nil, bearer(secret)).refused(http.StatusForbidden, "TLS")
		}
	}
	r.tryEnrol(token, newKey(t)).into(http.StatusCreated, nil)
}

// TestAFarmThatIsAnotherGetsNoToken plays whoever stands between a machine and its farm, with an authority of his own.
func TestAFarmThatIsAnotherGetsNoToken(t *testing.T) {
	mine, err := authority.Load(t.TempDir(), "mine", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	r := start(t)
	real, err := x509.ParseCertificate(r.enrol("suite-1").self.Authority)
	if err != nil {
		t.Fatal(err)
	}
	fingerprint := wire.Fingerprint(real.RawSubjectPublicKeyInfo)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	self := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{wire.ServerName}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	alone, err := x509.CreateCertificate(rand.Reader, self, self, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	own, err := mine.Server([]string{wire.ServerName}, time.Now).Certificate()
	if err != nil {
		t.Fatal(err)
	}
	for name, shows := range map[string]tls.Certificate{
		"his own authority's":                *own,
		"his own, with the farm's behind it": {Certificate: [][]byte{own.Certificate[0], real.Raw}, PrivateKey: own.PrivateKey},
		"one signed by itself":               {Certificate: [][]byte{alone, real.Raw}, PrivateKey: key},
		"nothing but that":                   {Certificate: [][]byte{alone}, PrivateKey: key},
	} {
		heard := make(chan string, 1)
		ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{shows}})
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			defer close(heard)
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			text := make([]byte, 4096)
			n, _ := conn.Read(text)
			heard <- string(text[:n])
		}()
		err = get(r.over(identity.FirstContact(fingerprint)), "https://"+ln.Addr().String())
		if !errors.Is(err, identity.ErrStranger) {
			t.Errorf("who shows %s is met with %v", name, err)
		}
		if got := <-heard; got != "" {
			t.Errorf("who shows %s hears %q", name, got)
		}
		ln.Close()
	}
}

func TestAnAgentMayNotTouchTheWorkOfAnother(t *testing.T) {
	r := start(t)
	job := r.submit(srcJob)
	m, other := r.enrol("suite-1"), r.enrol("suite-2")
	m.connect()
	lease := m.hear().Lease
	if lease == nil || lease.Job != job.ID {
		t.Fatalf("the lease is %+v", lease)
	}
	other.put(wire.PathOutput, lease.Attempt, "a.mp4", "x").refused(http.StatusConflict)
	other.put(wire.PathThumbnail, lease.Attempt, "1", picture(t)).refused(http.StatusConflict)
	m.put(wire.PathOutput, lease.Attempt, "a.mp4", "x").into(http.StatusOK, nil)
}

func TestARetiredMachineOpensNothing(t *testing.T) {
	r := start(t)
	job := r.submit(srcJob)
	m := r.enrol("suite-1")
	m.connect()
	lease := m.hear().Lease
	admin, err := r.farm.Authenticate(t.Context(), r.token)
	if err != nil {
		t.Fatal(err)
	}
	next := r.enrol("suite-2")
	next.connect()
	if err := r.farm.RetireAgent(t.Context(), admin, m.self.AgentID); err != nil {
		t.Fatal(err)
	}
	if again := next.hear().Lease; again == nil || again.Job != job.ID || again.Task != lease.Task || again.Attempt.Attempt <= lease.Attempt.Attempt {
		t.Errorf("the next machine was told %+v", again)
	}
	if err := m.ws.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, _, err = m.ws.ReadMessage()
	}
	if !websocket.IsCloseError(err, websocket.ClosePolicyViolation) || !strings.Contains(err.Error(), "was retired") {
		t.Errorf("the session ended with %v", err)
	}
	// Refused before the film is sent: the body is announced and does not come.
	m.put(wire.PathOutput, lease.Attempt, "a.mp4", promised(1<<30)).refused(http.StatusUnauthorized, "retired")
	m.get(wire.PathFiles + strings.Repeat("0", 64)).refused(http.StatusUnauthorized)
	m.send(http.MethodPost, wire.PathRenew, wire.Renew{Request: requestOf(t, newKey(t))}).refused(http.StatusUnauthorized)
	if _, res, err := m.handshake(); err == nil || res == nil || res.StatusCode != http.StatusUnauthorized {
		t.Errorf("another session gives %v, %v", res, err)
	}
	if code := farm.CodeOf(r.farm.RetireAgent(t.Context(), admin, m.self.AgentID)); code != farm.CodeNotFound {
		t.Errorf("retiring it again gives %s", code)
	}
}

func TestACertificateIsRenewedWhileTheSessionGoesOn(t *testing.T) {
	r := start(t)
	m := r.enrol("suite-1")
	m.connect()
	before := m.self
	renew := func() {
		t.Helper()
		m.self.Key = newKey(t)
		m.send(http.MethodPost, wire.PathRenew, wire.Renew{Request: requestOf(t, m.self.Key)}).into(http.StatusCreated, &m.self.Enrolled)
	}
	renew()
	m.self = before // the answer was lost
	renew()
	old := m.http
	m.speak()
	if m.self.AgentID != before.AgentID {
		t.Errorf("the agent %s became %s", before.AgentID, m.self.AgentID)
	}
	file := wire.PathFiles + strings.Repeat("0", 64)
	m.get(file).refused(http.StatusNotFound)
	r.sendBy(old, http.MethodGet, r.secure+file, nil, "Authorization:").refused(http.StatusNotFound) // both are good until it has come with the next
	m.say(wire.Message{Heartbeat: &wire.Heartbeat{}})
	r.submit(srcJob)
	if got := m.hear(); got.Lease == nil {
		t.Fatalf("the session goes on with %+v", got)
	}
	m.connect()
	r.sendBy(old, http.MethodGet, r.secure+file, nil, "Authorization:").refused(http.StatusUnauthorized)
	m.get(file).refused(http.StatusNotFound)
}

// earlierFarm is a folder as an earlier release left it, with one agent that has the secret.
func earlierFarm(t *testing.T, id, secret string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"farm.key": strings.Repeat("ab", 32), "join.token": "ocj_standing00000000000000000000"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store, err := raftstore.Open(t.Context(), raftstore.Config{Dir: filepath.Join(dir, "state"), MinFree: 1})
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256([]byte(secret))
	agent := farm.Agent{ID: id, Name: "old mac", SecretHash: hex.EncodeToString(hash[:]), Inventory: inventory()}
	if _, err := store.Apply(t.Context(), command.EnrolAgent{Agent: agent}); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAnAgentOfAnEarlierReleaseTurnsItsSecretIntoACertificate(t *testing.T) {
	const id, secret = "01JOLD0000000000000000000A", "oca_00000000000000000000000000"
	r := startOn(t, coordinator.Config{DataDir: earlierFarm(t, id, secret)})
	if _, err := os.Stat(filepath.Join(r.dir, "join.token")); !os.IsNotExist(err) {
		t.Errorf("the standing join token is still there: %v", err)
	}

	// As it is, it is told to update, over the plain HTTP that it speaks.
	ws, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(r.base, "http")+wire.PathSession, http.Header{"Authorization": {"Bearer " + secret}})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	hello := json.RawMessage(`{"hello": {"version": 1, "name": "old mac", "inventory": {"os": "linux"}}}`)
	if err := ws.WriteJSON(hello); err != nil {
		t.Fatal(err)
	}
	if _, _, err = ws.ReadMessage(); !websocket.IsCloseError(err, websocket.ClosePolicyViolation) || !strings.Contains(err.Error(), "update overcrank on the agent's machine") {
		t.Errorf("the earlier agent's session ends with %v", err)
	}

	// Updated, it lets the farm prove itself before it shows its secret.
	strangers := r.over(identity.Stranger())
	prove := func(id string) reply {
		return r.sendBy(strangers, http.MethodPost, r.secure+wire.PathProve, wire.Prove{AgentID: id, Nonce: []byte("0123456789abcdef")}, "Authorization:")
	}
	prove(unknownID).refused(http.StatusUnauthorized)
	var proof wire.Proof
	prove(id).into(http.StatusOK, &proof)
	hash := sha256.Sum256([]byte(secret))
	if want := wire.ProofOf(hex.EncodeToString(hash[:]), []byte("0123456789abcdef"), proof.Authority); string(proof.MAC) != string(want) {
		t.Error("the proof is none")
	}
	m := &machine{r: r, self: identity.Identity{Key: newKey(t)}}
	m.self.Authority = proof.Authority
	trusting, err := m.self.TLS()
	if err != nil {
		t.Fatal(err)
	}
	client := r.over(trusting)
	renew := func(secret string) reply {
		m.self.Key = newKey(t)
		return r.sendBy(client, http.MethodPost, r.secure+wire.PathRenew, wire.Renew{Request: requestOf(t, m.self.Key)}, bearer(secret))
	}
	renew("oca_wrong").refused(http.StatusUnauthorized)
	r.sendBy(client, http.MethodGet, r.secure+wire.PathFiles+strings.Repeat("0", 64), nil, bearer(secret)).refused(http.StatusUnauthorized)
	renew(secret).into(http.StatusCreated, nil) // the answer is lost
	renew(secret).into(http.StatusCreated, &m.self.Enrolled)
	m.speak()
	m.connect()
	if m.self.AgentID != id {
		t.Errorf("the agent became %s", m.self.AgentID)
	}
	renew(secret).refused(http.StatusUnauthorized)
	prove(id).refused(http.StatusUnauthorized)
}

func TestAFarmThatRequiresTLS(t *testing.T) {
	r := start(t, func(cfg *api.Config) { cfg.RequireTLS = true })
	r.get("/api/farm/v1/info").into(http.StatusOK, nil) // from this machine
	r.sendBy(r.over(identity.Stranger()), http.MethodGet, r.secure+"/api/farm/v1/info", nil).into(http.StatusOK, nil)
	// A request that Fiber makes up comes from 0.0.0.0.
	app := api.NewApp(nil)
	stop := api.Mount(app, api.Config{Farm: r.farm, RequireTLS: true})
	defer stop()
	for _, path := range []string{"/healthz", "/api/farm/v1/info", "/"} {
		res, err := app.Test(httptest.NewRequest(http.MethodGet, path, nil))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != http.StatusForbidden || !strings.Contains(string(text), "use https://") {
			t.Errorf("%s answers %d %s, %v", path, res.StatusCode, text, err)
		}
	}
}

func TestWhoBeginsTLSAndStopsHoldsNobodyUp(t *testing.T) {
	r := start(t)
	var silent []net.Conn
	for i := range 100 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		silent = append(silent, conn)
		if begun := "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[:i%11]; begun != "" {
			if _, err := conn.Write([]byte(begun)); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.get("/healthz").into(http.StatusOK, nil)
	r.enrol("suite-1").connect()
	// What is no TLS at all after its first byte ends at once.
	if _, err := silent[0].Write([]byte("\x16 GET / HTTP/1.1\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if err := silent[0].SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(silent[0]); err != nil && !errors.Is(err, syscall.ECONNRESET) || bytes.Contains(text, []byte("HTTP")) {
		t.Errorf("it is answered %q, %v", text, err)
	}
}

// The listener ends with all that it has in hand: connections that said nothing, that were recognised and not accepted.
func TestTheDoorClosesOnThoseWhoWait(t *testing.T) {
	inner := inboundtest.Listen(t)
	ln := api.TLS(inner, &tls.Config{MinVersion: tls.VersionTLS13}, slog.New(slog.DiscardHandler))
	conns := []net.Conn{inboundtest.Dial(t, inner), inboundtest.Dial(t, inner), inboundtest.Dial(t, inner)}
	for _, conn := range conns[1:] {
		if _, err := conn.Write([]byte("GET")); err != nil {
			t.Fatal(err)
		}
	}
	first, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	text := make([]byte, 8)
	n, err := first.Read(text)
	if err != nil || n == 0 || !strings.HasPrefix("GET", string(text[:n])) {
		t.Errorf("the connection begins with %q, %v", text[:n], err)
	}
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a closed listener gives %v", err)
	}
	if err := conns[0].SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := conns[0].Read(text); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a connection that said nothing gives %v", err)
	}
}
