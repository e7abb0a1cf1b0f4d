package web_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/web"
)

// grant is who may use a page, written down a second time.
type grant struct {
	role farm.Role
	farm bool // for members of the farm's first team alone
}

var (
	viewer        = grant{role: farm.RoleViewer}
	artist        = grant{role: farm.RoleArtist}
	producer      = grant{role: farm.RoleProducer}
	admin         = grant{role: farm.RoleAdmin}
	farmsOperator = grant{farm.RoleOperator, true}
	farmsAdmin    = grant{farm.RoleAdmin, true}
)

// pages has a line for every page and every form.
var pages = map[string]grant{
	"GET /welcome": artist, "POST /welcome/render": artist,
	"GET /": viewer, "POST /sign-out": viewer, "POST /theme": viewer, "POST /language": viewer,
	"GET /account": viewer, "POST /account/password": viewer, "POST /account/notifications": viewer, "POST /account/notifications/test": viewer, "POST /account/passkeys/challenge": viewer, "POST /account/passkeys": viewer, "POST /account/passkeys/:id/rename": viewer, "POST /account/passkeys/:id/remove": viewer, "POST /account/sign-in-again": viewer,
	"POST /account/sessions/:id/end": viewer, "POST /account/sessions/end": viewer,
	"GET /jobs": viewer, "GET /jobs/results.zip": viewer, "POST /jobs/change": artist, "POST /jobs/views": viewer, "POST /jobs/views/delete": viewer, "POST /account/keys": viewer, "GET /jobs/:id": viewer, "GET /jobs/:id/download": viewer, "GET /jobs/:id/proxy": viewer,
	"GET /jobs/:id/log": viewer, "GET /jobs/:id/log/search": viewer, "GET /jobs/:id/log/part": viewer, "GET /jobs/:id/poster": viewer, "GET /jobs/:id/thumbnails/:name": viewer, "GET /jobs/:id/frame-times": viewer,
	"GET /jobs/:id/tasks": viewer, "GET /jobs/:id/samples/:name": viewer,
	"POST /jobs/:id/watch": viewer, "POST /jobs/:id/render-again": artist, "POST /jobs/:id/cancel": artist, "POST /jobs/:id/release": artist, "POST /jobs/:id/hold": artist, "POST /jobs/:id/call-again": artist, "POST /jobs/:id/order": artist,
	"POST /jobs/:id/approve": artist, "POST /jobs/:id/reject": artist,
	"GET /jobs/:id/review": viewer, "GET /jobs/:id/review/remarks": viewer, "POST /jobs/:id/review/remarks": artist, "POST /jobs/:id/reviews": producer, "POST /jobs/:id/reviews/:review/revoke": producer,
	"GET /batches": viewer, "GET /batches/:id": viewer, "GET /batches/:id/results.zip": viewer, "GET /batches/:id/results.csv": viewer, "GET /batches/:id/download": viewer, "GET /batches/:id/edit": artist,
	"POST /batches/:id/label": artist, "POST /batches/:id/cancel": artist, "POST /batches/:id/again": artist,
	"GET /templates": viewer, "GET /templates/:id": viewer, "GET /templates/:id/poster": viewer, "GET /templates/:id/file": viewer, "GET /templates/:id/reel": viewer, "GET /templates/:id/reels/:composition": viewer,
	"POST /templates": artist, "POST /templates/:id/mark": artist, "POST /templates/:id/footage": artist, "POST /templates/:id/delete": producer,
	"GET /new": artist, "POST /new": artist, "POST /new/preview": artist, "POST /new/call": artist, "POST /templates/:id/retire": artist, "POST /templates/:id/current": artist, "POST /new/presets": artist, "POST /new/presets/delete": artist, "POST /new/table/frame": artist, "GET /new/table": artist, "GET /new/table.csv": artist,
	"GET /files/table": artist, "POST /files/table": artist, "POST /files/handover": artist,
	"POST /files/uploads": artist, "POST /files/uploads/:id/parts/:part": artist, "POST /files/uploads/:id/finish": artist, "POST /files/uploads/:id/cancel": artist, "POST /templates/:id/replace": artist,
	"GET /approvals": viewer, "POST /approvals": artist, "GET /failures": viewer, "POST /failures/retry": artist, "POST /failures/dismiss": artist,
	"GET /reports": viewer, "GET /reports.csv": viewer, "POST /reports/rates": farmsAdmin, "GET /wall": viewer,
	"GET /projects": viewer, "POST /projects": producer, "POST /projects/:id": producer, "POST /projects/:id/archive": producer, "POST /projects/:id/reopen": producer,
	"GET /search": viewer, "GET /search/found": viewer,
	"GET /queue": viewer, "GET /queue/move": artist, "POST /queue/move": artist, "POST /queue/pause": farmsOperator, "POST /queue/resume": farmsOperator,
	"POST /queue/levels/:level/pause": farmsOperator, "POST /queue/levels/:level/resume": farmsOperator,
	"GET /machines": viewer, "GET /machines/:id": viewer, "GET /machines/:id/frame": viewer, "GET /machines/:id/now": viewer, "POST /machines/change": farmsOperator, "GET /machines/hours": farmsOperator, "POST /machines/hours": farmsOperator,
	"GET /machines/add": farmsAdmin, "POST /machines/add": farmsAdmin, "POST /machines/add/file": farmsAdmin,
	"GET /machines/invite": farmsAdmin, "POST /machines/invite": farmsAdmin, "POST /machines/invite/:id/revoke": farmsAdmin,
	"POST /machines/:id/drain": farmsOperator, "POST /machines/:id/pause": farmsOperator, "POST /machines/:id/resume": farmsOperator,
	"POST /machines/:id/change": farmsOperator, "POST /machines/:id/retire": farmsAdmin,
	"GET /settings": viewer, "GET /settings/api-tokens": admin, "POST /settings/api-tokens": admin, "POST /settings/api-tokens/:id/revoke": admin, "GET /settings/api-tokens/:id": admin, "POST /settings/api-tokens/:id": admin,
	"GET /settings/people": admin, "POST /settings/people": admin, "POST /settings/people/:id/revoke": admin, "GET /settings/people/:id": admin, "POST /settings/people/:id": admin, "POST /settings/people/:id/link": admin, "POST /settings/people/:id/reset": admin, "POST /settings/people/:id/passkeys/:passkey/remove": admin,
	"GET /settings/audit": admin, "GET /settings/audit.csv": admin, "GET /settings/audit.json": admin,
	"GET /settings/sign-in": farmsAdmin, "GET /settings/sign-in/test": farmsAdmin, "POST /settings/sign-in/groups": farmsAdmin, "POST /settings/sign-in/groups/up": farmsAdmin,
	"POST /settings/sign-in/groups/remove": farmsAdmin, "POST /settings/sign-in/link": farmsAdmin,
	"GET /settings/teams": farmsAdmin, "POST /settings/teams": farmsAdmin, "POST /settings/teams/:id": farmsAdmin, "POST /settings/teams/:id/invite": farmsAdmin, "POST /settings/teams/:id/delete": farmsAdmin,
	"GET /settings/sharing": viewer, "POST /settings/sharing": farmsAdmin, "POST /settings/sharing/shares": farmsAdmin,
	"GET /settings/updates": viewer, "POST /settings/updates": farmsAdmin, "POST /settings/updates/resume": farmsAdmin,
	"GET /settings/fonts": viewer, "GET /settings/fonts/named": viewer, "GET /settings/fonts/:id/faces/:face": viewer, "POST /files/font": artist, "POST /settings/fonts/stand-ins": artist, "POST /settings/fonts/:id/delete": producer,
	"GET /settings/secrets": artist, "POST /settings/secrets": producer, "POST /settings/secrets/:id/delete": producer,
	"GET /settings/studio": admin, "POST /settings/studio": admin, "GET /settings/studio/logo": admin, "POST /files/logo": admin, "POST /settings/studio/logo/remove": admin,
	"GET /settings/coordinators": farmsAdmin, "POST /settings/coordinators/lead": farmsAdmin, "GET /settings/webhooks": producer, "POST /settings/webhooks": admin,
}

// topics are what pages keep current.
var topics = map[string]grant{
	"home": viewer, "failures:": viewer, "welcome:": viewer, "jobs:": viewer, "job:x": viewer, "batches": viewer, "batch:x": viewer, "templates": viewer, "template:x": viewer,
	"machines:": viewer, "machine:x": viewer, "queue:": viewer, "coordinators": farmsAdmin,
	"joined:x": farmsAdmin, "wall": viewer, "projects": viewer,
}

func TestEachRoleAgainstEachPage(t *testing.T) {
	r := start(t)
	routes := map[string]farm.Grant{}
	for _, route := range web.Routes() {
		routes[route.Method+" "+route.Path] = route.Action.Grant()
	}
	for address, g := range routes {
		if own, listed := pages[address]; !listed || own.role != g.Least || own.farm != g.Farm {
			t.Errorf("%s is open to %+v, and by the list of pages to %+v", address, g, own)
		}
	}
	who := map[string]*visitor{}
	for _, name := range []string{"vic", "art", "pro", "ops", "ada", "zoe"} {
		who[name] = r.as(name)
	}
	for _, address := range slices.Sorted(maps.Keys(pages)) {
		if _, there := routes[address]; !there {
			t.Errorf("%s is listed and is no page", address)
			continue
		}
		method, path, _ := strings.Cut(address, " ")
		if path == "/sign-out" || path == "/account/sessions/end" || path == "/account/sign-in-again" {
			continue // it would end what comes next
		}
		path = strings.NewReplacer(":id", "x", ":name", "0.jpg", ":level", "rush").Replace(path)
		for name, v := range who {
			status := 0
			if method == http.MethodGet {
				status = v.get(path).status
			} else {
				status = v.post(path, nil).status
			}
			if may := r.may(name, pages[address]); may == (status == http.StatusForbidden) {
				t.Errorf("%s for %s answers %d", address, name, status)
			}
		}
	}
	for topic, g := range topics {
		for name, v := range who {
			if may, got := r.may(name, g), v.dial(topic); may != (got == http.StatusSwitchingProtocols) {
				t.Errorf("the live page %s for %s answers %d", topic, name, got)
			}
		}
	}
}

// may says whether somebody of the farm under test should be let in.
func (r *rig) may(name string, g grant) bool {
	p := r.principal(name)
	return p.Role.Allows(g.role) && (!g.farm || p.Team == staff[0].Team)
}
