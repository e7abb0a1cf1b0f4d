package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"overcrank/api"
	"overcrank/farm"
	"overcrank/farm/wire"
)

func TestResultsElsewhereAreLedTo(t *testing.T) {
	r := start(t)
	r.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	var secret struct{ ID string }
	r.send(http.MethodPut, "/api/v2/secrets", `{"name": "BUCKET_KEY", "value": "hidden"}`).into(http.StatusCreated, &secret)
	job := r.submit(strings.Replace(srcJob, "{", `{"upload": {"provider": "s3", "prefix": "films/", "params": {"endpoint": "http://storage:9000",
		"region": "r", "bucket": "bucket", "accessKeyId": "id", "accessKeySecret": "${secrets.BUCKET_KEY}"}}, `, 1))
	m := r.enrol("suite-1")
	m.connect()
	lease := m.hear().Lease
	r.get(job.OutputURL).refused(http.StatusNotFound)
	to := farm.RemoteObject{Endpoint: "storage:9000", Region: "r", Bucket: "bucket", Key: "films/" + job.ID + ".mp4", Insecure: true}
	m.say(wire.Message{Finished: &wire.Finished{Attempt: lease.Attempt, Output: farm.OutputRef{
		FileRef: farm.FileRef{SHA256: strings.Repeat("a", 64), Size: 4}, Remote: &to,
	}}})
	m.hear()
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		got := r.send(method, job.OutputURL, nil, "Authorization:").into(http.StatusTemporaryRedirect, nil)
		location := got.header.Get("Location")
		if !strings.HasPrefix(location, "http://storage:9000/bucket/films/"+job.ID+".mp4?") || !strings.Contains(location, "X-Amz-Signature=") || strings.Contains(location, "hidden") {
			t.Errorf("%s leads to %q", method, location)
		}
	}
	r.send(http.MethodDelete, "/api/v2/secrets/"+secret.ID, nil).into(http.StatusOK, nil)
	r.get(job.OutputURL).refused(http.StatusGone, "uploaded elsewhere")
}

func TestResultsMayAskForTheTeam(t *testing.T) {
	signedIn := farm.Principal{}
	r := start(t, func(cfg *api.Config) {
		cfg.TeamsResults = true
		cfg.Browser = func(*fiber.Ctx) (farm.Principal, error) {
			if signedIn.Team == "" {
				return signedIn, farm.Errorf(farm.CodeUnauthorized, "not signed in")
			}
			return signedIn, nil
		}
	})
	job := r.submit(srcJob)
	m := r.enrol("suite-1")
	m.connect()
	lease := m.hear().Lease
	var out farm.OutputRef
	m.put(wire.PathOutput, lease.Attempt, "result.mp4", "film").into(http.StatusOK, &out)
	m.say(wire.Message{Finished: &wire.Finished{Attempt: lease.Attempt, Output: out}})
	m.hear()

	own, err := r.farm.Authenticate(t.Context(), r.token)
	if err != nil {
		t.Fatal(err)
	}
	r.get(job.OutputURL).into(http.StatusOK, nil)
	r.get(job.OutputURL, "Authorization:").refused(http.StatusUnauthorized)
	r.get(job.OutputURL, "Authorization: Bearer wrong").refused(http.StatusUnauthorized)
	stranger := r.makeTeam("strangers")
	other := r.makeToken("admin", `, "team": "`+stranger.ID+`"`)
	r.get(job.OutputURL, bearer(other.Secret)).refused(http.StatusNotFound)
	for team, status := range map[string]int{own.Team: http.StatusOK, stranger.ID: http.StatusNotFound} {
		signedIn.Team, signedIn.Role = team, farm.RoleViewer
		if got := r.get(job.OutputURL, "Authorization:"); got.status != status {
			t.Errorf("a browser of team %s gets %d, want %d", team, got.status, status)
		}
	}
}
