package api_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/goregular"
)

// TestWhatClientsSendIsTaken sends jobs the way public clients do: typed ones, shells, nodes of workflow programs.
func TestWhatClientsSendIsTaken(t *testing.T) {
	r := start(t)
	tpl := r.createTemplate("zip").ID
	job := `{"template": {"id": "` + tpl + `", "composition": "main"}}`
	with := func(members string) string { return strings.TrimSuffix(job, "}") + ", " + members + "}" }
	for name, c := range map[string]struct {
		body   string
		header string
		path   string
	}{
		"as it should be":                 {body: job},
		"a slash at the end":              {body: job, path: "/api/v2/jobs/"},
		"a base address that ends in one": {body: job, path: "/api/v2//jobs"},
		"a scheme in lower case":          {body: job, header: "Authorization: bearer " + r.token},
		"no content type":                 {body: job, header: "Content-Type:"},
		"a shell's content type":          {body: job, header: "Content-Type: application/x-www-form-urlencoded"},
		"a charset":                       {body: job, header: "Content-Type: application/json;charset=UTF-8"},
		"anything for an answer":          {body: job, header: "Accept: */*"},
		"packed answers":                  {body: job, header: "Accept-Encoding: gzip, deflate, br"},
		"a mark before the text":          {body: "\ufeff" + job},
		"a line end behind it":            {body: job + "\r\n"},
		"null for what is not there":      {body: with(`"preview": null, "fonts": null, "assets": null, "settings": null, "upload": null, "webhook": null`)},
		"nothing in what is there":        {body: with(`"preview": false, "fonts": [], "assets": [], "settings": {}, "upload": {}, "webhook": {}`)},
		"a preview with empty settings":   {body: with(`"preview": true, "settings": {}`)},
		"no composition":                  {body: `{"template": {"id": "` + tpl + `", "composition": null}}`},
		"a place holder":                  {body: `{"template": {"id": "PLACEHOLDER", "src": "https://files.example/a.zip", "composition": "main"}}`},
		"an empty id":                     {body: `{"template": {"id": "", "src": "https://files.example/a.zip", "composition": "main"}}`},
		"keys of other systems":           {body: `{"uid": 7, "template": {"id": "` + tpl + `", "composition": "main", "outputExt": "mp4"}, "actions": {"postrender": []}, "assets": [{"type": "text", "layerName": "t", "value": "v", "comment": "x"}]}`},
		"arguments beside a name": {body: with(`"assets": [{"type": "function", "name": "nx-layer-state-set", "layerName": "cta", "params": {"state": "hidden"}},
			{"type": "function", "name": "nx:text-params-set", "params": {"layerName": ["a", "b"], "fontSize": 72, "fillColor": [1, 0.5, 0], "tracking": 50}}]`)},
		"a number for a text":      {body: with(`"assets": [{"type": "text", "layerName": "year", "value": 2027}]`)},
		"an empty text":            {body: with(`"assets": [{"type": "text", "layerName": "t", "value": ""}]`)},
		"an asset's composition":   {body: with(`"assets": [{"type": "image", "layerName": "logo", "composition": "intro->card", "src": "https://files.example/a%20b.png?x=1&y=[2]"}]`)},
		"an upload without a name": {body: with(`"upload": {"prefix": "a/", "params": {"region": "auto", "bucket": "films", "accessKeyId": "i", "accessKeySecret": "s"}}`)},
		"a webhook's data":         {body: with(`"webhook": {"url": "https://hook.example/done?x=1", "headers": {}, "data": {"id": 7}, "custom": false}`)},
	} {
		t.Run(name, func(t *testing.T) {
			if c.path == "" {
				c.path = "/api/v2/jobs"
			}
			header := []string{"Content-Type: application/json"}
			if c.header != "" {
				header = append(header, c.header)
			}
			var made jobAnswer
			r.send(http.MethodPost, c.path, c.body, header...).into(http.StatusCreated, &made)
			if made.ID == "" || made.Status != "queued" || made.OutputURL == "" {
				t.Errorf("the answer is %+v", made)
			}
		})
	}
}

// TestRootsAreFoundAsClientsMakeThem covers the ways from one base address to all versions.
func TestRootsAreFoundAsClientsMakeThem(t *testing.T) {
	r := start(t)
	for _, given := range []string{r.base + "/api/v2", r.base + "/api/v2/"} {
		bare := strings.TrimSuffix(given, "/")
		for _, address := range []string{
			given + "/templates", given + "/jobs?states=&tags=&limit=&from=&minimal=&sort=&from_date=", bare + "/v3/templates", bare + "/v3/templates/",
			strings.TrimSuffix(bare, "/v2") + "/v3/templates",
		} {
			var list []map[string]any
			r.get(address).into(http.StatusOK, &list)
		}
	}
	r.get("/api/v2///jobs").refused(http.StatusNotFound)
}

func TestTemplatesComeInAsClientsSendThem(t *testing.T) {
	r := start(t)
	for name, header := range map[string][]string{
		"nothing but a content type":  {"Authorization:", "Content-Type: application/octet-stream"},
		"another content type":        {"Authorization:", "Content-Type: application/zip"},
		"no content type":             {"Authorization:"},
		"a token that nobody asks of": {"Content-Type: application/octet-stream"},
		"after a question":            {"Authorization:", "Expect: 100-continue"},
	} {
		for _, chunked := range []bool{false, true} {
			var body io.Reader = strings.NewReader("this is no project")
			if chunked {
				body = io.MultiReader(body)
			}
			if a := r.send(http.MethodPut, r.createTemplate("aep").UploadInfo.URL, body, header...); a.status != http.StatusOK {
				t.Errorf("%s, chunked %t: %d %s", name, chunked, a.status, a.body)
			}
		}
	}
}

// TestBodiesThatNobodyReadsDoNoHarm covers clients that send JSON with every request.
func TestBodiesThatNobodyReadsDoNoHarm(t *testing.T) {
	r := start(t)
	for _, body := range []string{"", "{}", "null", `{"x": 1}`} {
		job, tpl := r.submit(srcJob), r.createTemplate("aep")
		r.send(http.MethodGet, "/api/v2/jobs/"+job.ID, body, "Content-Type: application/json").into(http.StatusOK, nil)
		r.send(http.MethodPatch, "/api/v2/jobs/"+job.ID+"/cancel", body, "Content-Type: application/json").into(http.StatusOK, nil)
		r.send(http.MethodPut, "/api/v2/templates/"+tpl.ID+"/upload", body, "Content-Type: application/json").into(http.StatusOK, nil)
		r.send(http.MethodDelete, "/api/v2/templates/"+tpl.ID, body, "Content-Type: application/json").into(http.StatusNoContent, nil)
	}
}

func TestFontsComeInAsClientsSendThem(t *testing.T) {
	r := start(t)
	for kind, family := range map[string]string{"application/octet-stream": "", "font/ttf": "Go", "application/x-font-ttf": "", "": "Studio Sans"} {
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		header := textproto.MIMEHeader{"Content-Disposition": {fmt.Sprintf(`form-data; name="font"; filename="Go%d.ttf"`, len(kind))}}
		if kind != "" {
			header.Set("Content-Type", kind)
		}
		part, err := w.CreatePart(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write(goregular.TTF); err != nil {
			t.Fatal(err)
		}
		if err := w.WriteField("familyName", family); err != nil {
			t.Fatal(err)
		}
		w.Close()
		var font struct{ ID, FamilyName, FileName, CreatedAt string }
		r.send(http.MethodPost, "/api/v2/fonts", form.Bytes(), "Content-Type: "+w.FormDataContentType()).into(http.StatusCreated, &font)
		if font.ID == "" || font.FamilyName == "" || family != "" && font.FamilyName != family || !strings.HasSuffix(font.FileName, ".ttf") {
			t.Errorf("the font is %+v", font)
		}
	}
}

// TestOldConnectionsWork speaks HTTP/1.0 with connections kept, which some proxies do.
func TestOldConnectionsWork(t *testing.T) {
	r := start(t)
	conn := r.connect()
	answers := bufio.NewReader(conn)
	for _, request := range []string{
		"GET /api/v2/jobs HTTP/1.0\r\nConnection: keep-alive\r\nAuthorization: Bearer %s\r\n\r\n",
		"POST /api/v2/jobs HTTP/1.0\r\nConnection: keep-alive\r\nAuthorization: Bearer %s\r\nContent-Length: " + fmt.Sprint(len(srcJob)) + "\r\n\r\n" + srcJob,
		"POST /api/v2/jobs HTTP/1.1\r\nHost: farm\r\nExpect: 100-continue\r\nAuthorization: Bearer %s\r\nContent-Length: " + fmt.Sprint(len(srcJob)) + "\r\n\r\n" + srcJob,
		"GET /api/v2/jobs HTTP/1.0\r\nAuthorization: Bearer %s\r\n\r\n",
	} {
		if _, err := fmt.Fprintf(conn, request, r.token); err != nil {
			t.Fatal(err)
		}
		method, _, _ := strings.Cut(request, " ")
		a := next(t, answers, method)
		if a.status >= 300 {
			t.Errorf("%.40s… answers %d %s", request, a.status, a.body)
		}
	}
}
