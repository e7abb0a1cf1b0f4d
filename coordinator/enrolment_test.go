package coordinator_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator/enrolment"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// invite is the secret of a fresh join token.
func (r *rig) invite(edit ...func(*enrolment.NewJoinToken)) string {
	r.t.Helper()
	in := enrolment.NewJoinToken{}
	for _, e := range edit {
		e(&in)
	}
	_, text, err := r.Invite(r.t.Context(), r.admin, in)
	if err != nil {
		r.t.Fatal(err)
	}
	token, err := wire.ParseJoinToken(text)
	if err != nil {
		r.t.Fatal(err)
	}
	return token.Secret
}

// request asks a certificate for a fresh key.
func request(t testing.TB) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func certificate(t testing.TB, enrolled wire.Enrolled) *x509.Certificate {
	t.Helper()
	leaf, err := x509.ParseCertificate(enrolled.Certificate)
	if err != nil {
		t.Fatal(err)
	}
	return leaf
}

func TestASessionEndsWithItsCertificate(t *testing.T) {
	c := newClock()
	r := open(t, c.config)
	s := r.enrol("box")
	s.connect()
	s.silent()
	c.pass(91 * 24 * time.Hour)
	s.say(wire.Message{Heartbeat: &wire.Heartbeat{}})
	s.ends("no longer good")
	if _, err := r.AuthenticateAgent(t.Context(), s.shown); farm.CodeOf(err) != farm.CodeUnauthorized {
		t.Errorf("a certificate that has expired is taken: %v", err)
	}
}

// ends waits for the end of the session and looks at the reason.
func (s *station) ends(words string) {
	s.r.t.Helper()
	select {
	case <-s.gone:
	case <-time.After(patience):
		s.r.t.Fatal("the session goes on")
	}
	if !strings.Contains(s.reason, words) {
		s.r.t.Errorf("the session ended with %q, want %q", s.reason, words)
	}
}

func TestRetiringAMachineMovesItsWork(t *testing.T) {
	r := open(t)
	s := r.enrol("old")
	s.connect()
	job := r.submit()
	first := s.lease()
	if err := r.RetireAgent(t.Context(), r.admin, s.agent.ID); err != nil {
		t.Fatal(err)
	}
	s.ends("was retired")
	next := r.enrol("new")
	next.connect()
	second := next.lease()
	if second.Job != job.ID || second.Task != first.Task || second.Attempt.Attempt != first.Attempt.Attempt+1 {
		t.Errorf("the next machine got %+v", second.Attempt)
	}
	if _, err := r.Results().Receive(t.Context(), s.agent, first.Attempt, "out.mp4", strings.NewReader("x"), 1, ""); err == nil {
		t.Error("the retired machine's result was taken")
	}
	next.finish(second, "film")
	if got := r.job(job.ID); got.Status != farm.JobFinished {
		t.Errorf("the job is %s", got.Status)
	}
	machines, err := r.Machines(t.Context(), r.admin)
	if err != nil || len(machines) != 1 || machines[0].Name != "new" {
		t.Errorf("the machines are %+v, %v", machines, err)
	}
	wantCode(t, r.RetireAgent(t.Context(), r.admin, "nobody"), farm.CodeNotFound)
}

func TestInvitationsAreTheFarmsOwnAffair(t *testing.T) {
	r := open(t)
	other := r.admin
	other.FirstTeam = false
	_, _, err := r.Invite(t.Context(), other, enrolment.NewJoinToken{})
	wantCode(t, err, farm.CodeForbidden)
	_, err = r.JoinTokens(t.Context(), other)
	wantCode(t, err, farm.CodeForbidden)
	wantCode(t, r.RevokeJoinToken(t.Context(), other, "x"), farm.CodeForbidden)
	for name, in := range map[string]enrolment.NewJoinToken{
		"too many":   {Uses: 10_001},
		"fewer":      {Uses: -1},
		"in a while": {ExpiresAt: time.Now().Add(400 * 24 * time.Hour)},
		"long name":  {Name: strings.Repeat("x", 201)},
		"odd name":   {Name: "a\x00b"},
		"many tags":  {Tags: make([]string, 51)},
	} {
		if _, _, err := r.Invite(t.Context(), r.admin, in); farm.CodeOf(err) != farm.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
