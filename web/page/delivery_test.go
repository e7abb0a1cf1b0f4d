package page

import (
	"strings"
	"testing"
	"time"

	"overcrank/farm"
)

// drawn is the page of a job as a person of a role sees it.
func drawn(t *testing.T, role farm.Role, j Job) string {
	t.Helper()
	var b strings.Builder
	if err := JobBody(Shell{Reader: farm.Principal{Role: role}}, JobView{Job: j}).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAJobsPageTellsHowItsWebhookStands(t *testing.T) {
	at := time.Date(2026, 11, 21, 17, 0, 0, 0, time.UTC)
	hook := &farm.Webhook{URL: "https://shop.example/hook?key=s3cret", Headers: map[string]string{"Authorization": "s3cret"}}
	for name, c := range map[string]struct {
		status farm.JobStatus
		d      *farm.Delivery
		want   []string
		again  bool
	}{
		"before the end": {farm.JobRendering, nil, []string{"Sent when the job has ended"}, false},
		"cancelled":      {farm.JobCancelled, nil, []string{"Not sent"}, false},
		"about to be":    {farm.JobFinished, &farm.Delivery{Next: at}, []string{"Pending"}, false},
		"between tries":  {farm.JobFinished, &farm.Delivery{Tries: 2, Next: at, Error: "the receiver answered 500"}, []string{"Retrying", "after 2 attempts", "The receiver answered 500."}, false},
		"delivered":      {farm.JobFinished, &farm.Delivery{Tries: 1, EndedAt: at}, []string{"Delivered", "21 Nov 17:00"}, true},
		"given up":       {farm.JobFailed, &farm.Delivery{Tries: 4, EndedAt: at, Error: "<b>no answer"}, []string{"Given up", "after 4 attempts", "&lt;b&gt;no answer"}, true},
	} {
		page := drawn(t, farm.RoleArtist, Job{Job: farm.Job{ID: "J", Status: c.status, Webhook: hook}, Delivery: c.d})
		for _, w := range c.want {
			if !strings.Contains(page, w) {
				t.Errorf("%s: the page does not say %q", name, w)
			}
		}
		if strings.Contains(page, "Send again") != c.again {
			t.Errorf("%s: calling again is offered: %v", name, !c.again)
		}
		if strings.Contains(page, "s3cret") || strings.Contains(page, "shop.example") {
			t.Errorf("%s: the page shows what the webhook holds", name)
		}
	}
	if page := drawn(t, farm.RoleViewer, Job{Job: farm.Job{Status: farm.JobFinished, Webhook: hook}, Delivery: &farm.Delivery{EndedAt: at}}); strings.Contains(page, "Send again") {
		t.Error("who only looks may call again")
	}
}

func TestAResultElsewhereIsLedToAndNotShown(t *testing.T) {
	out := farm.OutputRef{Remote: &farm.RemoteObject{Endpoint: "s3.example", Bucket: "films", Key: "spring/spot.mp4"}}
	upload := &farm.Upload{Provider: "s3", Params: map[string]string{"accessKeySecret": "s3cret"}}
	j := Job{Job: farm.Job{ID: "J", Status: farm.JobFinished, OutputName: "J-x.mp4", Output: &out, Upload: upload}, Output: "/outputs/J-x.mp4"}
	page := drawn(t, farm.RoleViewer, j)
	for _, w := range []string{"films/spring/spot.mp4", "at s3.example", `href="/jobs/J/download"`, "stored elsewhere"} {
		if !strings.Contains(page, w) {
			t.Errorf("the page does not say %q", w)
		}
	}
	if strings.Contains(page, "<video") || strings.Contains(page, "s3cret") {
		t.Error("the page loads from elsewhere, or shows a key")
	}
	j.Job.Output = &farm.OutputRef{GoneAt: time.Now()}
	if page := drawn(t, farm.RoleViewer, j); !strings.Contains(page, "No longer kept") || strings.Contains(page, "<video") || strings.Contains(page, "Download</a>") {
		t.Error("a result that was dropped is offered")
	}
}
