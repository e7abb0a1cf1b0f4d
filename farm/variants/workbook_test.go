package variants

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
)

// workbook writes a workbook: a sheet of cells, after one that is empty and one that is hidden.
func workbook(t *testing.T, rows ...[]any) []byte {
	t.Helper()
	book := excelize.NewFile()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"Hidden", "Films"} {
		_, err := book.NewSheet(name)
		must(err)
	}
	must(book.SetCellValue("Hidden", "A1", "nobody sees this"))
	must(book.SetSheetVisible("Hidden", false))
	for y, row := range rows {
		for x, cell := range row {
			place, err := excelize.CoordinatesToCellName(x+1, y+1)
			must(err)
			must(book.SetCellValue("Films", place, cell))
		}
	}
	var b bytes.Buffer
	must(book.Write(&b))
	must(book.Close())
	return b.Bytes()
}

func TestAWorkbookIsReadAsItsProgramShowsIt(t *testing.T) {
	raw := workbook(t,
		[]any{"Title", "Picture", "@priority", "#day"},
		[]any{"Two\nlines, \"quoted\"", "a.png", 7, time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)},
		nil,
		[]any{"Last", "b.png", 0.25},
	)
	s, err := ReadSheet(bytes.NewReader(raw), 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Columns) != 4 || len(s.Rows) != 2 || s.Delimiter != ',' {
		t.Fatalf("it has %d columns and %d rows, separated by %q", len(s.Columns), len(s.Rows), s.Delimiter)
	}
	if got := s.Rows[0].Cells; got[0] != "Two\nlines, \"quoted\"" || got[2] != "7" || !strings.Contains(got[3], "26") {
		t.Errorf("the first row is %q", got)
	}
	if got := s.Rows[1].Cells; got[0] != "Last" || got[2] != "0.25" {
		t.Errorf("the last row is %q", got)
	}
	if len(s.Remarks) != 1 || !strings.Contains(s.Remarks[0].String(), "2 sheets; “Films” is read") {
		t.Errorf("it remarks %q", s.Remarks)
	}
	again, err := ReadSheet(strings.NewReader(s.Text), 0)
	if err != nil || again.Rows[1].Cells[0] != "Last" {
		t.Errorf("its text reads as %v, %v", again, err)
	}
}

func TestAWorkbookThatUnpacksToTooMuchIsNotUnpacked(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"[Content_Types].xml", "xl/worksheets/sheet1.xml"} {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			if _, err := f.Write(make([]byte, 1<<20)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 1<<20 {
		t.Fatalf("the file of the test has %d bytes", b.Len())
	}
	if _, err := ReadSheet(&b, 0); err == nil || !strings.Contains(err.Error(), "unpacks to more than 32 MiB") {
		t.Errorf("it is answered with %v", err)
	}
}

func TestAWorkbookOfFarRowsAndColumnsEnds(t *testing.T) {
	raw := workbook(t, []any{"Title"})
	from, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	for _, sheet := range []string{
		`<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>x</t></is></c></row>`,
		strings.Repeat(`<row><c r="XFD1" t="inlineStr"><is><t>x</t></is></c></row>`, 1000),
	} {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for _, f := range from.File {
			if !strings.Contains(f.Name, "worksheets/sheet") {
				if err := w.Copy(f); err != nil {
					t.Fatal(err)
				}
				continue
			}
			part, err := w.Create(f.Name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := part.Write([]byte(`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>` + sheet + `</sheetData></worksheet>`)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSheet(&b, 0); err == nil || !strings.Contains(err.Error(), "more cells than are read") {
			t.Errorf("%.60s… is answered with %v", sheet, err)
		}
	}
}

func FuzzWorkbook(f *testing.F) {
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(_ *testing.T, raw []byte) {
		if len(raw) < 1<<20 {
			_, _ = ReadSheet(bytes.NewReader(raw), 0)
		}
	})
}

// TestAWorkbookOfManyPartsOfAKindIsNotRead: a small file names so many formats or texts that records of all of them would take gigabytes.
func TestAWorkbookOfManyPartsOfAKindIsNotRead(t *testing.T) {
	const head = `<?xml version="1.0"?>`
	raw := workbook(t, []any{"Title"}, []any{"One"})
	from, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	for name, part := range map[string]struct{ begin, each, end, want string }{
		"xl/styles.xml":              {`<styleSheet><cellXfs>`, `<xf/>`, `</cellXfs></styleSheet>`, "too many texts or formats"},
		"xl/sharedStrings.xml":       {`<sst>`, `<si/>`, `</sst>`, "too many texts or formats"},
		"xl/_rels/workbook.xml.rels": {`<Relationships>`, `<Relationship/>`, `</Relationships>`, "too many texts or formats"},
		"xl/worksheets/sheet1.xml":   {`<worksheet><sheetData><row r="1">`, `<c/>`, `</row></sheetData></worksheet>`, "more cells than are read"},
	} {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for _, f := range from.File {
			if f.Name != name {
				if err := w.Copy(f); err != nil {
					t.Fatal(err)
				}
			}
		}
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(head + part.begin + strings.Repeat(part.each, 31<<20/len(part.each)) + part.end)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if b.Len() > 1<<20 {
			t.Fatalf("the file of the test has %d bytes", b.Len())
		}
		if _, err := ReadSheet(&b, 0); err == nil || !strings.Contains(err.Error(), part.want) {
			t.Errorf("%s: it is answered with %v", name, err)
		}
	}
}

// TestALargeWorkbookIsRead: as many rows of texts as people write.
func TestALargeWorkbookIsRead(t *testing.T) {
	rows := make([][]any, 5001)
	rows[0] = []any{"A", "B", "C", "D", "E", "F", "G", "H"}
	for i := 1; i < len(rows); i++ {
		for range 8 {
			rows[i] = append(rows[i], fmt.Sprintf("text %d of row %d", len(rows[i]), i))
		}
	}
	s, err := ReadSheet(bytes.NewReader(workbook(t, rows...)), 0)
	if err != nil || len(s.Rows) != 5000 || s.Rows[4999].Cells[7] != "text 7 of row 5000" {
		t.Errorf("%v", err)
	}
}
