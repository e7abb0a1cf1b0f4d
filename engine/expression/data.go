package expression

import (
	"encoding/csv"
	"strings"

	"github.com/dop251/goja"

	"overcrank/aep"
)

func (m *Machine) sourceText(it *aep.Item) string {
	if m.host.ReadData == nil {
		m.throw("the footage %q can't be read here", it.Name)
	}
	b, err := m.host.ReadData(it)
	if err != nil {
		m.throw("the footage %q can't be read: %v", it.Name, err)
	}
	return strings.TrimPrefix(string(b), "\ufeff")
}

// sourceData is the content of a data file: the value of JSON, or the rows of a table as an array of objects with the
// names in its first row.
func (m *Machine) sourceData(it *aep.Item) goja.Value {
	if v, ok := m.data[it.Footage]; ok {
		return v
	}
	text := m.sourceText(it)
	name := strings.ToLower(it.Name + " " + it.Footage.File.Resolved + " " + it.Footage.File.FullPath)
	var v goja.Value
	switch {
	case strings.Contains(name, ".csv"), strings.Contains(name, ".tsv"), strings.Contains(name, ".txt"):
		v = m.table(it, text, strings.Contains(name, ".tsv"))
	default:
		parse, _ := goja.AssertFunction(m.rt.Get("JSON").(*goja.Object).Get("parse"))
		out, err := parse(goja.Undefined(), m.rt.ToValue(text))
		if err != nil {
			m.throw("the footage %q is not valid JSON: %v", it.Name, fault(err).Message)
		}
		v = out
	}
	m.data[it.Footage] = v
	return v
}

func (m *Machine) table(it *aep.Item, text string, tabs bool) goja.Value {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	first, _, _ := strings.Cut(text, "\n")
	if tabs || !strings.Contains(first, ",") && strings.Contains(first, "\t") {
		r.Comma = '\t'
	}
	rows, err := r.ReadAll()
	if err != nil {
		m.throw("the footage %q is not a table: %v", it.Name, err)
	}
	out := []any{}
	for i, row := range rows {
		if i == 0 {
			continue
		}
		o := m.rt.NewObject()
		for j, cell := range row {
			if j < len(rows[0]) {
				_ = o.Set(strings.TrimSpace(rows[0][j]), cell)
			}
		}
		out = append(out, o)
	}
	return m.rt.NewArray(out...)
}
