package templates

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
)

// A coordinator whose disk is full is played: to fill one up is more than a test may do to a machine.
func TestAPersonIsToldOnceWhyATemplateWaits(t *testing.T) {
	answers := []string{
		`{"id":"t","status":"introspecting"}`,
		`{"id":"t","status":"introspecting","waits":"It waits until there is room."}`,
		`{"id":"t","status":"introspecting","waits":"It waits until there is room."}`,
		`{"id":"t","status":"uploaded"}`,
	}
	farm := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, answers[0])
		answers = answers[1:]
	}))
	defer farm.Close()
	var said bytes.Buffer
	got, err := Await(t.Context(), &client.Client{Server: farm.URL}, "t", remote.Waiting{}, &terminal.Output{Writer: io.Discard, Errors: &said})
	if err != nil || got.Status != "uploaded" {
		t.Fatalf("the template is %+v, %v", got, err)
	}
	if want := "The project has not been read yet. It waits until there is room.\n"; said.String() != want {
		t.Errorf("the person is told %q, want %q", &said, want)
	}
}
