package variants

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"
)

// card is a template with every kind of layer that a column can be about.
func card() Template {
	return Template{
		Composition: "Main", Compositions: []Composition{{ID: 1, Name: "Main", Root: true}, {ID: 2, Name: "Inner"}},
		Layers: []Layer{
			{2, "Picture", "text", ""}, // in a composition that is not rendered
			{1, "Title", "text", ""},
			{1, "Picture", "av", "image"},
			{1, "Music", "av", "audio"},
			{1, "Accent", "av", ""},
			{1, "Ratio 16:9", "text", ""},
			{1, "Move", "null", ""},
			{1, "#1", "text", ""},
			{2, "Inner words", "text", ""},
		},
	}
}

// jobs reads a table into the JSON of its jobs.
func jobs(t *testing.T, table string, template Template, mapping map[string]string) ([]Variant, error) {
	t.Helper()
	sheet, err := ReadSheet(strings.NewReader(table), 0)
	if err != nil {
		return nil, err
	}
	return FromSheet(sheet, template, map[string]any{"template": map[string]any{"id": "T"}}, mapping)
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestColumnsSetWhatTheLayerHolds(t *testing.T) {
	for _, c := range []struct{ name, heading, cell, want string }{
		{"words", "Title", "Spring Sale", `{"layerName":"Title","type":"text","value":"Spring Sale"}`},
		{"words keep what looks like a number", "Title", "007", `{"layerName":"Title","type":"text","value":"007"}`},
		{"names match whatever their case", "title", "x", `{"layerName":"Title","type":"text","value":"x"}`},
		{"a picture", "Picture", "stills/night.PNG", `{"layerName":"Picture","src":"stills/night.PNG","type":"image"}`},
		{"a film where a picture was", "Picture", "https://h/clip.mp4?sig=a.png", `{"layerName":"Picture","src":"https://h/clip.mp4?sig=a.png","type":"video"}`},
		{"a sound", "Music", "theme.wav", `{"layerName":"Music","src":"theme.wav","type":"audio"}`},
		{"an address without an ending is what the layer shows", "Music", "https://h/theme", `{"layerName":"Music","src":"https://h/theme","type":"audio"}`},
		{"data:", "Accent", "data:image/png;base64,AA==", `{"layerName":"Accent","src":"data:image/png;base64,AA==","type":"image"}`},
		{"a number", "Title:Transform.Opacity", "50", `{"layerName":"Title","property":"Transform.Opacity","type":"data","value":50}`},
		{"a list", "Move:Position", "[1, 2.50]", `{"layerName":"Move","property":"Position","type":"data","value":[1,2.50]}`},
		{"a colour", "Accent:Effects.Fill.Color", "#ff8000", `{"layerName":"Accent","property":"Effects.Fill.Color","type":"data","value":[1,0.502,0]}`},
		{"source text stays words", "Title:Source Text", "12", `{"layerName":"Title","property":"Source Text","type":"data","value":"12"}`},
		{"a layer whose name holds a colon", "Ratio 16:9", "x", `{"layerName":"Ratio 16:9","type":"text","value":"x"}`},
		{"its property", "Ratio 16:9:Opacity", "5", `{"layerName":"Ratio 16:9","property":"Opacity","type":"data","value":5}`},
		{"a layer whose name begins like a note", "#1", "x", `{"layerName":"#1","type":"text","value":"x"}`},
		{"words that were kept from being a formula", "Title", "'=1+1", `{"layerName":"Title","type":"text","value":"=1+1"}`},
		{"a layer of another composition", "Inner words", "x", `{"layerName":"Inner words","type":"text","value":"x"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			w := csv.NewWriter(&b)
			_ = w.WriteAll([][]string{{c.heading, "#note"}, {c.cell, "x"}})
			list, err := jobs(t, b.String(), card(), nil)
			if err != nil {
				t.Fatal(err)
			}
			want := `{"assets":[` + c.want + `],"template":{"id":"T"}}`
			if got := asJSON(t, list[0].Job); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestOptionsOfTheJob(t *testing.T) {
	table := "@name;@tags;@priority;@level;@output;@composition;@preview;@frames;@codec;@notBefore;@hold;Title\n" +
		"Spot;a, b;-5;Rush;films/spot.mp4;Inner;yes;0-24;video_prores_422;2026-12-01T00:00:00Z;no;x\n"
	list, err := jobs(t, table, card(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"assets":[{"layerName":"Title","type":"text","value":"x"}],"hold":false,"level":"rush","name":"Spot","notBefore":"2026-12-01T00:00:00Z",` +
		`"preview":true,"priority":-5,"settings":{"codec":"video_prores_422","frames":[0,24]},"tags":["a","b"],"template":{"composition":"Inner","id":"T"}}`
	if got := asJSON(t, list[0].Job); got != want || list[0].Output != "films/spot.mp4" {
		t.Errorf("output %q, job\n%s, want\n%s", list[0].Output, got, want)
	}
}

func TestEmptyCellsAndRowsLeaveThingsAsTheyAre(t *testing.T) {
	list, err := jobs(t, "Title,Picture\nfirst,\n,\n,\"  \"\n\"\",a.png\n", card(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].Where != "line 2" || list[1].Where != "line 5" {
		t.Fatalf("the jobs are %+v", list)
	}
	if got := asJSON(t, list[1].Job["assets"]); got != `[{"layerName":"Picture","src":"a.png","type":"image"}]` {
		t.Errorf("the second job's assets are %s", got)
	}
}

func TestMappingSaysWhatColumnsAreAbout(t *testing.T) {
	list, err := jobs(t, "Überschrift,Bild,Preis,intern\nHallo,a.png,5,x\n", card(),
		map[string]string{"Überschrift": "Title", "Bild": "Picture", "Preis": "Title:Opacity", "intern": ""})
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"layerName":"Title","type":"text","value":"Hallo"},{"layerName":"Picture","src":"a.png","type":"image"},` +
		`{"layerName":"Title","property":"Opacity","type":"data","value":5}]`
	if got := asJSON(t, list[0].Job["assets"]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPanelFields(t *testing.T) {
	template := card()
	template.Fields = []Field{{Name: "Headline", Type: "text"}, {Name: "Logo", Type: "media"}, {Name: "Show", Type: "checkbox"}, {Name: "Tint", Type: "color"}}
	list, err := jobs(t, "Headline;Logo;Show;Tint\n12;logo.png;yes;#000\n", template, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"layerName":"Headline","type":"essential","value":"12"},{"layerName":"Logo","type":"essential","value":"logo.png"},` +
		`{"layerName":"Show","type":"essential","value":true},{"layerName":"Tint","type":"essential","value":[0,0,0]}]`
	if got := asJSON(t, list[0].Job["assets"]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(list[0].Media) != 1 || list[0].Media[0]["layerName"] != "Logo" {
		t.Errorf("the files to hand over are %v", list[0].Media)
	}
}

func TestWhatIsWrongIsNamed(t *testing.T) {
	for _, c := range []struct {
		name, table string
		mapping     map[string]string
		want        []string
	}{
		{"an unknown layer", "Titel\nx\n", nil, []string{"column 'Titel'", "no layer 'Titel'", "did you mean 'Title'?"}},
		{"an unknown layer of a property", "Titel:Opacity\nx\n", nil, []string{"no layer 'Titel'", "'Title'"}},
		{"all unknown columns at once", "A1;B1\nx;y\n", nil, []string{"column 'A1'", "column 'B1'"}},
		{"an unknown option", "@prioritee;Title\nx;y\n", nil, []string{"'@prioritee'", "did you mean 'priority'?"}},
		{"a layer without content", "Move\nx\n", nil, []string{"null layer", "Move:Transform.Opacity"}},
		{"a mapping of no column", "Title\nx\n", map[string]string{"Titel": "Title"}, []string{"no column 'Titel'", "'Title'"}},
		{"a file of no kind", "Accent\nfile.xyz\n", nil, []string{"line 2", "column 'Accent'", "file.xyz"}},
		{"a wrong number, with its line", "Title,@priority\nx,1\n\ny,high\n", nil, []string{"line 4", "@priority", "'high'"}},
		{"too many cells", "Title,Picture\na,b,c\n", nil, []string{"line 2, column 3: 'c' has no heading", "3 cells", "2 columns", "commas"}},
		{"two columns of one name", "Title,Title\na,b\n", nil, []string{"two columns are called 'Title'"}},
		{"values without a heading", "Title,,Picture\na,b,c\n", nil, []string{"line 2, column 2: 'b' has no heading"}},
		{"a stray quote", "Title,Picture\n5\" screen,b\n", nil, []string{"line 2, column 'Title'", "quote"}},
		{"a quote without its second", "Title,Picture\na,\"b\nc,d\n", nil, []string{"line 2, column 'Picture'", "quotes"}},
		{"a cell that nobody would read to its end", "Title,@priority\nx," + strings.Repeat("9", 1<<20) + "\n", nil, []string{"column '@priority'", "99…' is not a whole number"}},
		{"nothing", "", nil, []string{"empty"}},
		{"headings only", "Title,Picture\n\n", nil, []string{"no rows"}},
		{"nothing to set", "#note\nx\n", nil, []string{"no column sets anything"}},
		{"too many columns", strings.Repeat("Title,", 999_999) + "Title\nx\n", nil, []string{"line 1", "1000000 cells"}},
		{"many columns", "a" + strings.Repeat(",a", 999) + "\nx\n", nil, []string{"line 1", "1000 columns", "500"}},
		{"an endless heading", strings.Repeat("x:", 5000) + "\nx\n", nil, []string{"line 1", "longer"}},
		{"too many rows", "Title\n" + strings.Repeat("x\n", 100_001), nil, []string{"100000 rows"}},
		{"a workbook", "PK\x03\x04\x00\x00", nil, []string{"workbook"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := jobs(t, c.table, card(), c.mapping)
			if err == nil {
				t.Fatal("it is taken")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not tell of %q", err, want)
				}
			}
		})
	}
}

func TestALineThatCannotBeReadTakesNoOtherAlong(t *testing.T) {
	wide := strings.Repeat(",", widthLimit+1)
	for _, c := range []struct {
		name, table string
		wrong       []string // places of what is wrong
		lines       []int    // of the rows that are there
	}{
		{"a line that is too long", "Title,Picture\na,b.png\nc,d.png,e,f\ng,h.png\n", []string{"line 3, column 3"}, []int{2, 3, 4}},
		{"a line that is far too long", "Title,Picture\na,b.png\n" + wide + "\nc,d.png\n", []string{"line 3"}, []int{2, 4}},
		{"a stray quote", "Title,Picture\na,b.png\n5\" screen,c.png\nd,e.png\n", []string{"line 3, column 'Title'"}, []int{2, 4}},
		{"a quote that is never closed", "Title,Picture\na,b.png\nc,\"d.png\ne,f.png\ng,\"h\nh.png\"\n", []string{"line 3, column 'Picture'"}, []int{2, 4, 5}},
		{"a quote that another line closes", "Title,Picture\n\"a,b.png\nc,d.png\n\"e\" f,g.png\nh,i.png\n", []string{"line 2, column 'Title'", "line 4, column 'Title'"}, []int{3, 5}},
		{"a heading twice", "Title,Title,Picture\na,b,c.png\n", []string{"line 1, column 2"}, []int{2}},
		{"an endless heading", "Title," + strings.Repeat("x", headingLimit+1) + "\na,b\n", []string{"line 1, column 2"}, []int{2}},
		{"below the delimiter's own line", "sep=,\nTitle,Picture\na,b.png,c\n", []string{"line 3, column 3"}, []int{3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sheet, err := ReadSheet(strings.NewReader(c.table), 0)
			if err != nil {
				t.Fatal(err)
			}
			list, err := FromSheet(sheet, card(), nil, nil)
			if len(sheet.Columns) == 0 || sheet.Columns[0] != "Title" || err == nil {
				t.Fatalf("the columns are %q, and wrong is: %v", sheet.Columns, err)
			}
			var wrong []string
			for _, err := range err.(interface{ Unwrap() []error }).Unwrap() {
				place, _, _ := strings.Cut(err.Error(), ":")
				wrong = append(wrong, place)
			}
			var lines []int
			for _, v := range list {
				lines = append(lines, v.Number)
			}
			if !reflect.DeepEqual(wrong, c.wrong) || !reflect.DeepEqual(lines, c.lines) {
				t.Errorf("wrong are %q and the rows are lines %v, want %q and %v", wrong, lines, c.wrong, c.lines)
			}
		})
	}
}

func TestJobsKnowTheColumnsOfTheirFields(t *testing.T) {
	list, err := jobs(t, "#note,Title,@codec,Picture,@tags,@composition\nx,,video_prores_422,a.png,\"a,b\",Inner\n", card(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]int{
		"assets[0].src": 4, "assets[0]": 4, "assets[1].value": 0, "settings.codec": 3, "tags[1]": 5, "template.composition": 6, "template.id": 0, "settings.frames": 0, "": 0,
	} {
		if got := list[0].Column(field); got != want {
			t.Errorf("%q comes from column %d, want %d", field, got, want)
		}
	}
}

func TestTablesAsSpreadsheetsSaveThem(t *testing.T) {
	const plain = "Title;@name\r\n\"Grüße; \"\"jetzt\"\"\r\nneu\";a\r\n"
	little, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(strings.ReplaceAll(plain, ";@", "\t@"))
	little = strings.ReplaceAll(little, ";\x00a\x00", "\t\x00a\x00")
	big, _ := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String(plain)
	bare, _ := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder().String(plain)
	western, _ := charmap.Windows1252.NewEncoder().String(plain)
	for name, table := range map[string]string{
		"UTF-8": plain, "UTF-8 with a mark": "\ufeff" + plain, "UTF-16, tabs": little, "UTF-16, big end first": big, "UTF-16 without a mark": bare,
		"Windows-1252": western, "the delimiter told": "sep=;\r\n" + plain, "Mac line ends": strings.ReplaceAll(plain, "\r\n", "\r"),
	} {
		t.Run(name, func(t *testing.T) {
			list, err := jobs(t, table, card(), nil)
			if err != nil {
				t.Fatal(err)
			}
			value := list[0].Job["assets"].([]any)[0].(map[string]any)["value"]
			if value != "Grüße; \"jetzt\"\nneu" || list[0].Job["name"] != "a" {
				t.Errorf("the job is %s", asJSON(t, list[0].Job))
			}
		})
	}
}

func TestDecimalCommasCountWhereSemicolonsSeparate(t *testing.T) {
	list, err := jobs(t, "Title:Opacity;Title\n12,5;12,5\n", card(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"layerName":"Title","property":"Opacity","type":"data","value":12.5},{"layerName":"Title","type":"text","value":"12,5"}]`
	if got := asJSON(t, list[0].Job["assets"]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestJobsOfJSON(t *testing.T) {
	base := map[string]any{"template": map[string]any{"id": "T", "composition": "Main"}, "priority": 5}
	for name, c := range map[string]struct{ text, want, where string }{
		"an array":         {`[{"name":"a"},{"name":"b","priority":1}]`, `[{"name":"a","priority":5,"template":{"composition":"Main","id":"T"}},{"name":"b","priority":1,"template":{"composition":"Main","id":"T"}}]`, "job 2"},
		"a request":        {`{"jobs":[{},{"template":{"id":"other"}}]}`, `[{"priority":5,"template":{"composition":"Main","id":"T"}},{"priority":5,"template":{"id":"other"}}]`, "job 2"},
		"for a project":    {`{"project":"Spring","jobs":[{"name":"a"},{"project":"Autumn"}]}`, `[{"name":"a","priority":5,"project":"Spring","template":{"composition":"Main","id":"T"}},{"priority":5,"project":"Autumn","template":{"composition":"Main","id":"T"}}]`, "job 2"},
		"lines":            {"{\"name\":\"a\"}\n\n{\"template\":{\"composition\":\"B\"}}\n", `[{"name":"a","priority":5,"template":{"composition":"Main","id":"T"}},{"priority":5,"template":{"composition":"B","id":"T"}}]`, "line 3"},
		"numbers as given": {`{"x":1.50}` + "\n" + `{"x":12345678901234567890}`, `[{"priority":5,"template":{"composition":"Main","id":"T"},"x":1.50},{"priority":5,"template":{"composition":"Main","id":"T"},"x":12345678901234567890}]`, "line 2"},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := FromJSON(strings.NewReader(c.text), base)
			if err != nil {
				t.Fatal(err)
			}
			var got []map[string]any
			for _, v := range list {
				got = append(got, v.Job)
			}
			if text := asJSON(t, got); text != c.want || list[1].Where != c.where {
				t.Errorf("%s: %s, want %s: %s", list[1].Where, text, c.where, c.want)
			}
		})
	}
	for _, text := range []string{"", "[]", "7", "[7]", `{"a":`, "{} x"} {
		if _, err := FromJSON(strings.NewReader(text), nil); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestVariantsShareNothing(t *testing.T) {
	shared := map[string]any{"template": map[string]any{"id": "T"}, "assets": []any{map[string]any{"src": "a.png"}}, "tags": []string{"x"}}
	sheet, err := ReadSheet(strings.NewReader("Title;@composition;@tags\na;A;1\nb;B;2\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	list, err := FromSheet(sheet, card(), shared, nil)
	if err != nil {
		t.Fatal(err)
	}
	list[0].Job["assets"].([]any)[0].(map[string]any)["src"] = "changed"
	if got := asJSON(t, list[1].Job); got != `{"assets":[{"src":"a.png"},{"layerName":"Title","type":"text","value":"b"}],"tags":["x","2"],"template":{"composition":"B","id":"T"}}` {
		t.Errorf("the second job is %s", got)
	}
}

// TestTablesKeepTheirCells writes any cells as a table and reads them again.
func TestTablesKeepTheirCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		delimiter := rapid.SampledFrom(delimiters).Draw(t, "delimiter")
		width := rapid.IntRange(2, 5).Draw(t, "columns")
		word := rapid.StringMatching(`[A-Za-zäß ,;"\n\t:@#]{0,8}`)
		var rows [][]string
		columns := make([]string, width)
		for i := range columns {
			columns[i] = string(rune('a' + i))
		}
		rows = append(rows, columns)
		for range rapid.IntRange(1, 5).Draw(t, "rows") {
			row := make([]string, width)
			for i := range row {
				row[i] = word.Draw(t, "cell")
			}
			row[0] = "x" + row[0]
			rows = append(rows, row)
		}
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.Comma, w.UseCRLF = delimiter, rapid.Bool().Draw(t, "crlf")
		if err := w.WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		sheet, err := ReadSheet(&b, 0)
		if err != nil {
			t.Fatal(err)
		}
		var got [][]string
		for _, row := range sheet.Rows {
			got = append(got, row.Cells)
		}
		if !reflect.DeepEqual(got, rows[1:]) {
			t.Fatalf("got %q, want %q", got, rows[1:])
		}
	})
}

func TestWrittenCellsAreNoFormulas(t *testing.T) {
	cells := []string{"@SUM(A1)", "=1+1", "+1", "-2", "@name", "plain", "a@b"}
	written, err := WriteSheet([][]string{{"a", "b", "c", "d", "e", "f", "g"}, cells})
	if err != nil {
		t.Fatal(err)
	}
	if want := "'@SUM(A1),'=1+1,'+1,'-2,@name,plain,a@b\r\n"; !strings.HasSuffix(string(written), want) {
		t.Errorf("written is %q", written)
	}
	sheet, err := ReadSheet(bytes.NewReader(written), 0)
	if err != nil || len(sheet.Rows) != 1 || !reflect.DeepEqual(sheet.Rows[0].Cells, cells) {
		t.Errorf("read back is %+v, %v", sheet.Rows, err)
	}
}

func FuzzReadSheet(f *testing.F) {
	for _, seed := range []string{"Title;Picture\na;b\n", "sep=,\nTitle\nx", "\xff\xfeT\x00\n\x00", "Title\n\"a", "@name,Title:Opacity\r\n1,2\r\n", "\xe4;b\nc;d"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		sheet, err := ReadSheet(bytes.NewReader(raw), 0)
		if err != nil {
			return
		}
		for _, row := range sheet.Rows {
			if len(row.Cells) != len(sheet.Columns) || row.Line < 1 {
				t.Fatalf("%+v has not the %d cells of its columns", row, len(sheet.Columns))
			}
		}
		list, err := FromSheet(sheet, card(), nil, nil)
		if err == nil && len(list) != len(sheet.Rows) {
			t.Fatalf("%d rows became %d jobs", len(sheet.Rows), len(list))
		}
		for _, v := range list {
			if _, err := json.Marshal(v.Job); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func FuzzFromJSON(f *testing.F) {
	for _, seed := range []string{`[{"a":1}]`, "{}\n{}", `{"jobs":[{}]}`, `[[]]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		list, err := FromJSON(bytes.NewReader(raw), map[string]any{"template": map[string]any{"id": "T"}})
		if err == nil && len(list) == 0 {
			t.Fatal("no jobs and no error")
		}
	})
}
