package web_test

import (
	"bytes"
	"fmt"
	"html"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/api/public"
	"overcrank/coordinator/templates"
	"overcrank/farm"
)

// cardTemplate registers a project whose composition, main, holds two texts and, in a composition within it, a plane.
func (r *rig) cardTemplate(who string) farm.Template {
	r.t.Helper()
	comp := func(layers ...*aep.Layer) *aep.Composition {
		return &aep.Composition{Width: 64, Height: 48, PixelAspect: 1, FrameRate: 25, FrameTicks: 1024, TicksPerSecond: 25600, Duration: 2, WorkAreaDuration: 2, Layers: layers}
	}
	text := func(id uint32, name, words string) *aep.Layer {
		n := len(words) + 1
		doc := &aep.TextDocument{
			Text: words, Paragraphs: []aep.ParagraphRun{{Length: n}},
			Runs: []aep.TextRun{{Length: n, Style: aep.CharacterStyle{Font: "Inter-Bold", Size: 20, HScale: 100, VScale: 100, AutoLeading: true, ApplyFill: true}}},
		}
		return &aep.Layer{ID: id, Name: name, Kind: aep.LayerText, Out: 2, Stretch: 100, Enabled: true, Props: &aep.Property{
			Match: "ADBE Text Layer", Group: true, Enabled: true, Children: []*aep.Property{
				{Match: "ADBE Text Properties", Group: true, Enabled: true, Children: []*aep.Property{{Match: "ADBE Text Document", Enabled: true, Value: doc}}},
			},
		}}
	}
	inner := &aep.Layer{ID: 20, Name: "Picture", Kind: aep.LayerAV, Source: 2, Out: 2, Stretch: 100, Enabled: true, Props: &aep.Property{Match: "ADBE AV Layer", Group: true, Enabled: true}}
	var b bytes.Buffer
	err := aep.Write(&b, &aep.Project{
		Version: aep.Version{Major: 24, OS: "windows"}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8,
		Items: []*aep.Item{
			{ID: 1, Name: "main", Kind: aep.ItemComposition, Comp: comp(text(10, "Title", "=Sale"), text(11, "Subtitle", "One\rTwo"), inner)},
			{ID: 2, Name: "inner", Kind: aep.ItemComposition, Comp: comp()},
		},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return r.readTemplate(who, "Spring: Card", b.Bytes())
}

// readTemplate registers a project and waits until it has been read.
func (r *rig) readTemplate(who, name string, project []byte) farm.Template {
	r.t.Helper()
	made, err := r.farm.Templates().Create(r.t.Context(), r.principal(who), templates.New{Type: "aep", DisplayName: name})
	if err != nil {
		r.t.Fatal(err)
	}
	return r.receives(who, made, project)
}

// replaceTemplate gives a template another file and waits until it has been read.
func (r *rig) replaceTemplate(who string, t farm.Template, project []byte) farm.Template {
	r.t.Helper()
	renewed, err := r.farm.Templates().RenewUpload(r.t.Context(), r.principal(who), t.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.receives(who, renewed, project)
}

// receives uploads the file of a template and waits until it has been read.
func (r *rig) receives(who string, made farm.Template, project []byte) farm.Template {
	r.t.Helper()
	to, err := url.Parse(r.farm.Templates().UploadAddress(made))
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.farm.Templates().Receive(r.t.Context(), made.ID, to.RawQuery, bytes.NewReader(project), int64(len(project))); err != nil {
		r.t.Fatal(err)
	}
	r.eventually("the template is read", func() bool {
		made, err = r.farm.Templates().Get(r.t.Context(), r.principal(who), made.ID)
		return err == nil && made.Status == farm.TemplateUploaded && made.Introspection != nil
	})
	return made
}

// field is a value of a form, or a file when it has a name.
type field struct{ name, file, value string }

// sends posts a form as browsers without scripts do.
func (v *visitor) sends(path string, fields ...field) answer {
	v.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, f := range fields {
		var err error
		if f.file == "" {
			err = form.WriteField(f.name, f.value)
		} else {
			w, made := form.CreateFormFile(f.name, f.file)
			if err = made; err == nil {
				_, err = w.Write([]byte(f.value))
			}
		}
		if err != nil {
			v.t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		v.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.base+path, &body)
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Accept", "text/html,*/*;q=0.8")
	req.Header.Set("Origin", v.origin)
	return v.do(req)
}

var hiddenKept = regexp.MustCompile(`name="kept" value="([^"]*)"`)

func TestATableBecomesOneBatchWithoutScripts(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	v := r.as("art")
	v.get("/new?template="+card.ID).is(http.StatusOK, "Many, from a table")
	v.get("/templates/"+card.ID).is(http.StatusOK, "Many, from a table")
	v.get("/new/table?template="+card.ID).is(http.StatusOK, "Drop a table here", "Download a table to fill in").lacks("Columns</h2>")

	blank := v.get("/new/table.csv?template=" + card.ID).is(http.StatusOK)
	if want := "\ufeff@name,Title,Subtitle\r\n,'=Sale,\"One\r\nTwo\"\r\n"; blank.body != want {
		t.Errorf("the table to fill in is %q, want %q", blank.body, want)
	}
	if d := blank.header.Get("Content-Disposition"); !strings.Contains(d, "attachment") || !strings.Contains(d, "Spring") {
		t.Errorf("it is kept as %q", d)
	}

	project, err := r.farm.AddProject(t.Context(), r.principal("ada"), "Spring spots", nil)
	if err != nil {
		t.Fatal(err)
	}
	base := []field{{name: "template", value: card.ID}, {name: "composition", value: "main"}, {name: "name", value: "Spot {Titel}"}, {name: "codec", value: "video_prores_422"}, {name: "project", value: project.ID}}
	table := "Titel\tPicture\tremark\nSpring\tnight.png\tx\n'=1+1\tNIGHT.png\ty\n"
	look := v.sends("/files/table", append(base, field{name: "table", value: table}, field{name: "do", value: "look"})...).is(http.StatusOK,
		`value="Title" selected`, "Is this right?", `<option value="`+project.ID+`" selected>Spring spots`, "Column “remark”: the template has no layer “remark”", "Line 2, column “Picture”: the file “night.png” is missing", "Spot Spring", "disabled")
	if n := strings.Count(look.body, ": the file “night.png” is missing"); n != 1 {
		t.Errorf("a missing file that is named twice is complained of %d times", n)
	}
	// What is only likely is not ordered.
	v.sends("/files/table", append(base, field{name: "table", value: "Titel\nx\n"}, field{name: "do", value: "order"})...).is(http.StatusBadRequest, "Is this right?")

	settled := append(base, field{name: "heading", value: "Titel"}, field{name: "about", value: "Title"}, field{name: "heading", value: "remark"}, field{name: "about"})
	look = v.sends("/files/table", append(settled, field{name: "table", value: table}, field{name: "files", file: "Night.png", value: "no picture, really"})...).is(http.StatusOK,
		"Render 2 films", "Here</span>", "Spot =1+1", "Nothing: ignore it").lacks("wrong with the table", "Is this right?", "Missing")
	kept := hiddenKept.FindStringSubmatch(look.body)
	if kept == nil {
		t.Fatal("the page forgot the file")
	}
	done := v.sends("/files/table", append(settled, field{name: "table", value: table}, field{name: "kept", value: html.UnescapeString(kept[1])}, field{name: "do", value: "order"})...)
	if !strings.HasPrefix(done.path, "/batches/") {
		t.Fatalf("ordering leads to %s: %.2000s", done.path, done.body)
	}
	done.is(http.StatusOK, "Spot Spring and 1 more", "Spot =1+1")
	jobs, _, err := r.farm.Jobs(t.Context(), r.principal("ada"), farm.JobQuery{Sort: "oldest_first"})
	if err != nil || len(jobs) != 2 {
		t.Fatalf("%d jobs, %v", len(jobs), err)
	}
	second := jobs[1]
	if second.ProjectID != project.ID {
		t.Errorf("the second job is for the project %q", second.ProjectID)
	}
	if second.Name != "Spot =1+1" || second.Batch == "" || second.Settings.Codec != "video_prores_422" || len(second.Assets) != 2 ||
		string(second.Assets[0].Value) != `"=1+1"` || !strings.HasPrefix(second.Assets[1].Src, "farm://") || second.Assets[1].Type != "image" {
		t.Errorf("the second job is %+v", second)
	}
}

func TestATableIsReadByTheRulesOfTheInterface(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	v := r.as("ada")
	send := func(table string, more ...field) answer {
		fields := append([]field{{name: "template", value: card.ID}, {name: "composition", value: "main"}, {name: "sheet", file: "variants.csv", value: table}, {name: "table"}}, more...)
		return v.sends("/files/table", fields...)
	}
	for name, c := range map[string]struct {
		table string
		words []string
	}{
		"a wrong codec, with its line":   {"Title,@codec\na,\nb,wmv\n", []string{"Line 3, column “@codec”: settings.codec has to be"}},
		"a wrong priority":               {"Title,@priority\na,high\n", []string{"Line 2, column “@priority”: ", "not a whole number"}},
		"several":                        {"Title,@level\na,soon\nb,later\n", []string{"2 things are wrong", "Line 2", "Line 3"}},
		"a workbook":                     {"PK\x03\x04\x00\x00", []string{"The workbook is damaged"}},
		"a million columns":              {strings.Repeat("a,", 999_999) + "a\nx\n", []string{"1,000,000 cells", "500"}},
		"more rows than a batch":         {"Title\n" + strings.Repeat("x\n", 1001), []string{"1,001 rows", "1000", "command line"}},
		"fifty megabytes":                {"Title\n" + strings.Repeat("x\n", 25<<20), []string{"larger than 4 MiB"}},
		"a stray quote":                  {"Title\n5\" x\n", []string{"Line 2", "quote"}},
		"headings only":                  {"Title\n", []string{"no rows"}},
		"markup":                         {"<script>alert(1)</script>,Title\n<img src=x>,\"<b class=x>\"\n", []string{"&lt;script&gt;", "&lt;b class"}},
		"numbers that no job takes":      {"Title:Opacity\n1e999\n", []string{"Line 2, column “Title:Opacity”: value is a number"}},
		"a file in a cell of properties": {"Picture\nnotes.xyz\n", []string{"Line 2", "notes.xyz"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := send(c.table, field{name: "do", value: "order"}).lacks("<script>alert", "<img src=x", "<b class=x")
			if a.status != http.StatusBadRequest {
				t.Errorf("status %d", a.status)
			}
			for _, w := range c.words {
				if !strings.Contains(a.body, w) {
					t.Errorf("it does not say %q: %s", w, regexp.MustCompile(`(?s)id="problems".*?</div>`).FindString(a.body))
				}
			}
		})
	}
	send("Title\nx\n", field{name: "preview", value: "1"}, field{name: "name", value: "{Titel}"}).is(http.StatusOK, "no column “Titel”")
	send("Title,@frames\nx,1-2\n", field{name: "preview", value: "1"}).is(http.StatusOK, "cannot be given together with preview")

	if jobs, _, err := r.farm.Jobs(t.Context(), r.principal("ada"), farm.JobQuery{}); err != nil || len(jobs) != 0 {
		t.Errorf("%d jobs were ordered, %v", len(jobs), err)
	}
}

func TestRefusedRowsComeBackAsATable(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	a := r.as("ada").sends("/files/table", field{name: "template", value: card.ID}, field{name: "composition", value: "main"},
		field{name: "table", value: "Title,@composition\ngood,\nbad,nowhere\n"}, field{name: "do", value: "order"}).is(http.StatusOK,
		"1 job was submitted", "/batches/", "Line 2, column “@composition”: ", "bad,nowhere", "disabled")
	a.lacks("good,")
	// With the separator that it had: what a decimal comma means depends on it.
	r.as("ada").sends("/files/table", field{name: "template", value: card.ID}, field{name: "composition", value: "main"},
		field{name: "table", value: "Title;@composition\ngood;\n1,5;nowhere\n"}, field{name: "do", value: "order"}).is(http.StatusOK, "1 job was submitted", "1,5;nowhere")
}

// TestALineOfATableHidesNoOther has the page keep what the columns are about, and all other rows, whatever one line holds.
func TestALineOfATableHidesNoOther(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	v := r.as("art")
	base := []field{
		{name: "template", value: card.ID}, {name: "composition", value: "main"},
		{name: "heading", value: "Kopf"}, {name: "about", value: "Title"}, {name: "heading", value: "Prio"}, {name: "about", value: "@priority"},
	}
	const mapped = `value="Title" selected`
	for name, c := range map[string]struct {
		line  string
		words []string
	}{
		"more cells than columns": {"b,1,c", []string{"Line 3, column 3: “c” has no heading", "Render the 2 without errors"}},
		"far more cells":          {strings.Repeat(",", 100_001), []string{"Line 3: the line has 100,002 cells"}},
		"a long cell":             {"b," + strings.Repeat("9", 1<<20), []string{"Line 3, column “Prio”: ", "99…” is not a whole number", "Render the 2 without errors"}},
		"long words":              {strings.Repeat("b", 2<<20) + ",1", []string{"Line 3, column “Kopf”: ", "Render the 2 without errors"}},
		"a stray quote":           {"5\" b,1", []string{"Line 3, column “Kopf”: a cell contains a quote"}},
		"a quote without another": {"\"b,1", []string{"Line 3, column “Kopf”: the quotes"}},
		"more than a page takes":  {strings.Repeat("b", 5<<20), []string{"larger than 4 MiB"}},
		"more rows than a batch":  {strings.Repeat("b,1\n", 1000), []string{"1,002 rows"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := v.sends("/files/table", append(base, field{name: "sheet", file: "a.csv", value: "Kopf,Prio\na,5\n" + c.line + "\nz,7\n"}, field{name: "do", value: "look"})...)
			a.is(http.StatusOK, append(c.words, mapped, ` value="order" data-once disabled`)...)
			if !strings.Contains(a.body, `<td dir="auto">a `) && !strings.Contains(a.body, "\na</textarea>") {
				t.Error("the row before it is not shown")
			}
			if listed := regexp.MustCompile(`(?s)id="problems".*?</div>`).FindString(a.body); len(listed) > 4000 {
				t.Errorf("what is wrong is told in %d characters", len(listed))
			}
		})
	}
}

// TestTheRestOfATableIsSubmitted leaves those rows on the page, whole, with which something is wrong.
func TestTheRestOfATableIsSubmitted(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	v := r.as("art")
	base := []field{{name: "template", value: card.ID}, {name: "composition", value: "main"}, {name: "name", value: "{Title}"}}
	table := "Title,@priority,@composition\nfirst,1,\nsecond,high,\nthird,3,\nfourth,4,,too,many\nfifth,5,nowhere\n"
	v.sends("/files/table", append(base, field{name: "table", value: table}, field{name: "do", value: "look"})...).is(http.StatusOK,
		"2 things are wrong", "Line 3, column “@priority”: “high” is not a whole number", "Line 5, column 4: “too” has no heading", "Render the 3 without errors")
	a := v.sends("/files/table", append(base, field{name: "table", value: table}, field{name: "do", value: "rest"})...).is(http.StatusOK,
		"2 jobs were submitted", "second,high,", "fourth,4,,too,many", "fifth,5,nowhere",
		"Line 2, column “@priority”: ", "Line 3, column 4: ", "Line 4, column “@composition”: ")
	a.lacks("first,", "third", "Render the 2")
	jobs, _, err := r.farm.Jobs(t.Context(), r.principal("ada"), farm.JobQuery{Sort: "oldest_first"})
	if err != nil || len(jobs) != 2 || jobs[0].Name != "first" || jobs[1].Priority != 3 {
		t.Errorf("the jobs are %+v, %v", jobs, err)
	}
	// A guess is never submitted, and what is wrong with the whole is wrong with each row.
	for _, table := range []string{"Titel,@priority\na,1\nb,high\n", "Title,remark,@priority\na,,1\nb,,high\n"} {
		v.sends("/files/table", append(base, field{name: "table", value: table}, field{name: "do", value: "rest"})...).is(http.StatusBadRequest).lacks("without errors")
	}
}

func TestATableOfAsManyRowsAsABatchTakesIsOneBatch(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	var table strings.Builder
	table.WriteString("Title;Subtitle;@hold\n")
	for n := range public.BatchLimit {
		fmt.Fprintf(&table, "Film %d;of many;yes\n", n)
	}
	a := r.as("art").sends("/files/table", field{name: "template", value: card.ID}, field{name: "composition", value: "main"}, field{name: "name", value: "{Title}"},
		field{name: "table", value: table.String()}, field{name: "preview", value: "1"}, field{name: "do", value: "order"})
	if !strings.HasPrefix(a.path, "/batches/") {
		t.Fatalf("ordering leads to %s: %.2000s", a.path, a.body)
	}
	a.is(http.StatusOK, "Film 0 and 999 more", "60. Film 59", "1 to 60 of 1,000")
	batches, _, err := r.farm.Batches(t.Context(), r.principal("ada"), "", 10)
	if err != nil || len(batches) != 1 || len(batches[0].Jobs) != public.BatchLimit {
		t.Errorf("%d batches, %v", len(batches), err)
	}
}

func TestOnlyWhoMaySubmitGetsTheTable(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	r.as("art").get("/new/table").is(http.StatusOK, "Many jobs, from a table", "Which template?", `href="/new/table?template=`+card.ID)
	vic := r.as("vic")
	vic.get("/new/table?template="+card.ID).is(http.StatusForbidden, "has the role Viewer")
	vic.sends("/files/table", field{name: "template", value: card.ID}).is(http.StatusForbidden, "has the role Viewer")
	zoe := r.as("zoe")
	for _, path := range []string{"/new/table?template=", "/new/table.csv?template="} {
		zoe.get(path + card.ID).is(http.StatusNotFound).lacks("Spring")
	}
	zoe.sends("/files/table", field{name: "template", value: card.ID}, field{name: "table", value: "Title\nx\n"}, field{name: "do", value: "order"}).is(http.StatusNotFound)
	zoe.post("/files/table", url.Values{"template": {card.ID}}).is(http.StatusBadRequest, "multipart/form-data")
	if a := zoe.get("/files/table").is(http.StatusOK); a.path != "/new" {
		t.Errorf("it leads to %s", a.path)
	}
	other := r.visit()
	other.sends("/files/table", field{name: "template", value: card.ID}).is(http.StatusUnauthorized, "Sign in again")
	art := r.as("art")
	art.origin = "https://evil.example"
	art.sends("/files/table", field{name: "template", value: card.ID}).is(http.StatusForbidden, "another site")
}

func TestATableSaysWhatItIsNotAndProposesOptions(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	v := r.as("art")
	base := []field{{name: "template", value: card.ID}, {name: "composition", value: "main"}, {name: "do", value: "look"}}
	v.sends("/files/table", append(base, field{name: "sheet", file: "a.xls", value: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"})...).is(http.StatusOK,
		"workbook of an old format", "save it as .xlsx").lacks("no rows below its headings")
	v.sends("/files/table", append(base, field{name: "table", value: "Title,Priority\nSpring,5\n"})...).is(http.StatusOK,
		`value="@priority" selected`, "Is this right?").lacks("no layer “Priority”")
}
