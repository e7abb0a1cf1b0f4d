package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

const unknownID = "01JD7000000000000000000000"

func TestRequestsWithoutAGoodTokenAreRefused(t *testing.T) {
	r := start(t)
	for name, header := range map[string]string{
		"none": "Authorization:", "unknown": "Authorization: Bearer nonsense", "another scheme": "Authorization: Basic eDp5", "empty": "Authorization: Bearer ",
	} {
		for _, path := range []string{"/api/v2/jobs", "/api/v2/templates", "/api/v3/templates", "/api/farm/v1/agents", "/api/v2/jobs/" + unknownID + "/logs"} {
			a := r.get(path, header).refused(http.StatusUnauthorized, "token")
			if !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Bearer") {
				t.Errorf("%s with %s: WWW-Authenticate is %q", path, name, a.header.Get("WWW-Authenticate"))
			}
		}
	}
}

func TestUnknownAddressesNameMethodAndPath(t *testing.T) {
	r := start(t)
	for _, address := range []string{"PUT /api/v2/fonts", "POST /api/v2/jobs/stitch", "POST /api/v2/secrets", "DELETE /api/v2/jobs", "GET /nowhere", "BREW /api/v2/jobs"} {
		method, path, _ := strings.Cut(address, " ")
		r.send(method, path, nil).refused(http.StatusNotFound, address)
	}
}

// TestAnAddressTellsItsMethods: who asks with another method than an address has finds out which those are.
func TestAnAddressTellsItsMethods(t *testing.T) {
	r := start(t)
	for address, want := range map[string]string{
		"DELETE /api/v2/jobs": "GET, HEAD, POST", "OPTIONS /api/v2/jobs": "GET, HEAD, POST", "POST /api/v2/secrets": "GET, HEAD, PUT",
	} {
		method, path, _ := strings.Cut(address, " ")
		a := r.send(method, path, nil).refused(http.StatusNotFound, "this address takes "+want)
		if got := a.header.Get("Allow"); got != want {
			t.Errorf("%s: the header Allow is %q, want %q", address, got, want)
		}
	}
	if got := r.get("/api/v2/nowhere").header.Get("Allow"); got != "" {
		t.Errorf("an address that does not exist takes %q", got)
	}
}

func TestUnknownRecordsAreNotFound(t *testing.T) {
	r := start(t)
	for _, address := range []string{
		"GET /api/v2/jobs/%s", "GET /api/v2/jobs/%s/logs", "PATCH /api/v2/jobs/%s/cancel", "GET /api/farm/v1/jobs/%s/why",
		"GET /api/farm/v1/jobs/%s/thumbnails", "GET /api/farm/v1/jobs/%s/thumbnails/1.jpg", "GET /api/v2/templates/%s",
		"DELETE /api/v2/templates/%s", "GET /api/v2/templates/%s/download", "PUT /api/v2/templates/%s/upload",
		"GET /api/v3/templates/%s", "GET /api/v3/templates/%s/compositions", "GET /api/v2/v3/templates/%s/layers",
	} {
		for _, id := range []string{unknownID, "x", "%00", strings.Repeat("z", 300)} {
			method, path, _ := strings.Cut(fmt.Sprintf(address, id), " ")
			want := http.StatusNotFound
			if strings.Contains(path, "/v3/") && (id == "x" || id == "%00") {
				want = http.StatusBadRequest // as the public interface has it
			}
			if a := r.send(method, path, nil); a.status != want {
				t.Errorf("%s %.60s answers %d %.200s", method, path, a.status, a.body)
			}
		}
	}
}

func TestRequestsCarryTheirID(t *testing.T) {
	r := start(t)
	if got := r.get("/healthz", "X-Request-Id: my-id.7").header.Get("X-Request-Id"); got != "my-id.7" {
		t.Errorf("a plain id of the caller's became %q", got)
	}
	if got := r.get("/healthz", "X-Request-Id: no good id\"").header.Get("X-Request-Id"); len(got) != 26 {
		t.Errorf("an id that is no plain word became %q, want a fresh one", got)
	}
}

func TestJobsAreSubmittedListedAndCancelled(t *testing.T) {
	r := start(t)
	first := r.submit(srcJob)
	if first.Status != "queued" || !strings.HasPrefix(first.OutputURL, r.base+"/outputs/"+first.ID) {
		t.Fatalf("the new job is %+v", first)
	}
	second := r.submit(`{"template": {"src": "https://files.example/a.aep", "composition": "main"}, "tags": "news,night",
		"priority": 5, "assets": [{"type": "text", "layerName": "t", "value": "x"}]}`)

	var job jobAnswer
	r.get("/api/v2/jobs/"+second.ID).into(http.StatusOK, &job)
	if job.TemplateID != nil || job.Stats.TotalAssets != 1 || job.Stats.StartedAt != nil || job.Stats.Error != nil || job.OutputURL != second.OutputURL {
		t.Errorf("the job reads %+v", job)
	}
	r.get(strings.TrimPrefix(job.OutputURL, r.base)).refused(http.StatusNotFound)

	ids := func(path string) (out []string) {
		t.Helper()
		var list []jobAnswer
		r.get(path).into(http.StatusOK, &list)
		for _, j := range list {
			out = append(out, j.ID)
		}
		return out
	}
	for query, want := range map[string][]string{
		"":                                    {first.ID, second.ID},
		"?sort=newest_first":                  {second.ID, first.ID},
		"?sort=priority":                      {second.ID, first.ID},
		"?limit=1":                            {first.ID},
		"?from=1":                             {second.ID},
		"?tags=night,other":                   {second.ID},
		"?states=finished":                    nil,
		"?exclude_states=queued":              nil,
		"?to_date=2020-01-01":                 nil,
		"?from_date=2020-01-01T00:00:00Z":     {first.ID, second.ID},
		"?states=queued,pending&minimal=true": {first.ID, second.ID},
	} {
		if got := ids("/api/v2/jobs" + query); !slices.Equal(got, want) {
			t.Errorf("GET /jobs%s lists %v, want %v", query, got, want)
		}
	}
	if got := ids("/api/v2/jobs?sort=random"); len(got) != 2 {
		t.Errorf("a random list holds %v", got)
	}

	var cancelled []jobAnswer
	r.send(http.MethodPatch, "/api/v2/jobs/"+first.ID+"/cancel", nil).into(http.StatusOK, &cancelled)
	if len(cancelled) != 1 || cancelled[0].ID != first.ID || cancelled[0].Status != "manually_cancelled" {
		t.Errorf("cancelling gives %+v", cancelled)
	}
	r.send(http.MethodPatch, "/api/v2/jobs/"+first.ID+"/cancel", nil).refused(http.StatusConflict)
	r.send(http.MethodPost, "/api/v2/jobs/cancel", map[string]any{"jobs": []string{second.ID, unknownID}}).refused(http.StatusNotFound)
	r.send(http.MethodPost, "/api/v2/jobs/cancel", map[string]any{"jobs": []string{second.ID, second.ID}}).refused(http.StatusBadRequest, "jobs[1]")
	r.send(http.MethodPost, "/api/v2/jobs/cancel", map[string]any{"jobs": []string{second.ID}}).into(http.StatusOK, &cancelled)
	if len(cancelled) != 1 || cancelled[0].ID != second.ID {
		t.Errorf("cancelling gives %+v", cancelled)
	}
	if got := ids("/api/v2/jobs?states=manually_cancelled"); len(got) != 2 {
		t.Errorf("the cancelled jobs are %v", got)
	}
	if got := ids("/api/v2/jobs?states=error"); len(got) != 0 {
		t.Errorf("the failed jobs are %v, though none failed", got)
	}
}

func TestDatesOfListsCountToTheirEnd(t *testing.T) {
	r := start(t)
	var job jobAnswer
	r.get("/api/v2/jobs/"+r.submit(srcJob).ID).into(http.StatusOK, &job)
	created := *job.Stats.CreatedAt
	for query, want := range map[string]int{
		// As answers show it, though the farm knows it more exactly.
		"from_date=%[1]s&to_date=%[1]s": 1,
		"to_date=%[2]s":                 0,
		"from_date=%[3]s":               0,
		"from_date=%[4]s&to_date=%[4]s": 1,
		"to_date=%[5]s":                 0,
		"from_date=%[6]s":               0,
	} {
		shown := func(after time.Duration) string { return created.Add(after).Format("2006-01-02T15:04:05.000Z07:00") }
		day := func(after int) string { return created.AddDate(0, 0, after).Format(time.DateOnly) }
		query = fmt.Sprintf(query, shown(0), shown(-time.Millisecond), shown(time.Millisecond), day(0), day(-1), day(1))
		var list []jobAnswer
		if r.get("/api/v2/jobs?"+query).into(http.StatusOK, &list); len(list) != want {
			t.Errorf("%d jobs were created in %s, not %d", len(list), query, want)
		}
	}
}

// TestListsInQueriesAreReadAsClientsWriteThem covers generated clients, which repeat a key, and libraries that put brackets behind it.
func TestListsInQueriesAreReadAsClientsWriteThem(t *testing.T) {
	r := start(t)
	r.submit(srcJob)
	r.submit(strings.Replace(srcJob, "{", `{"tags": ["spot"], `, 1))
	for query, want := range map[string]int{
		"states=finished&states=queued": 2, "states=queued&states=finished": 2, "states[]=queued": 2, "states[]=finished": 0, "states%5B%5D=finished&states%5B%5D=error": 0,
		"exclude_states=error&exclude_states=queued": 0, "tags=other&tags=spot": 1, "tags[]=other": 0, "tags=other,spot": 1,
	} {
		var list []jobAnswer
		if r.get("/api/v2/jobs?"+query).into(http.StatusOK, &list); len(list) != want {
			t.Errorf("%s lists %d jobs, want %d", query, len(list), want)
		}
	}
	r.get("/api/v2/jobs?states=queued&states=done").refused(http.StatusBadRequest, "states")
}

// TestDatesAreReadAsClientsWriteThem covers forms and nodes of workflow programs, which leave the zone out, and shells, which do not
// escape a plus sign.
func TestDatesAreReadAsClientsWriteThem(t *testing.T) {
	r := start(t)
	r.submit(srcJob)
	for date, before := range map[string]bool{
		"2026-01-01T00:00:00": true, "2026-01-01T00:00:00.000": true, "2026-01-01T00:00:00.123Z": true, "2026-01-01%2000:00:00": true,
		"2026-01-01T00:00:00+02:00": true, "2026-01-01T00:00:00%2B02:00": true, "1600-01-01": true, "9999-12-31": false, "9999-12-31T23:59:59": false,
	} {
		for query, want := range map[string]bool{"from_date=": before, "to_date=": !before} {
			var list []jobAnswer
			if r.get("/api/v2/jobs?"+query+date).into(http.StatusOK, &list); (len(list) == 1) != want {
				t.Errorf("%s%s lists %d jobs", query, date, len(list))
			}
		}
	}
}

func TestListsGoOnBehindTheirLink(t *testing.T) {
	r := start(t)
	var want []string
	for range 5 {
		want = append(want, r.submit(srcJob).ID)
	}
	var got []string
	for next := "/api/v2/jobs?limit=2&minimal=true"; next != ""; {
		var page []jobAnswer
		a := r.get(next).into(http.StatusOK, &page)
		for _, j := range page {
			if j.Stats != nil || j.Assets != nil {
				t.Errorf("a minimal job holds %+v", j)
			}
			got = append(got, j.ID)
		}
		link := a.header.Get("Link")
		next, _, _ = strings.Cut(strings.TrimPrefix(link, "<"), ">")
		if link != "" && !strings.HasSuffix(link, `; rel="next"`) {
			t.Fatalf("the Link header is %q", link)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the pages hold %v, want %v", got, want)
	}
}

func TestListQueriesThatCannotBe(t *testing.T) {
	r := start(t)
	for query, field := range map[string]string{
		"limit=0": "limit", "limit=1001": "limit", "limit=x": "limit", "from=-1": "from", "from=10001": "from", "sort=best": "sort",
		"states=done": "states", "exclude_states=queued,lost": "exclude_states", "minimal=yes": "minimal", "from_date=monday": "from_date",
		"from_date=2026-02-01&to_date=2026-01-01": "to_date", "cursor=nonsense": "cursor",
	} {
		r.get("/api/v2/jobs?"+query).refused(http.StatusBadRequest, field)
	}
}

func TestJobsThatCannotBeAreRefusedByField(t *testing.T) {
	r := start(t)
	r.send(http.MethodPost, "/api/v2/jobs", `{"template": {"id": "PLACEHOLDER"}, "settings": {"fps": 1}}`).
		refused(http.StatusBadRequest, "details", "settings.fps")
	r.send(http.MethodPost, "/api/v2/jobs", `{"template": {"id": "`+unknownID+`", "composition": "main"}}`).refused(http.StatusNotFound, unknownID)
	r.send(http.MethodPost, "/api/v2/jobs", `{"template": `).refused(http.StatusBadRequest, "body")
	r.send(http.MethodPost, "/api/v2/jobs", nil).refused(http.StatusBadRequest, "empty")
	r.send(http.MethodPost, "/api/v2/jobs", `{"template": {"id": "PLACEHOLDER", "src": "https://files.example/a.aep", "composition": "c"}}`).into(http.StatusCreated, nil)
}

type templateAnswer struct {
	ID, Type, DisplayName, Status string
	Compositions, Layers          []string
	Error                         *string
	UploadInfo                    *struct {
		URL, Method, Key string
		ExpiresIn        int
		Fields           map[string]string
	}
}

func (r *rig) createTemplate(kind string) templateAnswer {
	r.t.Helper()
	var tpl templateAnswer
	r.send(http.MethodPost, "/api/v2/templates", map[string]string{"type": kind, "displayName": "Opener"}).into(http.StatusCreated, &tpl)
	return tpl
}

// upload hands a template's file over as plain clients do: no token, one PUT.
func (r *rig) upload(address string, data any) reply {
	r.t.Helper()
	return r.send(http.MethodPut, address, data, "Authorization:", "Content-Type: application/octet-stream")
}

func TestATemplateFromRegistrationToRemoval(t *testing.T) {
	r := start(t)
	file := project(t, 3)
	tpl := r.createTemplate("aep")
	if tpl.Status != "awaiting_upload" || tpl.UploadInfo == nil || tpl.UploadInfo.Method != http.MethodPut || tpl.UploadInfo.ExpiresIn < 3000 || tpl.UploadInfo.ExpiresIn > 3600 {
		t.Fatalf("the new template is %+v %+v", tpl, tpl.UploadInfo)
	}
	r.get("/api/v3/templates/"+tpl.ID+"/compositions").refused(http.StatusNotFound, "awaiting_upload")
	r.get("/api/v2/templates/" + tpl.ID + "/download").refused(http.StatusGone)

	var renewed struct{ URL string }
	r.send(http.MethodPut, "/api/v2/templates/"+tpl.ID+"/upload", nil).into(http.StatusOK, &renewed)
	r.upload(tpl.UploadInfo.URL, file).refused(http.StatusGone)
	r.upload(strings.Replace(renewed.URL, "signature=", "signature=0", 1), file).refused(http.StatusForbidden)
	r.upload(renewed.URL, "").refused(http.StatusBadRequest, "empty")
	r.upload(renewed.URL, file).into(http.StatusOK, nil)

	var now templateAnswer
	r.eventually("the template is read", func() bool {
		r.get("/api/v2/templates/"+tpl.ID).into(http.StatusOK, &now)
		return now.Status == "uploaded" || now.Status == "error"
	})
	if now.Status != "uploaded" || len(now.Compositions) == 0 || len(now.Layers) == 0 || now.UploadInfo != nil {
		t.Fatalf("the template reads %+v", now)
	}
	for _, root := range []string{"/api/v3/templates", "/api/v2/v3/templates"} {
		var list, comps, layers, none []map[string]any
		r.get(root).into(http.StatusOK, &list)
		r.get(root+"/"+tpl.ID).into(http.StatusOK, nil)
		r.get(root+"/"+tpl.ID+"/compositions").into(http.StatusOK, &comps)
		r.get(root+"/"+tpl.ID+"/layers?limit=1").into(http.StatusOK, &layers)
		r.get(root+"/"+tpl.ID+"/layers?offset=100000").into(http.StatusOK, &none)
		if len(list) != 1 || len(comps) != len(now.Compositions) || len(layers) != 1 || len(none) != 0 {
			t.Errorf("%s lists %v, %v, %v, %v", root, list, comps, layers, none)
		}
		r.get(root+"/"+tpl.ID+"/layers?limit=0&offset=-1").refused(http.StatusBadRequest, "limit", "offset")
	}
	a := r.get("/api/v2/templates").into(http.StatusOK, nil)
	if !strings.HasPrefix(a.header.Get("Deprecation"), "@") || !strings.Contains(a.header.Get("Link"), "successor-version") {
		t.Errorf("the deprecated list says %q and %q", a.header.Get("Deprecation"), a.header.Get("Link"))
	}

	var given string
	for _, path := range []string{"/download", "/upload"} {
		var download struct{ URL string }
		r.get("/api/v2/templates/"+tpl.ID+path).into(http.StatusOK, &download)
		if got := r.get(download.URL, "Authorization:").into(http.StatusOK, nil); string(got.body) != string(file) {
			t.Errorf("the download holds %d bytes, want %d", len(got.body), len(file))
		}
		r.get(strings.Split(download.URL, "?")[0]).refused(http.StatusForbidden)
		r.inParts(download.URL, file)
		given = download.URL
	}

	r.send(http.MethodPatch, "/api/v2/templates/"+tpl.ID, `{"displayName": "Closer"}`).into(http.StatusOK, &now)
	if now.DisplayName != "Closer" {
		t.Errorf("the template is called %q", now.DisplayName)
	}
	r.send(http.MethodPatch, "/api/v2/templates/"+tpl.ID, `{"displayName": " ", "type": "zip"}`).refused(http.StatusBadRequest, "displayName", "type")
	var marked struct{ Sequential bool }
	for _, sequential := range []bool{true, false} {
		r.send(http.MethodPatch, "/api/farm/v1/templates/"+tpl.ID, map[string]bool{"sequential": sequential}).into(http.StatusOK, nil)
		if r.get("/api/farm/v1/templates/"+tpl.ID).into(http.StatusOK, &marked); marked.Sequential != sequential {
			t.Errorf("marked as %v, it is %+v", sequential, marked)
		}
	}
	r.send(http.MethodPatch, "/api/farm/v1/templates/"+tpl.ID, `{}`).refused(http.StatusBadRequest, "sequential")

	body := fmt.Sprintf(`{"template": {"id": %q, "composition": %q}}`, tpl.ID, now.Compositions[0])
	job := r.submit(body)
	r.send(http.MethodPost, "/api/v2/jobs", strings.Replace(body, now.Compositions[0], "no such", 1)).refused(http.StatusBadRequest, "template.composition")
	r.send(http.MethodDelete, "/api/v2/templates/"+tpl.ID, nil).refused(http.StatusConflict)
	r.send(http.MethodPatch, "/api/v2/jobs/"+job.ID+"/cancel", nil).into(http.StatusOK, nil)
	r.send(http.MethodDelete, "/api/v2/templates/"+tpl.ID, nil).into(http.StatusNoContent, nil)
	r.get("/api/v2/templates/" + tpl.ID).refused(http.StatusNotFound)
	r.upload(renewed.URL, file).refused(http.StatusNotFound)
	r.get(given, "Authorization:").refused(http.StatusGone)
}

// inParts asks for a file as clients do that go on where they stopped, or that have it already.
func (r *rig) inParts(address string, content []byte) {
	r.t.Helper()
	whole := r.get(address).into(http.StatusOK, nil)
	part := r.get(address, "Range: bytes=2-4").into(http.StatusPartialContent, nil)
	if string(part.body) != string(content[2:5]) || part.header.Get("Content-Range") != fmt.Sprintf("bytes 2-4/%d", len(content)) {
		r.t.Errorf("%s gives %q as %s", address, part.body, part.header.Get("Content-Range"))
	}
	r.get(address, fmt.Sprintf("Range: bytes=%d-", len(content))).refused(http.StatusRequestedRangeNotSatisfiable)
	known := "If-None-Match: " + whole.header.Get("ETag")
	if whole.header.Get("ETag") == "" {
		known = "If-Modified-Since: " + whole.header.Get("Last-Modified")
	}
	if again := r.get(address, known); again.status != http.StatusNotModified || len(again.body) != 0 {
		r.t.Errorf("%s answers %d and %d bytes to a client that has it", address, again.status, len(again.body))
	}
}

func TestATemplateThatIsNoProject(t *testing.T) {
	r := start(t)
	tpl := r.createTemplate("aep")
	r.upload(tpl.UploadInfo.URL, "this is no project").into(http.StatusOK, nil)
	var now templateAnswer
	r.eventually("the template is refused", func() bool {
		r.get("/api/v2/templates/"+tpl.ID).into(http.StatusOK, &now)
		return now.Status == "error"
	})
	if now.Error == nil || *now.Error == "" {
		t.Error("the template does not say what is wrong with it")
	}
	for _, list := range []string{"/compositions", "/layers"} {
		r.get("/api/v3/templates/"+tpl.ID+list).refused(http.StatusBadRequest, "could not be read")
	}
	r.send(http.MethodPost, "/api/v2/jobs", fmt.Sprintf(`{"template": {"id": %q}}`, tpl.ID)).refused(http.StatusBadRequest, "template.id")
}

func TestTemplatesThatCannotBeRegistered(t *testing.T) {
	r := start(t)
	for body, fields := range map[string][]string{
		`{}`:                                  {"type", "displayName"},
		`{"type": "psd", "displayName": "x"}`: {"type"},
		`{"type": "aep", "displayName": 3}`:   {"displayName"},
		`{"type": "aep", "displayName": "x", "src": "/etc/passwd"}`:            {"src"},
		`{"type": "aep", "displayName": "x", "src": "file:///projects/a.aep"}`: {"src"},
		`{"type": "aep", "displayName": "x", "src": "s3://bucket"}`:            {"src"},
		`{"type": "aep", "displayName": "x", "src": "s3://bucket/"}`:           {"src"},
	} {
		r.send(http.MethodPost, "/api/v2/templates", body).refused(http.StatusBadRequest, fields...)
	}
}

func TestTheFarmSaysWhatItIs(t *testing.T) {
	r := start(t)
	r.get("/healthz", "Authorization:").into(http.StatusOK, nil)
	var info struct{ Version string }
	r.get("/api/farm/v1/info").into(http.StatusOK, &info)
	if info.Version != "0.1.0-test" {
		t.Errorf("the version is %q", info.Version)
	}
	var machines []map[string]any
	r.get("/api/farm/v1/agents").into(http.StatusOK, &machines)
	if len(machines) != 0 {
		t.Errorf("a farm without machines lists %v", machines)
	}
	job := r.submit(srcJob)
	var why struct{ ID, Why string }
	r.get("/api/farm/v1/jobs/"+job.ID+"/why").into(http.StatusOK, &why)
	if why.ID != job.ID || why.Why == "" {
		t.Errorf("the job waits because %+v", why)
	}
}

func TestTheLogHoldsNoKeys(t *testing.T) {
	r := start(t)
	tpl := r.createTemplate("aep")
	r.upload(tpl.UploadInfo.URL, "x").into(http.StatusOK, nil)
	job := r.submit(srcJob)
	r.get(strings.TrimPrefix(job.OutputURL, r.base))
	r.get("/api/v2/jobs", "Authorization: Bearer wrong-but-private")
	r.eventually("the requests are logged", func() bool { return strings.Count(r.logs.String(), "msg=request") >= 5 })
	_, query, _ := strings.Cut(tpl.UploadInfo.URL, "?")
	for what, secret := range map[string]string{
		"the token": r.token, "another token": "wrong-but-private", "a signature": query,
		"the address of a result": strings.TrimPrefix(job.OutputURL, r.base+"/outputs/"),
	} {
		if strings.Contains(r.logs.String(), secret) {
			t.Errorf("the log holds %s:\n%s", what, r.logs)
		}
	}
	if !strings.Contains(r.logs.String(), "route=/api/v2/jobs ") {
		t.Errorf("the log does not name the routes:\n%s", r.logs)
	}
}

func TestWhatCanBeReadCanBeAskedFor(t *testing.T) {
	r := start(t)
	job := r.submit(srcJob)
	for _, path := range []string{"/api/v2/jobs", "/api/v2/jobs/" + job.ID, "/api/v3/templates", "/healthz"} {
		a := r.send(http.MethodHead, path, nil).into(http.StatusOK, nil)
		if len(a.body) != 0 || a.header.Get("Content-Type") == "" {
			t.Errorf("HEAD %s gives %d bytes, %v", path, len(a.body), a.header)
		}
	}
}

func TestTimesAreISO8601WithMilliseconds(t *testing.T) {
	r := start(t)
	job := r.submit(srcJob)
	var raw struct{ Stats map[string]any }
	r.get("/api/v2/jobs/"+job.ID).into(http.StatusOK, &raw)
	text, _ := raw.Stats["createdAt"].(string)
	if _, err := time.Parse("2006-01-02T15:04:05.000Z", text); err != nil {
		t.Errorf("createdAt is %q: %v", text, err)
	}
}
