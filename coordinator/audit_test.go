package coordinator_test

import (
	"net/http"
	"testing"
	"time"

	"overcrank/coordinator"
	"overcrank/coordinator/people"
	"overcrank/coordinator/state"
	"overcrank/farm"
)

// audited reads the audit log as somebody.
func (r *rig) audited(p farm.Principal, q farm.AuditQuery) []farm.AuditRecord {
	r.t.Helper()
	q.Limit = 100
	records, _, err := r.Audit().Read(r.t.Context(), p, q)
	if err != nil {
		r.t.Fatal(err)
	}
	return records
}

func TestTheAuditLogIsWrittenWithWhatItTellsOf(t *testing.T) {
	r := open(t)
	ctx := state.WithAsker(t.Context(), &state.Asker{Token: r.admin.TokenID, Address: "192.0.2.7"})
	token, _, err := r.MakeToken(ctx, r.admin, people.NewToken{Name: "ci", Role: farm.RoleArtist})
	if err != nil {
		t.Fatal(err)
	}
	got := r.audited(r.admin, farm.AuditQuery{Thing: token.ID})
	if len(got) != 1 || got[0].Action != farm.AuditTokenAdd || got[0].Token != r.admin.TokenID || got[0].Address != "192.0.2.7" || got[0].Thing.Name != "ci" || got[0].At.IsZero() {
		t.Errorf("the token that was made: %+v", got)
	}
	team, err := r.MakeTeam(ctx, r.admin, "second")
	if err != nil {
		t.Fatal(err)
	}
	zoe, _ := r.token(r.admin, people.NewToken{Team: team.ID, Name: "zoe", Role: farm.RoleAdmin})
	if others := r.audited(zoe, farm.AuditQuery{Team: r.admin.Team}); len(others) != 1 || others[0].Action != farm.AuditTeamAdd {
		t.Errorf("another team's administrator reads %+v, not how the team was made alone", others)
	}
}

func TestWhatComesToNoCommandIsNotedBesides(t *testing.T) {
	r := open(t)
	asker := &state.Asker{Token: r.admin.TokenID, Address: "192.0.2.7"}
	refused := farm.Errorf(farm.CodeForbidden, "may not")
	for range 3 {
		r.Audit().NoteRequest(asker, farm.ActDeleteTemplates, http.MethodPost, refused)
	}
	r.Audit().NoteRequest(asker, farm.ActView, http.MethodGet, nil)
	r.Audit().NoteRequest(asker, farm.ActView, http.MethodPost, nil)
	r.Audit().NoteRequest(asker, farm.ActBackUp, http.MethodGet, nil)
	r.Audit().NoteFailedSignIn("192.0.2.9", farm.Errorf(farm.CodeUnauthorized, "wrong"))
	if err := r.Audit().Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := r.audited(r.admin, farm.AuditQuery{})
	byAction := map[string]farm.AuditRecord{}
	for _, record := range got {
		byAction[string(record.Action)+record.Thing.Name] = record
	}
	denied := byAction[string(farm.AuditRequest)+string(farm.ActDeleteTemplates)]
	if denied.Times != 3 || denied.Refused != farm.CodeForbidden || denied.Name != r.admin.Name {
		t.Errorf("what was refused three times: %+v", denied)
	}
	if _, there := byAction[string(farm.AuditRequest)+string(farm.ActBackUp)]; !there || len(got) != 3 {
		t.Errorf("the log: %+v", got)
	}
	if failed := byAction[string(farm.AuditSignInFailed)]; failed.Address != "192.0.2.9" || failed.Token != "" {
		t.Errorf("the sign-in that failed: %+v", failed)
	}
}

func TestTheAuditLogForgets(t *testing.T) {
	r := open(t, func(cfg *coordinator.Config) { cfg.KeepAudit = time.Hour })
	ctx := state.WithAsker(t.Context(), &state.Asker{Token: r.admin.TokenID})
	if _, _, err := r.MakeToken(ctx, r.admin, people.NewToken{Name: "ci", Role: farm.RoleArtist}); err != nil {
		t.Fatal(err)
	}
	if err := r.Audit().Forget(t.Context(), time.Now().Add(30*time.Minute)); err != nil || len(r.audited(r.admin, farm.AuditQuery{})) != 1 {
		t.Errorf("after half of its time: %v", err)
	}
	if err := r.Audit().Forget(t.Context(), time.Now().Add(2*time.Hour)); err != nil || len(r.audited(r.admin, farm.AuditQuery{})) != 0 {
		t.Errorf("after its time: %v", err)
	}
}
