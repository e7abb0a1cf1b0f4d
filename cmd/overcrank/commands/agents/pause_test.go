package agents

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"overcrank/cmd/overcrank/terminal"
)

// A farm is played whose machine stays as far as it is until the command has spoken.
func TestPausingAMachineSaysFirstWhatItGivesBack(t *testing.T) {
	var said bytes.Buffer
	saidBefore := ""
	played := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		machine := `{"id":"01","name":"suite-4","state":"rendering","running":[{"task":"j1.0","progress":91.2},{"progress":40}]}`
		if r.Method == http.MethodPost {
			saidBefore = said.String()
			fmt.Fprint(w, `{"id":"01","name":"suite-4","state":"paused"}`)
			return
		}
		fmt.Fprintf(w, `[%s]`, machine)
	}))
	defer played.Close()
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "suite-4 gives back task j1.0 at 91 %. Frames that it has not handed over are rendered again; a film that is encoded while it is drawn starts over. ('overcrank agents drain' lets a machine finish first)\n"},
		{[]string{"--json"}, ""}, // programs read the answer alone
	} {
		said.Reset()
		var pause pauseCommand
		parser, err := kong.New(&pause)
		if err == nil {
			_, err = parser.Parse(append(c.args, "suite-4", "--server", played.URL, "--token", "secret"))
		}
		if err == nil {
			err = pause.Run(t.Context(), &terminal.Output{Writer: &said, Errors: &said})
		}
		if err != nil {
			t.Fatal(err)
		}
		if saidBefore != c.want {
			t.Errorf("before the machine is paused the command says %q, want %q", saidBefore, c.want)
		}
		if len(c.args) == 0 && !strings.Contains(said.String(), "suite-4: paused") {
			t.Errorf("afterwards it has said %q", &said)
		}
	}
}
