package coordinator_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/coordinator"
	"overcrank/coordinator/people"
	"overcrank/farm"
)

const secretValue = "s3cr3t+T0ken/with odd&things"

func (r *rig) secret(name, value string) farm.Secret {
	r.t.Helper()
	s, err := r.Secrets().Put(r.t.Context(), r.admin, name, farm.NewConfidential(value), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// referring makes a job refer to secrets in its assets.
func referring(names ...string) func(*farm.Job) {
	return func(j *farm.Job) {
		for _, name := range names {
			j.Assets = append(j.Assets, farm.Asset{Type: "image", LayerName: "x", Src: "http://files.test/a.png?token=${secrets." + name + "}"})
		}
	}
}

func TestALeaseHasTheValuesThatItNeedsAndNoOthers(t *testing.T) {
	r := open(t)
	r.secret("A", secretValue)
	r.secret("B", "bee")
	r.secret("C", "unused")
	job := r.submit(referring("A"), func(j *farm.Job) {
		j.Assets = append(j.Assets, farm.Asset{Type: "text", LayerName: "x", Value: json.RawMessage(`"\u0024{secrets.B}"`)})
	})
	s := r.enrol("box")
	s.connect()
	l := s.lease()
	if len(l.Secrets) != 2 || l.Secrets["A"] != secretValue || l.Secrets["B"] != "bee" {
		t.Errorf("the lease has %d secrets", len(l.Secrets))
	}
	if !strings.Contains(l.Assets[0].Src, "${secrets.A}") || strings.Contains(r.job(job.ID).Assets[0].Src, "T0ken") {
		t.Errorf("the references are gone: %+v", l.Assets)
	}
	if said := fmt.Sprintf("%v %+v %#v", l, l, l.Secrets); strings.Contains(said, secretValue) {
		t.Errorf("a lease shows its secrets: %s", said)
	}
	s.finish(l, "film")
	r.submit()
	if l := s.lease(); l.Secrets != nil {
		t.Error("a job without references got secrets")
	}
}

func TestReferencesToUnknownSecretsAreRefusedByField(t *testing.T) {
	r := open(t)
	r.secret("A", "x")
	team, err := r.MakeTeam(t.Context(), r.admin, "second")
	if err != nil {
		t.Fatal(err)
	}
	other, _ := r.token(r.admin, people.NewToken{Team: team.ID, Name: "o", Role: farm.RoleAdmin})
	job := farm.Job{
		Template: farm.JobTemplate{Src: "http://files.test/${secrets.A}.aep", Composition: "main"},
		Assets:   []farm.Asset{{Type: "script", Src: "data:,x", Parameters: []farm.AssetParameter{{Key: "k", Value: json.RawMessage(`{"deep":["${secrets.A}${secrets.NO}"]}`)}}}},
		Upload:   &farm.Upload{Provider: "s3", Params: map[string]string{"accessKeySecret": "${secrets.A}"}},
		Webhook:  &farm.Webhook{URL: "http://x.test/", Headers: map[string]string{"Auth": "${secrets.A}"}},
	}
	for _, c := range []struct {
		by   farm.Principal
		want string
	}{
		{r.admin, "assets[0].parameters[0].value.deep[0]"},
		{other, "template.src assets[0].parameters[0].value.deep[0] assets[0].parameters[0].value.deep[0] upload.params.accessKeySecret webhook.headers.Auth"},
	} {
		_, err := r.Submit(t.Context(), c.by, job)
		wantCode(t, err, farm.CodeInvalid)
		var fields []string
		var refused *farm.Error
		if errors.As(err, &refused) {
			for _, f := range refused.Fields {
				fields = append(fields, f.Field)
			}
		}
		if got := strings.Join(fields, " "); got != c.want {
			t.Errorf("refused are the fields %s, want %s", got, c.want)
		}
	}
	child := farm.Job{Template: job.Template, Assets: []farm.Asset{{Type: "text", LayerName: "x", Value: json.RawMessage(`"${secrets.NO}"`)}}}
	_, err = r.Submit(t.Context(), r.admin, farm.Job{
		Template: farm.JobTemplate{Src: "http://files.test/a.aep", Composition: "main"}, Assets: []farm.Asset{{Type: "job", LayerName: "x", Nested: &child}},
	})
	if err == nil || !strings.Contains(err.Error(), "assets[0].assets[0].value: names the secret \"NO\"") {
		t.Errorf("a nested job: %v", err)
	}
}

func TestASecretThatIsGoneFailsTheJob(t *testing.T) {
	r := open(t)
	s := r.secret("A", "x")
	job := r.submit(referring("A"))
	if err := r.Secrets().Delete(t.Context(), r.admin, s.ID); err != nil {
		t.Fatal(err)
	}
	box := r.enrol("box")
	box.connect()
	r.eventually("the job has failed", func() bool { return r.job(job.ID).Status == farm.JobFailed })
	if got := r.job(job.ID).Error; got != "Secret 'A' does not exist any more" {
		t.Errorf("failed with %q", got)
	}
}

func TestSecretsBelongToTheirTeam(t *testing.T) {
	r := open(t)
	s := r.secret("A", "mine")
	stranger := farm.Principal{Team: "another", Role: farm.RoleAdmin}
	if list, err := r.Secrets().List(t.Context(), stranger); err != nil || len(list) != 0 {
		t.Errorf("another team sees %v, %v", list, err)
	}
	wantCode(t, r.Secrets().Delete(t.Context(), stranger, s.ID), farm.CodeNotFound)
	list, err := r.Secrets().List(t.Context(), r.admin)
	if err != nil || len(list) != 1 || list[0].Sealed != nil {
		t.Errorf("the team sees %v, %v", list, err)
	}
}

func TestWebhooksCarrySecretsAndDoNotTellThem(t *testing.T) {
	r := open(t)
	r.secret("A", secretValue)
	taking := listen(t, taken)
	refusing := listen(t, func(w http.ResponseWriter, req *http.Request) {
		http.Error(w, "no "+req.URL.String(), http.StatusBadRequest)
	})
	hook := func(url string) func(*farm.Job) {
		return func(j *farm.Job) {
			j.Webhook = &farm.Webhook{URL: url + "/hook?k=${secrets.A}", Headers: map[string]string{"X-Key": "Key ${secrets.A}"}, Data: json.RawMessage(`{"k":"${secrets.A}"}`), Custom: true}
		}
	}
	s := r.enrol("box")
	s.connect()
	for _, to := range []string{taking.URL, refusing.URL} {
		r.submit(hook(to))
		s.finish(s.lease(), "film")
	}
	r.eventually("the receiver was called", func() bool { return len(taking.heard()) > 0 && len(refusing.heard()) > 0 })
	got := taking.heard()[0]
	if got.header.Get("X-Key") != "Key "+secretValue || got.path != "/hook?k=s3cr3t%2BT0ken%2Fwith%20odd%26things" || got.body != `{"k":"`+secretValue+`"}` {
		t.Errorf("the receiver got %+v", got)
	}
}

func TestTheKeyForSecretsIsChangedAndTheOldOneDropped(t *testing.T) {
	r := open(t)
	for i := range 150 { // more than one command reseals
		r.secret(fmt.Sprintf("S%d", i), fmt.Sprintf("value %d", i))
	}
	keyFile := filepath.Join(r.cfg.DataDir, "secrets.key")
	before, err := os.ReadFile(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(keyFile); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key file is %v, %v", info.Mode(), err)
	}
	first, err := r.Secrets().ChangeKey(t.Context(), r.admin, false)
	if err != nil || first.Resealed != 150 || len(first.Keys) != 2 {
		t.Fatalf("the change came to %+v, %v", first, err)
	}
	second, err := r.Secrets().ChangeKey(t.Context(), r.admin, true)
	if err != nil || second.Resealed != 150 || len(second.Keys) != 1 {
		t.Fatalf("the change came to %+v, %v", second, err)
	}
	_, err = r.Secrets().ChangeKey(t.Context(), farm.Principal{Team: r.admin.Team, Role: farm.RoleAdmin}, true)
	wantCode(t, err, farm.CodeForbidden)
	r.restart()
	r.submit(referring("S0", "S149"))
	s := r.enrol("box")
	s.connect()
	if l := s.lease(); l.Secrets["S0"] != "value 0" || l.Secrets["S149"] != "value 149" {
		t.Error("a secret does not open with the new key")
	}

	// The file from before the change does not open them, and the farm says so instead of starting without them.
	s.hangUp()
	r.stop()
	after, err := os.ReadFile(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	for what, content := range map[string][]byte{"old": before, "damaged": after[:len(after)-10], "missing": nil} {
		if err := os.Remove(keyFile); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if content != nil {
			if err := os.WriteFile(keyFile, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c, err := coordinator.Open(context.Background(), r.cfg)
		if err == nil {
			t.Errorf("the farm starts with a key file that is %s", what)
			_ = c.Close()
		} else if !strings.Contains(err.Error(), keyFile) || !strings.Contains(err.Error(), "backup") {
			t.Errorf("with a key file that is %s it says %v", what, err)
		}
	}
	if err := os.WriteFile(keyFile, after, 0o600); err != nil {
		t.Fatal(err)
	}
	r.start()
}

func TestNoValueLiesInTheFarmsState(t *testing.T) {
	r := open(t)
	r.secret("A", secretValue)
	r.submit(referring("A"))
	s := r.enrol("box")
	s.connect()
	s.finish(s.lease(), "film")
	r.stop()
	err := filepath.WalkDir(r.cfg.DataDir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(secretValue)) || bytes.Contains(content, []byte("s3cr3t")) {
			t.Errorf("%s holds the value", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r.start()
}
