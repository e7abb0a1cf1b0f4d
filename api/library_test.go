package api_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"overcrank/coordinator/library"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
)

// form is a multipart form: "name=value" fields, and "name@file name" files, whose bytes follow in content.
func form(t testing.TB, parts []string, content ...[]byte) (body []byte, header string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, part := range parts {
		if name, value, ok := strings.Cut(part, "="); ok {
			if err := w.WriteField(name, value); err != nil {
				t.Fatal(err)
			}
			continue
		}
		name, file, _ := strings.Cut(part, "@")
		f, err := w.CreateFormFile(name, file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(content[0]); err != nil {
			t.Fatal(err)
		}
		content = content[1:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), "Content-Type: " + w.FormDataContentType()
}

func (r *rig) addFont(fileName string, content []byte, fields ...string) reply {
	r.t.Helper()
	body, header := form(r.t, append([]string{"font@" + fileName}, fields...), content)
	return r.send(http.MethodPost, "/api/v2/fonts", body, header)
}

type fontAnswer struct{ ID, FamilyName, FileName, CreatedAt string }

func TestFontsAreAddedListedAndDeleted(t *testing.T) {
	r := start(t)
	var regular, bold, again fontAnswer
	r.addFont("Go-Regular.ttf", goregular.TTF).into(http.StatusCreated, &regular)
	if regular.FamilyName != "Go" || regular.FileName != "Go-Regular.ttf" || regular.ID == "" || regular.CreatedAt == "" {
		t.Errorf("the font is %+v", regular)
	}
	r.addFont("Go-Bold.ttf", gobold.TTF, "familyName=House Sans").into(http.StatusCreated, &bold)
	if bold.FamilyName != "House Sans" {
		t.Errorf("the font's family is %q", bold.FamilyName)
	}
	r.addFont("Go-Regular.ttf", goregular.TTF).into(http.StatusCreated, &again)
	if again != regular {
		t.Errorf("the same file again is %+v", again)
	}
	r.addFont("go-regular.TTF", gobold.TTF).refused(http.StatusConflict, "another font file", "delete")

	var list []fontAnswer
	r.get("/api/v2/fonts").into(http.StatusOK, &list)
	if len(list) != 2 || list[0] != regular || list[1] != bold {
		t.Errorf("the library holds %+v", list)
	}
	var one fontAnswer
	r.get("/api/v2/fonts/"+bold.ID).into(http.StatusOK, &one)
	if one != bold {
		t.Errorf("got %+v", one)
	}
	if a := r.send(http.MethodDelete, "/api/v2/fonts/"+bold.ID, nil).into(http.StatusNoContent, nil); len(a.body) != 0 {
		t.Errorf("a deletion answers %q", a.body)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		r.send(method, "/api/v2/fonts/"+bold.ID, nil).refused(http.StatusNotFound, bold.ID)
	}
}

func TestAFontStandsInForAnother(t *testing.T) {
	r := start(t)
	leveled(r, r.token)
	var bold, made, again fontAnswer
	r.addFont("Heavy.ttf", gobold.TTF).into(http.StatusCreated, &bold)
	standIns := "/api/farm/v1/fonts/" + bold.ID + "/stand-ins"
	key := "Idempotency-Key: " + fresh()
	answer := r.send(http.MethodPost, standIns, `{"name": "Gotham-Bold", "face": "Go-Bold"}`, key).into(http.StatusCreated, &made)
	if made.FileName != "Go-Bold for Gotham-Bold.ttf" || made.FamilyName != "Gotham" || !strings.Contains(string(answer.body), `"copyOf":"Go-Bold"`) {
		t.Errorf("the copy is %s", answer.body)
	}
	if r.send(http.MethodPost, standIns, `{"name": "Gotham-Bold", "face": "Go-Bold"}`, key).into(http.StatusCreated, &again); again != made {
		t.Errorf("the same request again is answered with %+v", again)
	}
	if whole := r.get("/api/v2/fonts/"+bold.ID).into(http.StatusOK, nil); strings.Contains(string(whole.body), "copyOf") {
		t.Errorf("a font that was added is shown as a copy: %s", whole.body)
	}
	r.send(http.MethodPost, standIns, `{"name": "Gotham-Bold"}`).refused(http.StatusConflict, "already", made.FileName)
	r.send(http.MethodPost, standIns, `{"name": "Other", "face": "Go-Italic"}`).refused(http.StatusBadRequest, "face", "Go-Bold")
	r.send(http.MethodPost, standIns, `{"name": "Other", "weight": 3}`).refused(http.StatusBadRequest, "weight")
	if log := r.get("/api/farm/v1/audit?limit=1").into(http.StatusOK, nil); !strings.Contains(string(log.body), "font.add") || !strings.Contains(string(log.body), made.FileName) {
		t.Errorf("the latest that is known of who did what is %s", log.body)
	}
}

func TestWhatIsNoFontIsRefusedWithTheReason(t *testing.T) {
	r := start(t)
	cutName := bytes.Clone(goregular.TTF[:len(goregular.TTF)/2])
	for name, tc := range map[string]struct {
		file    string
		content []byte
		reason  string
	}{
		"text":       {"a.ttf", []byte("this is certainly no font at all"), "no TrueType or OpenType font"},
		"empty":      {"a.ttf", nil, "empty"},
		"short":      {"a.ttf", []byte{0, 1, 0, 0}, "4 bytes"},
		"woff":       {"a.ttf", append([]byte("wOFF"), make([]byte, 100)...), "WOFF"},
		"woff2":      {"a.otf", append([]byte("wOF2"), make([]byte, 100)...), "WOFF2"},
		"zip":        {"a.ttf", append([]byte("PK\x03\x04"), make([]byte, 100)...), "ZIP"},
		"truncated":  {"a.ttf", cutName, "truncated"},
		"extension":  {"a.exe", goregular.TTF, ".ttf"},
		"no name":    {"..", goregular.TTF, "plain file name"},
		"no tables":  {"a.ttf", append([]byte{0, 1, 0, 0, 0, 0}, make([]byte, 100)...), "0 tables"},
		"collection": {"a.ttc", binary.BigEndian.AppendUint32(append([]byte("ttcf"), 0, 1, 0, 0), 1<<30), "collection"},
	} {
		t.Run(name, func(t *testing.T) {
			r := *r
			r.t = t
			var e struct {
				Details []struct{ Field, Message string }
			}
			r.addFont(tc.file, tc.content).refused(http.StatusBadRequest, tc.reason).into(http.StatusBadRequest, &e)
			if len(e.Details) != 1 || e.Details[0].Field != "font" {
				t.Errorf("the details are %+v", e.Details)
			}
		})
	}
	body, header := form(t, []string{"file@a.ttf"}, goregular.TTF)
	r.send(http.MethodPost, "/api/v2/fonts", body, header).refused(http.StatusBadRequest, "named font")
	body, header = form(t, []string{"font@a.ttf", "font@b.ttf"}, goregular.TTF, gobold.TTF)
	r.send(http.MethodPost, "/api/v2/fonts", body, header).refused(http.StatusBadRequest, "more than one")
	body, header = form(t, []string{"other=1"})
	r.send(http.MethodPost, "/api/v2/fonts", body, header).refused(http.StatusBadRequest, "font", "missing")
	r.send(http.MethodPost, "/api/v2/fonts", goregular.TTF, "Content-Type: font/ttf").refused(http.StatusBadRequest, "multipart/form-data")
	body, header = form(t, []string{"font@a.ttf", "familyName=a\nb"}, goregular.TTF)
	r.send(http.MethodPost, "/api/v2/fonts", body, header).refused(http.StatusBadRequest, "familyName")
	body, header = form(t, []string{"font@a.ttf"}, goregular.TTF)
	r.send(http.MethodPost, "/api/v2/fonts", body[:len(body)-20], header).refused(http.StatusBadRequest, "broke off")
	var list []fontAnswer
	if r.get("/api/v2/fonts").into(http.StatusOK, &list); len(list) != 0 {
		t.Errorf("the library holds %+v", list)
	}
}

func TestFontsOfMoreThan40MiBAreTooLarge(t *testing.T) {
	r := start(t)
	large := append(bytes.Clone(goregular.TTF), make([]byte, library.MaxFont+1-len(goregular.TTF))...)
	r.addFont("a.ttf", large).refused(http.StatusRequestEntityTooLarge)
	r.addFont("a.ttf", large[:library.MaxFont]).into(http.StatusCreated, nil)
}

func TestFontsOfATemplateAndOfAJobAreMatched(t *testing.T) {
	r := start(t)
	var made struct {
		MissingFonts []string
		ID           string
	}
	body := map[string]any{
		"template": map[string]string{"src": "http://files.test/a.aep", "composition": "main"},
		"fonts":    []string{"Go-Bold.ttf"},
		"assets":   []map[string]any{{"type": "function", "name": "nx:text-params-set", "params": map[string]any{"layerName": "x", "font": "GoRegular"}}},
	}
	r.send(http.MethodPost, "/api/v2/jobs", body).into(http.StatusCreated, &made)
	if fmt.Sprint(made.MissingFonts) != "[Go-Bold.ttf GoRegular]" {
		t.Errorf("the missing fonts are %v", made.MissingFonts)
	}
	var font fontAnswer
	r.addFont("Go-Bold.ttf", gobold.TTF).into(http.StatusCreated, &font)
	r.addFont("any name.ttf", goregular.TTF).into(http.StatusCreated, nil)
	made.MissingFonts = nil
	r.send(http.MethodPost, "/api/v2/jobs", body).into(http.StatusCreated, &made)
	if len(made.MissingFonts) != 0 {
		t.Errorf("the missing fonts are %v", made.MissingFonts)
	}
	r.send(http.MethodDelete, "/api/v2/fonts/"+font.ID, nil).refused(http.StatusConflict, "not ended (1)")
	r.send(http.MethodPatch, "/api/v2/jobs/"+made.ID+"/cancel", nil).into(http.StatusOK, nil)
	r.send(http.MethodDelete, "/api/v2/fonts/"+font.ID, nil).into(http.StatusNoContent, nil)
}

func TestSecretsAreKeptOnceAndNeverShown(t *testing.T) {
	r := start(t)
	const value = "s3cr3t-value-0815"
	var secret struct{ ID, Name, CreatedAt string }
	a := r.send(http.MethodPut, "/api/v2/secrets", map[string]string{"name": "CDN_TOKEN", "value": value}).into(http.StatusCreated, &secret)
	if secret.ID == "" || secret.Name != "CDN_TOKEN" || secret.CreatedAt == "" || bytes.Contains(a.body, []byte(value)) {
		t.Errorf("the secret is %s", a.body)
	}
	var e struct{ ErrorCode string }
	r.send(http.MethodPut, "/api/v2/secrets", map[string]string{"name": "CDN_TOKEN", "value": "other"}).into(http.StatusConflict, &e)
	if e.ErrorCode != "SECRET_ALREADY_EXISTS" {
		t.Errorf("the errorCode is %q", e.ErrorCode)
	}
	for body, field := range map[string]string{
		`{"name": "A"}`: "value", `{"name": "A", "value": null}`: "value", `{"name": "A", "value": ""}`: "value", `{"name": "A", "value": 5}`: "value",
		`{"value": "x"}`: "name", `{"name": "a b", "value": "x"}`: "name", `{"name": "}", "value": "x"}`: "name",
		`{"name": "A", "value": "` + strings.Repeat("x", 9<<10) + `"}`: "value", `{"name": "` + strings.Repeat("x", 101) + `", "value": "x"}`: "name",
	} {
		var e struct{ Details []struct{ Field string } }
		r.send(http.MethodPut, "/api/v2/secrets", []byte(body)).into(http.StatusBadRequest, &e)
		if len(e.Details) != 1 || e.Details[0].Field != field {
			t.Errorf("%.60s: the details are %+v", body, e.Details)
		}
	}
	if a := r.get("/api/v2/secrets"); a.status != http.StatusOK || bytes.Contains(a.body, []byte(value)) || !bytes.Contains(a.body, []byte(`"name":"CDN_TOKEN"`)) {
		t.Errorf("the list is %d %s", a.status, a.body)
	}
	var key struct {
		Key      string
		Resealed int
		Keys     []string
	}
	r.send(http.MethodPost, "/api/farm/v1/secret-keys", map[string]bool{"dropOld": true}).into(http.StatusOK, &key)
	if key.Resealed != 1 || len(key.Keys) != 1 || key.Keys[0] != key.Key {
		t.Errorf("the change of keys gave %+v", key)
	}
	r.send(http.MethodDelete, "/api/v2/secrets/"+secret.ID, nil).into(http.StatusOK, nil)
	r.send(http.MethodDelete, "/api/v2/secrets/"+secret.ID, nil).refused(http.StatusNotFound, secret.ID)
	if strings.Contains(r.logs.String(), value) {
		t.Error("the log holds the value")
	}
}

func TestReferencesToSecretsAreCheckedAndStayAsTheyAre(t *testing.T) {
	r := start(t)
	job := func(asset map[string]any) map[string]any {
		return map[string]any{"template": map[string]string{"src": "http://files.test/a.aep", "composition": "main"}, "assets": []any{asset}}
	}
	image := job(map[string]any{"type": "image", "layerName": "x", "src": "https://cdn.test/a.png?token=${secrets.CDN_TOKEN}"})
	var e struct {
		Details []struct{ Field, Message string }
	}
	r.send(http.MethodPost, "/api/v2/jobs", image).into(http.StatusBadRequest, &e)
	if len(e.Details) != 1 || e.Details[0].Field != "assets[0].src" || !strings.Contains(e.Details[0].Message, "CDN_TOKEN") {
		t.Errorf("the details are %+v", e.Details)
	}
	r.send(http.MethodPost, "/api/v2/jobs", job(map[string]any{"type": "text", "layerName": "x", "value": "\u0024{secrets.NO}"})).refused(http.StatusBadRequest, "assets[0].value")
	r.send(http.MethodPost, "/api/v2/jobs", job(map[string]any{"type": "static", "name": "${secrets.NO}.txt", "src": "http://x.test/"})).refused(http.StatusBadRequest, "assets[0].name")

	r.send(http.MethodPut, "/api/v2/secrets", map[string]string{"name": "CDN_TOKEN", "value": "tok/en+1"}).into(http.StatusCreated, nil)
	var made struct{ ID string }
	r.send(http.MethodPost, "/api/v2/jobs", image).into(http.StatusCreated, &made)
	whole := job(map[string]any{"type": "image", "layerName": "x", "src": "${secrets.CDN_TOKEN}"})
	r.send(http.MethodPost, "/api/v2/jobs", whole).into(http.StatusCreated, nil)
	a := r.get("/api/v2/jobs/"+made.ID).into(http.StatusOK, nil)
	if !bytes.Contains(a.body, []byte("token=${secrets.CDN_TOKEN}")) || bytes.Contains(a.body, []byte("tok/en")) {
		t.Errorf("the job is %s", a.body)
	}
}
