package api_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// takesJSON lists the routes whose bodies are JSON objects.
func takesJSON() (list []string) {
	for _, address := range addresses() {
		if strings.HasPrefix(rules[address].body, "{") {
			list = append(list, address)
		}
	}
	return list
}

// withBody is a rule with another body, which need not be right.
func (rule rule) withBody(body string) rule {
	rule.body, rule.stream = body, true
	return rule
}

func TestBodiesThatAreNoJSONObjectAreRefusedEverywhere(t *testing.T) {
	r := crowd(t)
	ids := map[string]string{}
	for kind, make := range makers {
		ids[kind] = make(r, r.token)
	}
	before := r.contents(r.token)
	held := r.http
	r.http = &http.Client{Timeout: patience} // what comes is checked here
	defer r.http.CloseIdleConnections()
	deep := func(open, shut string) string { return strings.Repeat(open, 5000) + strings.Repeat(shut, 5000) }
	for name, body := range map[string]string{
		"blank": " \n", "half an object": `{"name": "x"`, "half a string": `{"name": "x`, "a comma too many": `{"name": "x",}`, "no quotes": `{name: 1}`,
		"single quotes": `{'name': 'x'}`, "a comment": `{"name": "x" /* y */}`, "NaN": `{"name": NaN}`, "a leading zero": `{"name": 01}`,
		"a control character": "{\"name\": \"a\x01b\"}", "no UTF-8": "{\"name\": \"\xff\xfe\"}", "two objects": `{} {}`, "something behind": `{}x`,
		"a list": `[]`, "a string": `"x"`, "a number": `12`, "null": `null`, "XML": `<a/>`, "a form": `name=x&role=admin`,
		"deep lists": deep("[", "]"), "deep objects": deep(`{"a":`, "}"), "a deep field": `{"name": ` + deep("[", "]") + `}`, "deep and open": strings.Repeat("[", 50_000),
		"a key twice": `{"name": "x", "name": "y"}`, "a key twice, differently written": `{"name": "x", "n\u0061me": "y"}`, "a key twice, deep down": `{"x": {"a": [{"b": 1, "b": 2}]}}`,
		"NUL bytes": strings.Repeat("\x00", 1000), "UTF-16": "\xff\xfe{\x00}\x00",
	} {
		for _, address := range takesJSON() {
			rule := rules[address]
			a := r.try(address, rule.withBody(body), ids[rule.record])
			if a.status != http.StatusBadRequest {
				t.Errorf("%s with %s answers %d %.200s", address, name, a.status, a.body)
			}
			a.isError(address + " with " + name)
		}
	}
	r.http.CloseIdleConnections()
	r.http = held
	r.send(http.MethodPost, "/api/v2/jobs", `{"x": [`+strings.Repeat("0,", 1_100_000)+`0]}`).refused(http.StatusBadRequest)
	r.send(http.MethodPost, "/api/v2/jobs", strings.Repeat("[", 5_000_000)).refused(http.StatusBadRequest)
	if after := r.contents(r.token); after != before {
		t.Errorf("something changed:\n%s\nwas\n%s", after, before)
	}
}

// richJob has every field of a submission.
const richJob = `{
	"template": {"src": "https://files.example/a.aep", "composition": "main"},
	"name": "x", "tags": ["a"], "priority": 1, "level": "normal", "notBefore": "2030-01-01T00:00:00Z", "requireTags": ["gpu"], "hold": false, "sequential": false,
	"fonts": ["A.ttf"], "settings": {"type": "video", "frames": [0, 10], "quality": "full", "codec": "video_prores_422", "engine": "ae2026"},
	"upload": {"provider": "s3", "prefix": "p", "outputUrl": "https://cdn.example/", "params": {"endpoint": "https://s3.example", "region": "r", "bucket": "films", "acl": "private", "accessKeyId": "k", "accessKeySecret": "s"}},
	"webhook": {"url": "https://hook.example", "method": "POST", "headers": {"X-A": "b"}, "data": {"a": 1}, "custom": true},
	"assets": [
		{"type": "text", "layerName": "t", "value": "x", "composition": "main"},
		{"type": "data", "layerName": "t", "property": "Transform.Opacity", "value": 50},
		{"type": "data", "layerName": "t", "property": "Source Text.fontSize", "expression": "1"},
		{"type": "image", "layerIndex": 1, "src": "https://files.example/a.png", "name": "a.png", "conform": true},
		{"type": "static", "src": "https://files.example/a.png", "name": "a.png"},
		{"type": "essential", "layerName": "f", "value": "x"},
		{"type": "script", "src": "https://files.example/a.jsx", "parameters": [{"key": "k", "value": 1}]},
		{"type": "function", "name": "nx:layer-start-set", "params": {"layerName": ["t"], "value": 1}},
		{"type": "job", "layerName": "n", "template": {"src": "https://files.example/b.aep", "composition": "c"}, "assets": [], "settings": {"type": "video"}}
	]}`

// strangeValues are values that stand where something else is meant to.
var strangeValues = []string{`null`, `true`, `-1.5`, `1e999`, `123456789012345678901234567890`, `""`, `"\u0000"`, `"` + strings.Repeat("é", 3000) + `"`, `"\ud800"`, `[[]]`, `[null]`, `{}`, `{"": {"": null}}`}

// spots calls visit with the body as it is with each of its values replaced in turn by other.
func spots(t *testing.T, body, other string, visit func(at, body string)) {
	t.Helper()
	var root any
	if err := json.Unmarshal([]byte(body), &root); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	write := func(at string) {
		text, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		visit(at, strings.Replace(string(text), `"@HERE@"`, other, 1))
	}
	var walk func(at string, value any, set func(any))
	walk = func(at string, value any, set func(any)) {
		set("@HERE@")
		write(at)
		set(value)
		switch v := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				walk(at+"."+key, v[key], func(x any) { v[key] = x })
			}
		case []any:
			for i := range v {
				walk(fmt.Sprintf("%s[%d]", at, i), v[i], func(x any) { v[i] = x })
			}
		}
	}
	walk("body", root, func(x any) { root = x })
}

func TestValuesOfWrongKindsNeverBreakAnything(t *testing.T) {
	r := crowd(t)
	ids := map[string]string{}
	for kind, make := range makers {
		ids[kind] = make(r, r.token)
	}
	held := r.http
	r.http = &http.Client{Timeout: patience} // these thousands are checked here
	defer r.http.CloseIdleConnections()
	bodies := map[string]string{"POST /api/v2/jobs": richJob, "POST /api/v2/batches": `{"jobs": [` + richJob + `, ` + srcJob + `]}`}
	asked, refused := 0, 0
	for _, address := range takesJSON() {
		rule := rules[address]
		body := bodies[address]
		if body == "" {
			body = strings.NewReplacer("{id}", ids[rule.record], "{new}", "WORD", "{revision}", "0").Replace(rule.body)
		}
		for _, other := range strangeValues {
			if address == "POST /api/v2/batches" && other != `[null]` && other != `{}` {
				continue // a batch is jobs at heart
			}
			spots(t, body, other, func(at, body string) {
				a := r.try(address, rule.withBody(body), ids[rule.record])
				asked++
				what := fmt.Sprintf("%s with %s = %.40s", address, at, other)
				if a.status >= 500 {
					t.Errorf("%s answers %d %.300s", what, a.status, a.body)
				}
				if a.status >= 400 && !strings.Contains(string(a.body), "batchId") {
					refused++
					a.isError(what)
				}
			})
		}
	}
	t.Logf("%d of %d bodies were refused", refused, asked)
	if refused < asked/3 {
		t.Errorf("only %d of %d strange bodies were refused", refused, asked)
	}
	r.http.CloseIdleConnections()
	r.http = held
	for next := "/api/v2/jobs?limit=1000"; next != ""; { // what was taken can be read again
		next, _, _ = strings.Cut(strings.TrimPrefix(r.get(next).into(http.StatusOK, nil).header.Get("Link"), "<"), ">")
	}
}

func TestEveryRouteBoundsItsBody(t *testing.T) {
	r := crowd(t)
	ids := map[string]string{}
	for kind, make := range makers {
		ids[kind] = make(r, r.token)
	}
	limits := map[string]string{"PUT /api/v2/secrets": "64 KiB", "POST /api/v2/batches": "100 MiB", "POST /api/v2/fonts": "40 MiB", "POST /api/farm/v1/files": "20 GiB",
		"PUT /api/farm/v1/releases/files/{sha256}": "1 GiB", "PUT /api/farm/v1/downloads/{sha256}/content": "512 MiB", "PUT /api/farm/v1/logo": "2 MiB", "PUT /api/farm/v1/uploads/{id}/parts/{part}": "21 MiB"}
	for _, address := range addresses() {
		rule := rules[address]
		if rule.body == "" || address == "POST /api/farm/v1/restore" { // which the disk bounds
			continue
		}
		limit := limits[address]
		if limit == "" {
			limit = "10 MiB"
		}
		method, path, _ := strings.Cut(address, " ")
		lines := method + " " + strings.ReplaceAll(path, "{id}", ids[rule.record]) + " HTTP/1.1\r\n"
		if rule.kind != "" {
			lines += "Content-Type: " + rule.kind + "\r\n"
		}
		a := r.exchange(lines+"Content-Length: 99999999999", strings.Repeat("x", 20_000)).refused(http.StatusRequestEntityTooLarge, limit)
		a.isError(address)
	}
	// A body whose length nobody told is counted as it comes.
	for _, address := range []string{"POST /api/v2/templates", "POST /api/v2/jobs/cancel", "POST " + pathTokens} {
		method, path, _ := strings.Cut(address, " ")
		endless := io.MultiReader(strings.NewReader(`{"x": "`+strings.Repeat("y", 10<<20)), strings.NewReader(`"}`))
		r.send(method, path, endless).refused(http.StatusRequestEntityTooLarge, "10 MiB")
	}
}

// TestWhoSendsTooMuchIsToldSo sends all of it before it reads, as most clients do.
func TestWhoSendsTooMuchIsToldSo(t *testing.T) {
	r := start(t)
	piece := bytes.Repeat([]byte(" "), 1<<20)
	for address, megabytes := range map[string]int{"POST /api/v2/batches": 106, "POST /api/v2/jobs": 80, "POST /api/v2/fonts": 120} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: farm\r\nAuthorization: Bearer %s\r\nContent-Type: application/octet-stream\r\nContent-Length: %d\r\n\r\n",
			address, r.token, megabytes<<20)
		for range megabytes {
			if _, err := conn.Write(piece); err != nil {
				t.Fatalf("%s: the connection ended while the body was sent: %v", address, err)
			}
		}
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || answer.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %+v, %v", address, answer, err)
		}
		_ = conn.Close()
	}
}
