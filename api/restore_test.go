package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
)

const passphrase = "a passphrase for tests"

// field is a part of a form, a file when it has a name.
type field struct{ name, file, content string }

func (r *rig) restore(fields ...field) reply {
	r.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, f := range fields {
		var w io.Writer
		var err error
		if f.file != "" {
			w, err = form.CreateFormFile(f.name, f.file)
		} else {
			w, err = form.CreateFormField(f.name)
		}
		if err == nil {
			_, err = io.WriteString(w, f.content)
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		r.t.Fatal(err)
	}
	return r.send(http.MethodPost, "/api/farm/v1/restore", body.String(), "Content-Type: "+form.FormDataContentType())
}

func TestAFarmIsPutBackByAForm(t *testing.T) {
	r := start(t)
	kept := r.submit(srcJob)
	whole := string(r.send(http.MethodPost, "/api/farm/v1/backup", map[string]string{"passphrase": passphrase}).into(http.StatusOK, nil).body)
	later := r.submit(srcJob)
	opens, content := field{name: "passphrase", content: passphrase}, field{"backup", "farm.ocbackup", whole}
	for name, c := range map[string]struct {
		fields []field
		says   string
	}{
		"nothing":                             {nil, "holds no backup"},
		"no backup":                           {[]field{opens}, "holds no backup"},
		"the passphrase behind the backup":    {[]field{content, opens}, "none was given"},
		"a second backup":                     {[]field{opens, content, content}, "one backup"},
		"something else":                      {[]field{{name: "name", content: "x"}, content}, "is not a field"},
		"half of a backup":                    {[]field{opens, {"backup", "farm.ocbackup", whole[:len(whole)/2]}}, "ends early"},
		"another passphrase than the backups": {[]field{{name: "passphrase", content: "some other passphrase"}, content}, "not that of this backup"},
	} {
		a := r.restore(c.fields...)
		if a.status != http.StatusBadRequest || !strings.Contains(string(a.body), c.says) || strings.Contains(string(a.body), passphrase) {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	r.get("/api/v2/jobs/"+later.ID).into(http.StatusOK, nil)

	a := r.restore(opens, content).into(http.StatusOK, nil)
	var last struct {
		Step     string
		Error    string
		Restored struct {
			MadeAt, Before, Node string
			Change, RestoredAt   int64
		}
	}
	steps := 0
	for lines := json.NewDecoder(bytes.NewReader(a.body)); ; steps++ {
		if err := lines.Decode(&last); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in %s", err, a.body)
		}
	}
	if done := last.Restored; steps < 2 || last.Error != "" || done.RestoredAt <= done.Change || done.Before == "" || done.Node == "" || done.MadeAt == "" {
		t.Errorf("the answer is %s", a.body)
	}
	r.get("/api/v2/jobs/"+kept.ID).into(http.StatusOK, nil)
	r.get("/api/v2/jobs/" + later.ID).refused(http.StatusNotFound)
	r.submit(srcJob)
}
