//go:build linux

package clients_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/farmtest"
)

// unstable are the parts of what commands print that differ from run to run, and what stands for them.
var unstable = []struct {
	part *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`\b[0-9A-HJKMNP-TV-Z]{26}-[a-z0-9]{26}\b`), "<result>"},
	{regexp.MustCompile(`\boct_[a-z0-9]+`), "<secret>"},
	{regexp.MustCompile(`/sign-in/[A-Z0-9]+`), "/sign-in/<once>"},
	{regexp.MustCompile(`/review/[A-Z0-9]+`), "/review/<code>"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "<time>"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`), "<the local time at>"}, // as wide as what it stands for
	{regexp.MustCompile(`"expiresIn":\d+`), `"expiresIn":<seconds>`},
	{regexp.MustCompile(`\?e=\d+&[^"\s]+|\?[a-z]+=[^"\s]*(sig|signature)=[^"\s]+`), "?<signed>"},
	{regexp.MustCompile(`key [0-9a-f]{8}\b`), "key <key>"},
	{regexp.MustCompile(`(?m)^[a-z2-7]{8}( +Spots|$)`), "<projec>$1"}, // as wide as what it stands for
	{regexp.MustCompile(`--project [a-z2-7]{8}\b`), "--project <projec>"},
	{regexp.MustCompile(`(low|high)":[0-9.]+`), `$1":<seconds>`},
}

// stable makes what commands print comparable. Ids become numbered words as wide as they are.
func stable(f *farmtest.Farm, ids map[string]string, text string) string {
	text = strings.ReplaceAll(text, f.Server, "http://farm")
	// The first four hold what can look like an id.
	for _, u := range unstable[:4] {
		text = u.part.ReplaceAllString(text, u.as)
	}
	text = regexp.MustCompile(`\b[0-9A-HJKMNP-TV-Z]{26}\b`).ReplaceAllStringFunc(text, func(id string) string {
		if ids[id] == "" {
			ids[id] = fmt.Sprintf("<id %d>%s", len(ids)+1, strings.Repeat("~", 26))[:26]
		}
		return ids[id]
	})
	for _, u := range unstable[4:] {
		text = u.part.ReplaceAllString(text, u.as)
	}
	return text
}

// TestASessionWithAFarm types one command after the other, and holds what each prints to a golden file. The farm has no agent,
// so that jobs wait.
func TestASessionWithAFarm(t *testing.T) {
	t.Parallel()
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir())
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	dir := t.TempDir()
	for name, text := range map[string]string{
		"job.json": `{"template": {"id": "TEMPLATE", "composition": "Title Card"}, "name": "From a file", "tags": "spring",
			"assets": [{"type": "text", "layerName": "Title", "value": "Words"}]}`,
		"variants.csv": "\ufeffTitle;Accent:Transform.Opacity;@name;#note\r\n\"Spring; Sale\";50,5;spring;x\r\n;;summer;\r\n",
		"wrong.csv":    "Titel;Picture;@priority\nx;nowhere.png;1\n",
		"late.csv":     "Title;@priority\nx;1\ny;high\n",
		"missing.csv":  "Picture\nnowhere.png\n",
		"jobs.jsonl":   `{"name": "a"}` + "\n" + `{"name": "b", "template": {"id": "TEMPLATE", "composition": "Nowhere"}}` + "\n",
		"key.txt":      "hush\n",
		"no.ttf":       "no font",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(farmtest.TitleCard(t), filepath.Join(dir, "card.zip")); err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	var transcript strings.Builder
	// last is the last line of what the last command that worked printed: an id, mostly.
	last := ""
	typed := func(line string) {
		t.Helper()
		var args []string
		for _, word := range regexp.MustCompile(`'[^']*'|\S+`).FindAllString(line, -1) {
			word = strings.ReplaceAll(strings.Trim(word, "'"), "LAST", last)
			args = append(args, strings.ReplaceAll(word, "DIR", dir))
		}
		code, stdout, stderr := f.Command(args...)
		if lines := strings.Split(strings.TrimSpace(stdout), "\n"); code == 0 && !strings.HasPrefix(stdout, "[") && !strings.HasPrefix(stdout, "{") {
			if found := regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{26}`).FindString(lines[len(lines)-1]); found != "" {
				last = found
			}
		}
		// On a busy machine a transfer may take long enough to be reported.
		stderr = regexp.MustCompile(`(?m)^(uploading|handing over|rendering) .*%.*\n`).ReplaceAllString(stderr, "")
		said := func(text, before string) string {
			text = strings.ReplaceAll(stable(f, ids, text), dir+"/", "")
			if text == "" {
				return ""
			}
			return before + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+before) + "\n"
		}
		transcript.WriteString("$ overcrank " + strings.ReplaceAll(stable(f, ids, line), "DIR/", "") + "\n" + said(stdout, "") + said(stderr, "! "))
		if code != 0 {
			fmt.Fprintf(&transcript, "exit code %d\n", code)
		}
		transcript.WriteString("\n")
	}

	typed("templates")
	typed("templates add DIR/card.zip --name 'Title Card' --wait")
	template := last
	for _, name := range []string{"job.json", "jobs.jsonl"} {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(string(raw), "TEMPLATE", template)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(sessionScript), "\n") {
		typed(line)
	}
	farmtest.Golden(t, "session.txt", transcript.String())
}

const sessionScript = `
templates list
templates --json
templates show 'Title Card'
templates show 'titel card'
templates layers 'Title Card'
templates compositions 'Title Card' --json
templates preflight 'Title Card'
templates preflight 'Title Card' --json
templates rename LAST Card
templates mark LAST --sequential
templates mark LAST --no-sequential --json
templates replace Card DIR/card.zip --wait -q
templates versions Card
templates make-current Card 1
templates make-current Card 4
submit --template Card --template-version 7 --composition 'Title Card'
submit DIR/job.json
jobs show LAST
jobs why LAST
jobs why LAST --json
jobs set LAST
jobs set LAST --priority 7 --level rush
jobs set LAST --level soon
jobs tasks LAST
jobs tasks LAST --json
jobs attempts LAST
queue
queue --json
jobs samples LAST
jobs approve LAST
agents
agents show suite-7
agents drain suite-7
agents tag 01ARZ3NDEKTSV4RRFFQ69G5FAV night
limits
limits set particles 2 --by-machine --effect 'tc Particular*'
limits
limits --json
limits delete particles
limits delete particles
levels
levels set overnight --hours 'mon-fri 19:00-08:00' --max-share 0.5
levels set overnight --hours 'at night'
farm pause
farm resume --json
farm policy
jobs list
jobs --tags spring --json --minimal
jobs --states finished
jobs wait LAST --timeout 1ms -q
jobs cancel LAST
jobs cancel LAST
jobs download LAST
reviews
reviews create LAST --for Client --download --json
reviews create LAST --password-file DIR/key.txt
reviews show LAST
reviews LAST
reviews revoke LAST
reviews revoke 01ARZ3NDEKTSV4RRFFQ69G5FAV
jobs show 01ARZ3NDEKTSV4RRFFQ69G5FAV
submit --template Card --composition 'Title Card' --text Title=Held --hold --name held
jobs show LAST
jobs release LAST
jobs cancel LAST --json
submit --template Card --composition Nowhere
submit --template Card --composition 'Title Card' --text Title=x --frames 0-9 --dry-run
batches submit DIR/variants.csv --template Card --composition 'Title Card' --tag spring --dry-run
batches submit DIR/variants.csv --template Card --composition 'Title Card' --tag spring
batches set LAST --name 'Spring spots'
batches show LAST
batches show LAST --json
batches list
batches list --by nobody
batches list --state done --json
batches wait LAST --timeout 1ms -q
batches cancel LAST
batches wait LAST
batches submit DIR/wrong.csv --template Card --composition 'Title Card'
batches submit DIR/late.csv --template Card --composition 'Title Card'
batches submit DIR/missing.csv --template Card --composition 'Title Card'
batches submit DIR/jobs.jsonl --template Card --composition 'Title Card'
batches submit DIR/variants.csv --template Card --composition 'Title Crad'
batches submit DIR/variants.csv --template Card --map Titel=Title --composition 'Title Card'
jobs list --limit 2
fonts
fonts add DIR/no.ttf
fonts show Brand.ttf
secrets
secrets set KEY --from-file DIR/key.txt
secrets set KEY --from-file DIR/key.txt
secrets set KEY --from-file DIR/key.txt --replace --json
secrets list
secrets delete KEI
secrets delete KEY
join DIR/a.mp4
join https://files.example.com/a.mp4 https://files.example.com/b.mp4 --name film
jobs cancel LAST
tokens create script --role viewer --expires 2099-01-31T00:00:00Z
tokens list
tokens create other --json
tokens revoke script
tokens revoke script
people create Ann --role producer
people list
people link Ann --json
people set Ann
people set Ann --role artist --email ann@studio.example
people set Ann --expires yesterday
people set Ann --expires 2099-01-31T00:00:00Z
people set Ann --expires never
people set Ann --move-to Elsewhere
people sessions Ann
people sign-out Ann
people passkeys Ann
people passkeys delete Ann Phone
people groups
people groups add artists --team default
people groups add leads --team default --role producer --first
people groups link on
people groups delete artists
people groups delete artists
people reset Ann --json
people delete Ann
notifications
notifications set --about failed,batch --quiet-hours 22:00-07:00 --time-zone Europe/Berlin
notifications set --nothing --no-quiet-hours --language fr --json
notifications set --language klingon
notifications set --language browser
notifications set --email
notifications test chat
teams create Blue
teams list
teams rename Blue Green
tokens create first --role admin --team Green -q
teams delete Green
jobs --token nonsense
jobs --server http://127.0.0.1:1
presets
presets save Delivery --codec video_prores_422 --default
presets save Draft --quality draft --webhook https://studio.example/done
presets list
presets show Delivery
presets show draft --json
presets show Final
projects create Spots --hours 40
presets save Spot --codec video_prores_422 --project Spots
presets show Spot
presets save Lost --project Nowhere
projects list
presets delete Draft
templates retire Card
templates list
templates list --retired
templates delete Card
templates list
`

func TestCtrlCWhileWaitingSaysHowToGoOn(t *testing.T) {
	t.Parallel()
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir())
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	id := f.SubmitCard(f.Card(), nil)
	cmd := exec.Command(farmtest.Program(t), "jobs", "wait", id, "--server", f.Server, "--token", f.Token)
	var stderr farmtest.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// That it says why the job waits tells that it has begun to wait.
	f.Await("the command to wait", func() bool { return strings.Contains(stderr.String(), "No machine is online") })
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exit.Interrupted || !strings.Contains(stderr.String(), "overcrank jobs wait "+id) {
		t.Errorf("exit code %d, said %q", code, stderr.String())
	}
}

// TestJSONIsOneValue runs commands with --json, and finds one JSON value and nothing else on standard output.
func TestJSONIsOneValue(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	id := f.Card()
	for _, args := range [][]string{
		{"templates", "list"}, {"templates", "show", id}, {"templates", "layers", id}, {"templates", "add", farmtest.SmallCard(t), "--wait"}, {"templates", "add", farmtest.TitleCard(t)},
		{"jobs", "list", "--all"}, {"fonts", "list"}, {"secrets", "list"}, {"batches", "list"}, {"tokens", "list"}, {"people", "list"}, {"teams", "list"}, {"agents", "invitations"}, {"agents", "invite"},
		{"submit", "--template", id, "--composition", "Title Card", "--frames", "0", "--type", "image", "--wait"},
	} {
		code, stdout, stderr := f.Command(append(args, "--json")...)
		var v any
		if err := json.Unmarshal([]byte(stdout), &v); code != 0 || err != nil {
			t.Errorf("%v: exit code %d, %v\n%s\n%s", args, code, err, stdout, stderr)
		}
		if strings.Contains(stdout, "signature=") {
			t.Errorf("%v prints an address that lets whoever reads it write:\n%s", args, stdout)
		}
	}
}
