package variants

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"

	"overcrank/farm"
)

// What a workbook may hold. Its parts are compressed, so a small file can unpack to any size.
const (
	workbookParts = 2000     // files in it
	workbookLimit = 32 << 20 // bytes of those parts that are read, unpacked
	workbookCells = 4 << 20  // cells that are gone through, empty ones included

	// workbookTags are the tags of its sheets, which are read one row after the other, and workbookMore those of all other parts: each of these
	// may become a record of some hundred bytes, all of which are in memory at once. It is several times what Excel's own limits come to.
	workbookTags = 6_000_000
	workbookMore = 600_000
)

// workbookNeeds are the beginnings of the names of the parts that say what stands in cells. Pictures, drawings, charts and macros are left out.
var workbookNeeds = []string{
	"[content_types].xml", "_rels/", "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/worksheets/sheet", "xl/sharedstrings.xml", "xl/styles.xml", "xl/theme/",
}

// textOfWorkbook gives the cells of a workbook (.xlsx) as CSV, as its program shows them: of the first visible sheet that is not empty.
// remark says which one that is when there are several.
func textOfWorkbook(raw []byte) (text []byte, remark farm.Text, err error) {
	lean, err := leanWorkbook(raw)
	if err != nil {
		return nil, remark, err
	}
	// The file comes from anybody. A fault of the library must not end the process that reads it.
	defer func() {
		if fault := recover(); fault != nil {
			err = farm.Errorf(farm.CodeInvalid, "the workbook is damaged; save it again, or export the sheet as CSV")
		}
	}()
	book, err := excelize.OpenReader(bytes.NewReader(lean), excelize.Options{UnzipSizeLimit: workbookLimit, UnzipXMLSizeLimit: workbookLimit})
	if err != nil {
		return nil, remark, farm.Errorf(farm.CodeInvalid, "the workbook cannot be opened; save it again as .xlsx, or export the sheet as CSV").Because(err)
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	var shown []string
	for _, name := range book.GetSheetList() {
		if visible, err := book.GetSheetVisible(name); err == nil && visible {
			shown = append(shown, name)
		}
	}
	for _, name := range shown {
		if text, err = textOfSheet(book, name); err != nil {
			if farm.CodeOf(err) != farm.CodeInvalid {
				return nil, remark, farm.Errorf(farm.CodeInvalid, "sheet “%s” cannot be read; export it as CSV", brief(name)).Because(err)
			}
			return nil, remark, farm.Errorf(farm.CodeInvalid, "sheet “%s”: %w", brief(name), err)
		}
		if len(text) == 0 {
			continue
		}
		if len(shown) > 1 {
			remark = farm.Say("The workbook has %d sheets; “%s” is read.", len(shown), brief(name))
		}
		return text, remark, nil
	}
	return nil, remark, farm.Errorf(farm.CodeInvalid, "the workbook has no visible sheet with cells")
}

// leanWorkbook is a workbook without the parts that say nothing of its cells.
func leanWorkbook(raw []byte) ([]byte, error) {
	from, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, farm.Errorf(farm.CodeInvalid, "the workbook is damaged; save it again, or export the sheet as CSV").Because(err)
	}
	if len(from.File) > workbookParts {
		return nil, farm.Errorf(farm.CodeInvalid, "the workbook has %d parts; one of at most %d is read", len(from.File), workbookParts)
	}
	var b bytes.Buffer
	to, size, sheets := zip.NewWriter(&b), uint64(0), false
	inSheets, more := 0, 0 // tags
	for _, f := range from.File {
		name := strings.ToLower(strings.ReplaceAll(f.Name, `\`, "/"))
		if !slices.ContainsFunc(workbookNeeds, func(need string) bool { return strings.HasPrefix(name, need) }) {
			continue
		}
		sheet := strings.HasPrefix(name, "xl/worksheets/")
		sheets = sheets || sheet
		if size += f.UncompressedSize64; size > workbookLimit {
			return nil, farm.Errorf(farm.CodeInvalid, "the workbook unpacks to more than %d MiB; export the sheet as CSV", workbookLimit>>20)
		}
		tags, err := tagsIn(f)
		if sheet {
			inSheets += tags
		} else {
			more += tags
		}
		switch {
		case inSheets > workbookTags:
			return nil, farm.Errorf(farm.CodeInvalid, "the workbook has more cells than are read; leave out the empty rows and columns, or export the sheet as CSV")
		case more > workbookMore:
			return nil, farm.Errorf(farm.CodeInvalid, "the workbook holds too many texts or formats; copy the sheet into a new workbook, or export it as CSV")
		case err == nil:
			err = to.Copy(f)
		}
		if err != nil {
			return nil, farm.Errorf(farm.CodeInvalid, "the workbook is damaged; save it again, or export the sheet as CSV").Because(err)
		}
	}
	if !sheets {
		return nil, farm.Errorf(farm.CodeInvalid, "this file is no Excel workbook (.xlsx): export the sheet as CSV (in Excel: File › Save As › CSV UTF-8)")
	}
	if err := to.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// tagsIn counts the tags of a part.
func tagsIn(f *zip.File) (n int, err error) {
	part, err := f.Open()
	if err != nil {
		return 0, err
	}
	buf := make([]byte, 64<<10)
	for err == nil {
		var read int
		read, err = part.Read(buf)
		n += bytes.Count(buf[:read], []byte("<"))
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, errors.Join(err, part.Close())
}

// textOfSheet gives the cells of a sheet, a line for each of its rows; nothing when all are empty.
func textOfSheet(book *excelize.File, name string) ([]byte, error) {
	rows, err := book.Rows(name)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w, seen, filled := csv.NewWriter(&b), 0, false
	for line := 0; rows.Next(); line++ {
		cells, err := rows.Columns()
		if err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		if seen += len(cells) + 1; seen > workbookCells || line > 2*rowsLimit {
			return nil, errors.Join(farm.Errorf(farm.CodeInvalid, "it has more cells than are read; leave out the empty rows and columns, or export it as CSV"), rows.Close())
		}
		if empty(cells) {
			cells = nil // a line of its own all the same: lines are numbered as in the workbook
		}
		filled = filled || cells != nil
		for i, cell := range cells {
			cells[i] = strings.ReplaceAll(strings.ReplaceAll(cell, "\r\n", "\n"), "\r", "\n")
		}
		if err := w.Write(cells); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
	}
	w.Flush()
	if !filled {
		return nil, errors.Join(w.Error(), rows.Close())
	}
	return b.Bytes(), errors.Join(w.Error(), rows.Error(), rows.Close())
}
