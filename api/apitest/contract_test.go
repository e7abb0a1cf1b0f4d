package apitest

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

const job = `{"id": "01JD7000000000000000000JBA", "templateId": null, "status": "queued", "progress": 0, "outputUrl": "https://farm.example/x"}`

// TestWhatIsNotAsDescribedIsFound gives exchanges to the check that it has to object to, and some that it must not.
func TestWhatIsNotAsDescribedIsFound(t *testing.T) {
	const created = `{"id": "01JD7000000000000000000JBA", "status": "queued", "outputUrl": "https://farm.example/x"}`
	for name, c := range map[string]struct {
		request, sent string
		status        int
		body          string
		header        []string
		finds         string // "" when all is well
	}{
		"a good answer":             {request: "GET /api/v2/jobs", status: 200, body: "[" + job + "]"},
		"a slash at the end":        {request: "GET /api/v2/jobs/", status: 200, body: "[" + job + "]"},
		"an alias":                  {request: "GET /api/v2/v3/templates", status: 200, body: `[]`},
		"an alias's wrong answer":   {request: "GET /api/v2/v3/templates", status: 200, body: `{}`, finds: "array"},
		"a state that is none":      {request: "GET /api/v2/jobs", status: 200, body: strings.Replace("["+job+"]", "queued", "done", 1), finds: "status"},
		"a field that is missing":   {request: "GET /api/v2/jobs", status: 200, body: `[{"id": "01JD7000000000000000000JBA"}]`, finds: "progress"},
		"a status that is not ours": {request: "GET /api/v2/jobs", status: 418, body: `{"error": "x"}`, finds: "status is not supported"},
		"a page for an error":       {request: "GET /api/v2/jobs", status: 500, body: `<html>`, header: []string{"Content-Type: text/html"}, finds: "not JSON"},
		"an error without words":    {request: "GET /api/v2/jobs", status: 400, body: `{"error": ""}`, finds: "no message"},
		"a refusal without an end":  {request: "GET /api/v2/jobs", status: 503, body: `{"error": "x"}`, finds: "come again"},
		"no id of the request":      {request: "GET /api/v2/jobs", status: 200, body: "[]", header: []string{"X-Request-Id:"}, finds: "X-Request-Id"},
		"a query that cannot be":    {request: "GET /api/v2/jobs?limit=0", status: 200, body: "[]", finds: "limit"},
		"a body that cannot be":     {request: "POST /api/v2/jobs", sent: `{"template": {"src": "https://a.example/a.aep"}, "settings": {"fps": 1}}`, status: 201, body: created, finds: "fps"},
		"the same, and refused":     {request: "POST /api/v2/jobs", sent: `{"template": {}, "settings": {"fps": 1}}`, status: 400, body: `{"error": "x"}`},
		"null is absent":            {request: "POST /api/v2/jobs", sent: `{"template": {"src": "https://a.example/a.aep"}, "settings": null}`, status: 201, body: created},
		"of another interface":      {request: "GET /elsewhere", status: 418, body: "x"},
	} {
		t.Run(name, func(t *testing.T) {
			contract, err := Load()
			if err != nil {
				t.Fatal(err)
			}
			method, path, _ := strings.Cut(c.request, " ")
			r, err := http.NewRequest(method, "http://farm.example"+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			res := &http.Response{StatusCode: c.status, Header: http.Header{"X-Request-Id": {"1"}, "Content-Type": {"application/json"}}}
			for _, line := range c.header {
				key, value, _ := strings.Cut(line, ":")
				res.Header.Set(key, strings.TrimSpace(value))
			}
			var found []string
			for _, err := range contract.check(r, []byte(c.sent), res, []byte(c.body)) {
				found = append(found, err.Error())
			}
			named := slices.ContainsFunc(found, func(text string) bool { return strings.Contains(text, c.finds) })
			if c.finds == "" && len(found) > 0 || c.finds != "" && !named {
				t.Errorf("the check says %q, want %q", found, c.finds)
			}
		})
	}
}

func TestWhatNoTestHasSeenIsNamed(t *testing.T) {
	contract, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	operations, answers := contract.Unseen()
	if !slices.Contains(operations, "/api/openapi.json: GET /api/v2/jobs") || !slices.Contains(answers, "GET /api/v2/jobs 400") {
		t.Errorf("unseen are %v and %v", operations, answers)
	}
	contract.note(contract.documents[0], "GET /api/v2/jobs", 200, true)
	if operations, _ := contract.Unseen(); slices.Contains(operations, "/api/openapi.json: GET /api/v2/jobs") {
		t.Error("an operation that succeeded counts as unseen")
	}
	if contract.Answers() != 1 || contract.Requests() != 1 {
		t.Errorf("the contract has seen %d answers and %d requests", contract.Answers(), contract.Requests())
	}
}
