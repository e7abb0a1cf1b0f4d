package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"overcrank/farm"
	"strings"
	"testing"
	"time"

	"overcrank/api/openapi"
	"overcrank/coordinator/uploads"
)

// promised is the size in bytes of a body that a request announces and of which it sends no more than the start.
type promised int64

const overFile = promised(20<<30 + 1)

var overJSON = strings.Repeat(" ", 10<<20+1)

// records are what requests in a table may name in braces.
func (r *rig) records() *strings.Replacer {
	r.t.Helper()
	fresh, used := r.createTemplate("aep"), r.createTemplate("zip")
	r.send(http.MethodPost, "/api/v2/jobs", `{"template": {"id": "`+used.ID+`"}}`).into(http.StatusCreated, nil)
	cancelled := r.submit(srcJob)
	r.send(http.MethodPatch, "/api/v2/jobs/"+cancelled.ID+"/cancel", nil).into(http.StatusOK, nil)
	queued := r.submit(srcJob)
	var batch struct{ BatchID string }
	r.send(http.MethodPost, "/api/v2/batches", `{"jobs": [`+srcJob+`]}`).into(http.StatusCreated, &batch)
	var person, token struct{ ID string }
	r.send(http.MethodPost, "/api/farm/v1/people", `{"name": "Ada", "role": "viewer"}`).into(http.StatusCreated, &person)
	r.send(http.MethodPost, "/api/farm/v1/tokens", `{"name": "Night", "role": "viewer"}`).into(http.StatusCreated, &token)
	var self struct {
		ID   string
		Team struct{ ID string }
	}
	r.get("/api/farm/v1/me").into(http.StatusOK, &self)
	var expired struct{ ID string }
	soon := r.soon(func(expires time.Time) bool {
		a := r.send(http.MethodPost, "/api/farm/v1/people", map[string]any{"name": "Bob", "role": "viewer", "expiresAt": expires})
		return a.status == http.StatusCreated && json.Unmarshal(a.body, &expired) == nil
	})
	r.eventually("Bob's access is over", func() bool { return time.Now().After(soon) })
	leveled(r, r.token)
	var taken, project struct{ ID string }
	r.send(http.MethodPost, "/api/farm/v1/projects", `{"name": "taken"}`).into(http.StatusCreated, &taken)
	r.send(http.MethodPost, "/api/farm/v1/projects", `{"name": "free"}`).into(http.StatusCreated, &project)
	var cluster struct{ ID string }
	r.get("/api/farm/v1/cluster").into(http.StatusOK, &cluster)
	var kept struct{ Src string }
	r.send(http.MethodPost, "/api/farm/v1/files?name=spot.aep", "pixels").into(http.StatusCreated, &kept)
	return strings.NewReplacer(
		"{sending}", makers["upload"](r, r.token), "{font}", makers["font"](r, r.token), "{kept}", kept.Src,
		"{project}", project.ID, "{coordinator}", cluster.ID, "{unknown}", unknownID, "{fresh}", fresh.ID, "{used}", used.ID, "{cancelled}", cancelled.ID, "{queued}", queued.ID, "{full}", r.reviewed(),
		"{upload}", strings.TrimPrefix(fresh.UploadInfo.URL, r.base), "{output}", strings.TrimPrefix(queued.OutputURL, r.base),
		"{task}", queued.ID+".1", "{agent}", r.enrol("suite 1").self.AgentID, "{batch}", batch.BatchID, "{person}", person.ID, "{token}", token.ID, "{expired}", expired.ID, "{self}", self.ID, "{team}", self.Team.ID,
	)
}

// reviewed is a job with as many review links and comments as one may have.
func (r *rig) reviewed() string {
	r.t.Helper()
	leveled(r, r.token)
	full := r.submit(srcJob)
	for range farm.MostReviewLinks {
		r.send(http.MethodPost, "/api/farm/v1/jobs/"+full.ID+"/reviews", `{}`).into(http.StatusCreated, nil)
	}
	for range farm.MostRemarks {
		r.send(http.MethodPost, "/api/farm/v1/jobs/"+full.ID+"/comments", `{"text": "warmer"}`).into(http.StatusCreated, nil)
	}
	return full.ID
}

// TestEveryErrorOfTheInterfaceOccurs asks each endpoint for each of its errors; what all endpoints share has tests of its own.
func TestEveryErrorOfTheInterfaceOccurs(t *testing.T) {
	r := start(t)
	records := r.records()
	for _, c := range []struct {
		request string
		body    any
		status  int
	}{
		{"POST /api/farm/v1/join-tokens", `{"uses": 0}`, 400},
		{"POST /api/farm/v1/join-tokens", overJSON, 413},
		{"DELETE /api/farm/v1/join-tokens/{unknown}", nil, 404},
		{"GET /api/farm/v1/cluster?index=x", nil, 400},
		{"POST /api/farm/v1/cluster/{unknown}/transfer", nil, 409},
		{"POST /api/farm/v1/cluster/{unknown}/remove", nil, 404},
		{"POST /api/farm/v1/cluster/{coordinator}/remove", nil, 409},
		{"POST /api/farm/v1/cluster/invitations", `{"uses": 2}`, 400},
		{"POST /api/farm/v1/cluster/invitations", overJSON, 413},
		{"DELETE /api/farm/v1/cluster/invitations/{unknown}", nil, 404},

		{"POST /api/v2/templates", `{"type": "psd"}`, 400},
		{"POST /api/v2/templates", overJSON, 413},
		{"GET /api/v2/templates/{unknown}", nil, 404},
		{"PATCH /api/v2/templates/{fresh}", `{"displayName": 3}`, 400},
		{"PATCH /api/v2/templates/{unknown}", `{"displayName": "x"}`, 404},
		{"PATCH /api/v2/templates/{fresh}", overJSON, 413},
		{"PATCH /api/farm/v1/templates/{fresh}", overJSON, 413},
		{"GET /api/farm/v1/templates/{unknown}/versions", nil, 404},
		{"PATCH /api/farm/v1/batches/{batch}", `{}`, 400},
		{"PATCH /api/farm/v1/batches/{unknown}", `{"name": "x"}`, 404},
		{"PATCH /api/farm/v1/batches/{batch}", overJSON, 413},
		{"DELETE /api/v2/templates/{unknown}", nil, 404},
		{"DELETE /api/v2/templates/{used}", nil, 409},
		{"GET /api/v2/templates/{unknown}/download", nil, 404},
		{"GET /api/v2/templates/{fresh}/download", nil, 410},
		{"GET /api/v2/templates/{unknown}/upload", nil, 404},
		{"GET /api/v2/templates/{fresh}/upload", nil, 410},
		{"PUT /api/v2/templates/{unknown}/upload", nil, 404},

		{"GET /api/v3/templates/{unknown}", nil, 404},
		{"GET /api/v3/templates/{unknown}/compositions", nil, 404},
		{"GET /api/v3/templates/{fresh}/compositions?limit=x", nil, 400},
		{"GET /api/v3/templates/{unknown}/layers", nil, 404},
		{"GET /api/v3/templates/{fresh}/layers?offset=-1", nil, 400},
		{"GET /api/v2/v3/templates/{unknown}", nil, 404},

		{"POST /api/v2/jobs", `{"template": 1}`, 400},
		{"POST /api/v2/jobs", `{"template": {"id": "{unknown}"}}`, 404},
		{"POST /api/v2/jobs", overJSON, 413},
		{"GET /api/v2/jobs?limit=0", nil, 400},
		{"GET /api/v2/jobs/{unknown}", nil, 404},
		{"GET /api/v2/jobs/{unknown}/logs", nil, 404},
		{"GET /api/v2/jobs/{queued}/logs", nil, 404},
		{"PATCH /api/v2/jobs/{unknown}/cancel", nil, 404},
		{"PATCH /api/v2/jobs/{cancelled}/cancel", nil, 409},
		{"PATCH /api/v2/jobs/{queued}/cancel?force=1", nil, 400},
		{"POST /api/v2/jobs/cancel", `{"jobs": [`, 400},
		{"POST /api/v2/jobs/cancel", `{"jobs": []}`, 400},
		{"POST /api/v2/jobs/cancel", `{"jobs": ["{queued}", "{queued}"]}`, 400},
		{"POST /api/v2/jobs/cancel", `{"jobs": ["{queued}", "{unknown}"]}`, 404},
		{"POST /api/v2/jobs/cancel", `{"jobs": ["{queued}", "{cancelled}"]}`, 409},
		{"POST /api/v2/jobs/cancel", overJSON, 413},

		{"POST /api/v2/jobs/join", `{"assets": []}`, 400},
		{"POST /api/v2/jobs/join", `{"assets": [{"type": "job", "template": {"id": "{unknown}", "composition": "main"}}]}`, 404},
		{"POST /api/v2/jobs/join", overJSON, 413},
		{"POST /api/farm/v1/jobs/release", `{"jobs": ["x"]}`, 400},
		{"POST /api/farm/v1/jobs/release", `{"jobs": ["{unknown}"]}`, 404},
		{"POST /api/farm/v1/jobs/release", `{"jobs": ["{cancelled}"]}`, 409},
		{"POST /api/farm/v1/jobs/release", overJSON, 413},
		{"POST /api/farm/v1/jobs/{unknown}/release", nil, 404},
		{"POST /api/farm/v1/jobs/{cancelled}/release", nil, 409},
		{"POST /api/farm/v1/jobs/hold", `{"jobs": ["x"]}`, 400},
		{"POST /api/farm/v1/jobs/hold", `{"jobs": ["{unknown}"]}`, 404},
		{"POST /api/farm/v1/jobs/hold", `{"jobs": ["{cancelled}"]}`, 409},
		{"POST /api/farm/v1/jobs/hold", overJSON, 413},
		{"POST /api/farm/v1/jobs/{unknown}/hold", nil, 404},
		{"POST /api/farm/v1/jobs/{cancelled}/hold", nil, 409},
		{"GET /api/farm/v1/jobs/{queued}/delivery", nil, 404},
		{"POST /api/farm/v1/jobs/{queued}/delivery", nil, 404},

		{"POST /api/v2/fonts", "", 400},
		{"GET /api/v2/fonts/{unknown}", nil, 404},
		{"DELETE /api/v2/fonts/{unknown}", nil, 404},
		{"POST /api/farm/v1/fonts/{unknown}/stand-ins", `{"name": ""}`, 400},
		{"POST /api/farm/v1/fonts/{unknown}/stand-ins", `{"name": "Gotham-Bold"}`, 404},
		{"POST /api/farm/v1/fonts/{font}/stand-ins", `{"name": "GoRegular"}`, 409},
		{"POST /api/farm/v1/fonts/{unknown}/stand-ins", overJSON, 413},
		{"PUT /api/v2/secrets", `{"name": ""}`, 400},
		{"PUT /api/v2/secrets", overJSON, 413},
		{"DELETE /api/v2/secrets/{unknown}", nil, 404},
		{"PATCH /api/farm/v1/secrets/{unknown}", `{"machineTags": 1}`, 400},
		{"PATCH /api/farm/v1/secrets/{unknown}", overJSON, 413},
		{"PATCH /api/farm/v1/secrets/{unknown}", `{"machineTags": []}`, 404},
		{"POST /api/farm/v1/secret-keys", `{"dropOld": 1}`, 400},
		{"POST /api/farm/v1/secret-keys", overJSON, 413},
		{"POST /api/farm/v1/cluster/gossip-keys", `{"spreadSeconds": 0}`, 400},
		{"POST /api/farm/v1/cluster/gossip-keys", overJSON, 413},
		{"POST /api/farm/v1/cluster/gossip-keys", `{"spreadSeconds": 60, "keepSeconds": 60}`, 201},
		{"POST /api/farm/v1/cluster/gossip-keys", `{}`, 409},
		{"POST /api/farm/v1/backup", `{}`, 400},
		{"POST /api/farm/v1/backup", `{"passphrase": "short"}`, 400},
		{"POST /api/farm/v1/backup", `{"passphrase": "long enough to seal", "withoutKeys": true}`, 400},
		{"POST /api/farm/v1/backup", overJSON, 413},
		{"POST /api/farm/v1/backup", `{"withoutKeys": true, "place": "https://mia:secret@nas/farm"}`, 400},
		{"POST /api/farm/v1/backups/{unknown}/checked", nil, 404},
		{"POST /api/farm/v1/restore", "", 400},

		{"POST /api/v2/batches", `{"jobs": 1}`, 400},
		{"POST /api/v2/batches", promised(100<<20 + 1), 413},
		{"GET /api/v2/batches/{unknown}", nil, 404},
		{"POST /api/v2/batches/{unknown}/cancel", nil, 404},
		{"POST /api/v2/batches/{batch}/cancel?force=1", nil, 400},
		{"GET /api/farm/v1/batches?limit=0", nil, 400},

		{"POST /api/farm/v1/teams", `{}`, 400},
		{"POST /api/farm/v1/teams", overJSON, 413},
		{"GET /api/farm/v1/teams/{unknown}", nil, 404},
		{"PATCH /api/farm/v1/teams/{team}", `{"name": ""}`, 400},
		{"PATCH /api/farm/v1/teams/{unknown}", `{"name": "x"}`, 404},
		{"PATCH /api/farm/v1/teams/{team}", overJSON, 413},
		{"DELETE /api/farm/v1/teams/{unknown}", nil, 404},
		{"DELETE /api/farm/v1/teams/{team}", nil, 409},
		{"GET /api/farm/v1/tokens?team={unknown}", nil, 404},
		{"POST /api/farm/v1/tokens", `{"name": "x", "role": "king"}`, 400},
		{"POST /api/farm/v1/tokens", `{"name": "x", "role": "viewer", "team": "{unknown}"}`, 404},
		{"POST /api/farm/v1/tokens", overJSON, 413},
		{"GET /api/farm/v1/tokens/{unknown}", nil, 404},
		{"GET /api/farm/v1/tokens/{person}", nil, 404},
		{"PATCH /api/farm/v1/tokens/{token}", `{"role": 1}`, 400},
		{"PATCH /api/farm/v1/tokens/{unknown}", `{"role": "artist"}`, 404},
		{"PATCH /api/farm/v1/tokens/{self}", `{"role": "artist"}`, 409},
		{"PATCH /api/farm/v1/tokens/{token}", overJSON, 413},
		{"DELETE /api/farm/v1/tokens/{unknown}", nil, 404},
		{"DELETE /api/farm/v1/tokens/{self}", nil, 409},
		{"GET /api/farm/v1/people?team={unknown}", nil, 404},
		{"POST /api/farm/v1/people", `{"name": "x"}`, 400},
		{"POST /api/farm/v1/people", `{"name": "x", "role": "viewer", "team": "{unknown}"}`, 404},
		{"POST /api/farm/v1/people", overJSON, 413},
		{"GET /api/farm/v1/people/{token}", nil, 404},
		{"PATCH /api/farm/v1/people/{person}", `{"role": "king"}`, 400},
		{"PATCH /api/farm/v1/people/{token}", `{"role": "artist"}`, 404},
		{"PATCH /api/farm/v1/people/{person}", overJSON, 413},
		{"DELETE /api/farm/v1/people/{unknown}", nil, 404},
		{"POST /api/farm/v1/people/{unknown}/sign-in-links", nil, 404},
		{"PATCH /api/farm/v1/people/{person}", `{"email": "ada@studio.example"}`, 200},
		{"POST /api/farm/v1/people", `{"name": "x", "role": "viewer", "email": "Ada@studio.example"}`, 409},
		{"PATCH /api/farm/v1/people/{expired}", `{"email": "ada@studio.example"}`, 409},
		{"DELETE /api/farm/v1/people/{unknown}/password", nil, 404},
		{"GET /api/farm/v1/people/{unknown}/sessions", nil, 404},
		{"DELETE /api/farm/v1/people/{unknown}/sessions", nil, 404},
		{"DELETE /api/farm/v1/people/{person}/sessions?session=none", nil, 404},
		{"GET /api/farm/v1/people/{unknown}/passkeys", nil, 404},
		{"DELETE /api/farm/v1/people/{person}/passkeys/{unknown}", nil, 404},
		{"PUT /api/farm/v1/sign-in-rules", `{"revision": 0}`, 400},
		{"PUT /api/farm/v1/sign-in-rules", `{"revision": 0, "groups": [{"group": "art", "team": "{unknown}", "role": "artist"}]}`, 404},
		{"PUT /api/farm/v1/sign-in-rules", `{"revision": 9, "groups": []}`, 409},
		{"PUT /api/farm/v1/sign-in-rules", overJSON, 413},
		{"POST /api/farm/v1/people/{expired}/sign-in-links", nil, 409},
		{"PUT /api/farm/v1/me/notifications", `{"about": ["rain"], "chat": {"kind": "irc"}, "quietHours": {"hours": "late"}}`, 400},
		{"PUT /api/farm/v1/me/notifications", `{"about": [], "quietHours": {"hours": "22:00-07:00", "timeZone": "Nowhere/Town"}}`, 400},
		{"PUT /api/farm/v1/me/notifications", `{"about": [], "chat": {"url": "https://chat.example/x"}}`, 400},
		{"PUT /api/farm/v1/me/notifications", `{"about": [], "language": "klingon"}`, 400},
		{"PUT /api/farm/v1/me/notifications", `{"about": [], "email": true}`, 409},
		{"PUT /api/farm/v1/me/notifications", overJSON, 413},
		{"GET /api/farm/v1/reviews?limit=x", nil, 400},
		{"GET /api/farm/v1/jobs/{unknown}/reviews", nil, 404},
		{"POST /api/farm/v1/jobs/{queued}/reviews", `{"password": "short", "expiresAt": "2001-01-01T00:00:00Z"}`, 400},
		{"POST /api/farm/v1/jobs/{unknown}/reviews", `{}`, 404},
		{"POST /api/farm/v1/jobs/{queued}/reviews", overJSON, 413},
		{"DELETE /api/farm/v1/jobs/{queued}/reviews/none", nil, 404},
		{"GET /api/farm/v1/jobs/{unknown}/comments", nil, 404},
		{"POST /api/farm/v1/jobs/{queued}/comments", `{"verdict": "perhaps"}`, 400},
		{"POST /api/farm/v1/jobs/{unknown}/comments", `{"text": "t"}`, 404},
		{"POST /api/farm/v1/jobs/{queued}/comments", overJSON, 413},
		{"DELETE /api/farm/v1/jobs/{queued}/comments/none", nil, 404},
		{"POST /api/farm/v1/jobs/{full}/reviews", `{}`, 409},
		{"POST /api/farm/v1/jobs/{full}/comments", `{"text": "t"}`, 409},
		{"GET /api/farm/v1/logo", nil, 404},
		{"PUT /api/farm/v1/logo", "no picture", 400},
		{"PUT /api/farm/v1/logo", promised(2<<20 + 1), 413},
		{"PUT /api/farm/v1/me/watched-jobs/{unknown}", nil, 404},
		{"PUT /api/farm/v1/me/watched-jobs/{cancelled}", nil, 409},
		{"DELETE /api/farm/v1/me/watched-jobs/{unknown}", nil, 404},
		{"POST /api/farm/v1/me/notifications/test", `{}`, 400},
		{"POST /api/farm/v1/me/notifications/test", `{"way": "email"}`, 409},
		{"POST /api/farm/v1/me/notifications/test", overJSON, 413},

		{"POST /api/farm/v1/files", "", 400},
		{"POST /api/farm/v1/files", overFile, 413},
		{"POST /api/farm/v1/uploads", `{"name": "spot.zip", "size": 0}`, 400},
		{"POST /api/farm/v1/uploads", overJSON, 413},
		{"GET /api/farm/v1/uploads/x", nil, 400},
		{"GET /api/farm/v1/uploads/{unknown}", nil, 404},
		{"DELETE /api/farm/v1/uploads/x", nil, 400},
		{"DELETE /api/farm/v1/uploads/{unknown}", nil, 404},
		{"PUT /api/farm/v1/uploads/{sending}/parts/7", "x", 400},
		{"PUT /api/farm/v1/uploads/{unknown}/parts/0", "x", 404},
		{"PUT /api/farm/v1/uploads/{sending}/parts/0", promised(uploads.MaxPart + 1), 413},
		{"POST /api/farm/v1/uploads/{sending}/finish", `{"sha256": "x"}`, 400},
		{"POST /api/farm/v1/uploads/{sending}/finish", nil, 409},
		{"POST /api/farm/v1/uploads/{unknown}/finish", nil, 404},
		{"POST /api/farm/v1/uploads/{sending}/finish", overJSON, 413},
		{"PUT /api/farm/v1/templates/{fresh}/file", `{"src": "farm://x"}`, 400},
		{"PUT /api/farm/v1/templates/{unknown}/file", `{"src": "{kept}"}`, 404},
		{"PUT /api/farm/v1/templates/{fresh}/file", overJSON, 413},
		{"POST /api/farm/v1/templates/{fresh}/footage", `{"files": [{"name": "a.png", "src": "farm://x"}]}`, 400},
		{"POST /api/farm/v1/templates/{unknown}/footage", `{"files": [{"name": "a.png", "src": "{kept}"}]}`, 404},
		{"POST /api/farm/v1/templates/{fresh}/footage", `{"files": [{"name": "a.png", "src": "{kept}"}]}`, 409},
		{"POST /api/farm/v1/templates/{fresh}/footage", overJSON, 413},
		{"POST /api/farm/v1/templates/{fresh}/preview", `{"frame": 1, "seconds": 2}`, 400},
		{"POST /api/farm/v1/templates/{unknown}/preview", `{}`, 404},
		{"POST /api/farm/v1/templates/{fresh}/preview", `{}`, 409},
		{"POST /api/farm/v1/templates/{fresh}/preview", overJSON, 413},
		{"POST /api/farm/v1/preflight", `{"files": [{"sha256": "x", "size": 1}]}`, 400},
		{"POST /api/farm/v1/preflight", overJSON, 413},
		{"POST /api/farm/v1/templates", `{"displayName": "x", "files": [{"name": "../x.aep", "src": "farm://x"}]}`, 400},
		{"POST /api/farm/v1/templates", overJSON, 413},
		{"GET /api/farm/v1/jobs/{unknown}/why", nil, 404},
		{"GET /api/farm/v1/events?kinds=rumour", nil, 400},
		{"GET /api/farm/v1/events?job=x", nil, 400},
		{"GET /api/farm/v1/agents?state=asleep", nil, 400},
		{"GET /api/farm/v1/agents?cursor=0", nil, 400},
		{"GET /api/farm/v1/agents/{unknown}", nil, 404},
		{"GET /api/farm/v1/agents/{unknown}/inventory", nil, 404},
		{"PATCH /api/farm/v1/agents/{agent}", `{"setAside": true}`, 400},
		{"PATCH /api/farm/v1/agents/{agent}", `{"drain": true}`, 400},
		{"PATCH /api/farm/v1/agents/{unknown}", `{"drained": true}`, 404},
		{"PATCH /api/farm/v1/agents/{agent}", overJSON, 413},
		{"POST /api/farm/v1/agents/{unknown}/drain", nil, 404},
		{"POST /api/farm/v1/agents/{unknown}/pause", nil, 404},
		{"POST /api/farm/v1/agents/{unknown}/resume", nil, 404},
		{"DELETE /api/farm/v1/agents/{unknown}", nil, 404},
		{"GET /api/farm/v1/jobs/{unknown}", nil, 404},
		{"PATCH /api/farm/v1/jobs/{queued}", `{"priority": 1001}`, 400},
		{"PATCH /api/farm/v1/jobs/{queued}", `{"status": "finished"}`, 400},
		{"PATCH /api/farm/v1/jobs/{unknown}", `{"priority": 1}`, 404},
		{"PATCH /api/farm/v1/jobs/{cancelled}", `{"priority": 1}`, 409},
		{"PATCH /api/farm/v1/jobs/{queued}", overJSON, 413},
		{"GET /api/farm/v1/jobs/{queued}/tasks?limit=0", nil, 400},
		{"GET /api/farm/v1/jobs/{unknown}/tasks", nil, 404},
		{"GET /api/farm/v1/jobs/{unknown}/placement", nil, 404},
		{"GET /api/farm/v1/jobs/{unknown}/samples", nil, 404},
		{"GET /api/farm/v1/jobs/{queued}/samples/0.png", nil, 404},
		{"POST /api/farm/v1/jobs/{unknown}/approve", nil, 404},
		{"POST /api/farm/v1/jobs/{queued}/approve", nil, 409},
		{"POST /api/farm/v1/jobs/{queued}/reject", `{"why": "dark"}`, 400},
		{"POST /api/farm/v1/jobs/{unknown}/reject", nil, 404},
		{"POST /api/farm/v1/jobs/{queued}/reject", nil, 409},
		{"POST /api/farm/v1/jobs/{queued}/reject", overJSON, 413},
		{"POST /api/farm/v1/jobs/{queued}/render-again", `{"frames": [{"start": 5, "end": 4}]}`, 400},
		{"POST /api/farm/v1/jobs/{unknown}/render-again", `{"frames": [{"start": 5}]}`, 404},
		{"POST /api/farm/v1/jobs/{cancelled}/render-again", `{"frames": [{"start": 5}]}`, 409},
		{"POST /api/farm/v1/jobs/{queued}/render-again", overJSON, 413},
		{"GET /api/farm/v1/search?kind=film", nil, 400},
		{"POST /api/farm/v1/batches/{batch}/retake", `{"rows": [{"index": "first"}]}`, 400},
		{"POST /api/farm/v1/batches/{batch}/retake", `{}`, 404}, // no row failed
		{"POST /api/farm/v1/batches/{unknown}/retake", `{"rows": [{"index": 0}]}`, 404},
		{"POST /api/farm/v1/batches/{batch}/retake", overJSON, 413},
		{"GET /api/farm/v1/failures/jobs?cause=rain", nil, 400},
		{"POST /api/farm/v1/failures/retry", `{"cause": "rain", "file": "https://x/nm.png"}`, 400},
		{"POST /api/farm/v1/failures/retry", `{"cause": "font:None"}`, 404},
		{"POST /api/farm/v1/failures/retry", overJSON, 413},
		{"POST /api/farm/v1/failures/dismiss", `{}`, 400},
		{"POST /api/farm/v1/failures/dismiss", overJSON, 413},
		{"GET /api/farm/v1/reports?from=yesterday", nil, 400},
		{"PUT /api/farm/v1/rates", `{"perHour": -1}`, 400},
		{"PUT /api/farm/v1/rates", `{"revision": 4711, "perHour": 2}`, 409},
		{"PUT /api/farm/v1/rates", overJSON, 413},
		{"GET /api/farm/v1/projects?archived=perhaps", nil, 400},
		{"POST /api/farm/v1/projects", `{"name": " "}`, 400},
		{"POST /api/farm/v1/projects", `{"name": "taken"}`, 409},
		{"POST /api/farm/v1/projects", overJSON, 413},
		{"GET /api/farm/v1/projects/none", nil, 404},
		{"PATCH /api/farm/v1/projects/{project}", `{}`, 400},
		{"PATCH /api/farm/v1/projects/none", `{"name": "other"}`, 404},
		{"PATCH /api/farm/v1/projects/{project}", `{"name": "TAKEN"}`, 409},
		{"PATCH /api/farm/v1/projects/{project}", overJSON, 413},
		{"POST /api/farm/v1/projects/none/archive", nil, 404},
		{"POST /api/farm/v1/projects/none/reopen", nil, 404},
		{"GET /api/farm/v1/templates?retired=perhaps", nil, 400},
		{"GET /api/farm/v1/presets/%FF", nil, 400},
		{"GET /api/farm/v1/presets/none", nil, 404},
		{"PUT /api/farm/v1/presets/Delivery", `{"settings": {"codec": "video_prores_422", "frames": 4}}`, 400},
		{"PUT /api/farm/v1/presets/Delivery", overJSON, 413},
		{"DELETE /api/farm/v1/presets/%FF", nil, 400},
		{"DELETE /api/farm/v1/presets/none", nil, 404},
		{"GET /api/farm/v1/teams/{unknown}/budget", nil, 404},
		{"PUT /api/farm/v1/teams/{team}/budget", `{"hours": -1}`, 400},
		{"PUT /api/farm/v1/teams/{unknown}/budget", `{"hours": 1}`, 404},
		{"PUT /api/farm/v1/teams/{team}/budget", overJSON, 413},
		{"DELETE /api/farm/v1/teams/{unknown}/budget", nil, 404},
		{"GET /api/farm/v1/audit?since=yesterday", nil, 400},
		{"GET /api/farm/v1/queue?limit=501", nil, 400},
		{"GET /api/farm/v1/queue?cursor=x", nil, 400},
		{"GET /api/farm/v1/jobs/{queued}/attempts?cursor=x", nil, 400},
		{"GET /api/farm/v1/jobs/{unknown}/attempts", nil, 404},
		{"GET /api/farm/v1/tasks/{unknown}.1", nil, 404},
		{"GET /api/farm/v1/tasks/{unknown}.1/attempts", nil, 404},
		{"PUT /api/farm/v1/policy", `{}`, 400},
		{"PUT /api/farm/v1/policy", `{"revision": 0, "teams": {"{unknown}": {"weight": 2}}}`, 400},
		{"PUT /api/farm/v1/policy", `{"revision": 99}`, 409},
		{"PUT /api/farm/v1/policy", overJSON, 413},
		{"PATCH /api/farm/v1/policy", `{"teams": {"{team}": {"weight": 0}}}`, 400},
		{"PATCH /api/farm/v1/policy", `{"revision": 99}`, 409},
		{"PATCH /api/farm/v1/policy", overJSON, 413},
		{"PATCH /api/farm/v1/levels", `{"overnight": {"hours": ["at night"]}}`, 400},
		{"PATCH /api/farm/v1/levels", overJSON, 413},
		{"POST /api/farm/v1/releases", `{"manifest": "{}"}`, 400},
		{"POST /api/farm/v1/releases", `{"manifest": "{}", "manifestSignature": "x", "keys": "{}", "keysSignature": "x"}`, 409},
		{"POST /api/farm/v1/releases", overJSON, 413},
		{"PUT /api/farm/v1/releases/files/{unknown}", "x", 400},
		{"PUT /api/farm/v1/releases/files/" + strings.Repeat("0", 64), promised(1<<30 + 1), 413},
		{"DELETE /api/farm/v1/releases/9.9.9", nil, 404},
		{"POST /api/farm/v1/downloads", `{"kind": "ffmpeg"}`, 400},
		{"POST /api/farm/v1/downloads", `{"kind": "ffmpeg", "name": "f", "sha256": "` + strings.Repeat("0", 64) + `"}`, 409},
		{"POST /api/farm/v1/downloads", overJSON, 413},
		{"PUT /api/farm/v1/downloads/{unknown}/content", "x", 400},
		{"PUT /api/farm/v1/downloads/" + strings.Repeat("0", 64) + "/content", promised(512<<20 + 1), 413},
		{"GET /api/farm/v1/downloads/" + strings.Repeat("0", 64) + "/content", nil, 404},
		{"DELETE /api/farm/v1/downloads/" + strings.Repeat("0", 64), nil, 404},
		{"PATCH /api/farm/v1/updates", `{"hours": ["at night"]}`, 400},
		{"PATCH /api/farm/v1/updates", `{"release": "9.9.9"}`, 404},
		{"PATCH /api/farm/v1/updates", overJSON, 413},
		{"POST /api/farm/v1/updates/resume", nil, 409},
		{"GET /api/farm/v1/limits/none", nil, 404},
		{"PUT /api/farm/v1/limits/particles", `{"total": -1}`, 400},
		{"PUT /api/farm/v1/limits/-", `{"total": 1}`, 400},
		{"PUT /api/farm/v1/limits/particles", overJSON, 413},
		{"DELETE /api/farm/v1/limits/none", nil, 404},
		{"GET /api/farm/v1/jobs/{unknown}/thumbnails", nil, 404},
		{"GET /api/farm/v1/jobs/{queued}/thumbnails/0.jpg", nil, 404},

		{"PUT {upload}0", "x", 403},
		{"PUT {upload}", "", 400},
		{"PUT {upload}", overFile, 413},
		{"GET /files/templates/{fresh}", nil, 403},
		{"GET {output}", nil, 404},
	} {
		method, path, _ := strings.Cut(records.Replace(c.request), " ")
		body := c.body
		if text, isText := body.(string); isText {
			body = records.Replace(text)
		}
		if a := r.send(method, path, body); a.status != c.status {
			t.Errorf("%s answers %d %s, want %d", c.request, a.status, a.body, c.status)
		}
	}
	var job jobAnswer
	r.get(records.Replace("/api/v2/jobs/{queued}")).into(http.StatusOK, &job)
	if job.Status != "queued" {
		t.Errorf("a job that was named beside one that cannot be cancelled is %s", job.Status)
	}
}

func TestNothingButTheSignedIsAnsweredWithoutAToken(t *testing.T) {
	r := start(t)
	paths := map[string]map[string]json.RawMessage{}
	for _, document := range []string{openapi.PathPublic, openapi.PathFarm} {
		var doc struct {
			Paths map[string]map[string]json.RawMessage
		}
		r.get(document, "Authorization:").into(http.StatusOK, &doc)
		maps.Copy(paths, doc.Paths)
	}
	asked := 0
	for path, item := range paths {
		for method, raw := range item {
			var op struct{ Security *[]any }
			if method == "parameters" || json.Unmarshal(raw, &op) != nil || op.Security != nil {
				continue
			}
			path := strings.NewReplacer("{id}", unknownID, "{name}", "x", "{frame}", "1").Replace(path)
			r.send(strings.ToUpper(method), path, nil, "Authorization:").refused(http.StatusUnauthorized)
			asked++
		}
	}
	if asked < 60 {
		t.Errorf("only %d operations were asked", asked)
	}
}
