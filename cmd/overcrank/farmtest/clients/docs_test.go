//go:build linux

package clients_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"overcrank/aep/aeptest"
	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/titlecard"
	"overcrank/raftstore/porttest"
)

// docs is the folder of documentation.
func docs(t *testing.T, parts ...string) string {
	t.Helper()
	return filepath.Join(append([]string{aeptest.Repository(t), "docs"}, parts...)...)
}

// needs skips a test where a program of its reader's is missing.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not on this machine", p)
		}
	}
}

// shell runs a program as a reader of the documentation would, with the farm's address and token in its environment.
func shell(f *farmtest.Farm, dir string, command ...string) (stdout string, err error) {
	f.T.Helper()
	ctx, cancel := context.WithTimeout(f.T.Context(), farmtest.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "OVERCRANK_SERVER="+farmtest.Contract(f.T).Proxy(f.T, f.Server), "OVERCRANK_TOKEN="+f.Token)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%w: %s", err, said.String())
	}
	return out.String(), nil
}

// block is a piece of the page: commands, and what they answer.
type block struct{ commands, answer string }

var fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// blocks are the commands of a page, each with the answer that stands right behind it.
func blocks(page string) (out []block) {
	end := -1
	for _, m := range fence.FindAllStringSubmatchIndex(page, -1) {
		kind, text := page[m[2]:m[3]], page[m[4]:m[5]]
		switch {
		case kind == "sh":
			out = append(out, block{commands: text})
			end = m[1]
		case kind == "json" && end >= 0 && strings.TrimSpace(page[end:m[0]]) == "":
			out[len(out)-1].answer = text
			end = -1
		}
	}
	return out
}

// TestThePageAboutTheInterfaceIsTrue runs every command of docs/api.md and holds each answer against the one on the page.
func TestThePageAboutTheInterfaceIsTrue(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "curl", "jq")
	page, err := os.ReadFile(docs(t, "api.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := blocks(string(page))
	if len(all) < 10 {
		t.Fatalf("the page has only %d blocks of commands", len(all))
	}
	f := farmtest.Up(t, t.TempDir())
	dir := t.TempDir()
	card, err := os.ReadFile(farmtest.SmallCard(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "card.zip"), card, 0o600); err != nil {
		t.Fatal(err)
	}
	const mark = "\x1e"
	script := "set -eu\n"
	for _, b := range all {
		script += b.commands + "\nprintf '" + mark + "'\n"
	}
	out, err := shell(f, dir, "bash", "-c", script)
	said := strings.Split(out, mark)
	if err != nil {
		t.Fatalf("block %d ended with %v\n%s\nafter\n%s", len(said), err, all[min(len(said), len(all))-1].commands, said[len(said)-1])
	}
	for i, b := range all {
		if b.answer == "" {
			continue
		}
		var want, got any
		if err := json.Unmarshal([]byte(b.answer), &want); err != nil {
			t.Errorf("the page shows %s: %v", b.answer, err)
		} else if err := json.Unmarshal([]byte(said[i]), &got); err != nil {
			t.Errorf("%s\nanswers %s: %v", b.commands, said[i], err)
		} else if err := alike("", want, got); err != nil {
			t.Errorf("%s\nanswers %s\nand the page shows %s: %v", b.commands, said[i], b.answer, err)
		}
	}
	if codec, w, h, frames, _ := farmtest.Probe(t, filepath.Join(dir, "spot.mp4")); codec != "h264" || w != farmtest.SmallWidth || h != farmtest.SmallHeight || frames != 10 {
		t.Errorf("the film of the page is %s, %d × %d, %d frames", codec, w, h, frames)
	}
}

// passing is what differs from one run to the next: ids, times, addresses, and numbers that count on.
var passing = regexp.MustCompile(`…|^\d{4}-\d\d-\d\dT|^https?://`)

// alike tells how an answer differs from the one on a page. Members that the page leaves out may be there.
func alike(at string, want, got any) error {
	switch want := want.(type) {
	case map[string]any:
		members, isObject := got.(map[string]any)
		if !isObject {
			return fmt.Errorf("%s is %v, want an object", at, got)
		}
		var wrong []error
		for key, value := range want {
			member, there := members[key]
			if !there {
				wrong = append(wrong, fmt.Errorf("%s.%s is not there", at, key))
				continue
			}
			wrong = append(wrong, alike(at+"."+key, value, member))
		}
		return errors.Join(wrong...)
	case []any:
		list, isList := got.([]any)
		if !isList || len(list) < len(want) {
			return fmt.Errorf("%s is %v, want %d elements", at, got, len(want))
		}
		for i, value := range want {
			if err := alike(fmt.Sprintf("%s[%d]", at, i), value, list[i]); err != nil {
				return err
			}
		}
		return nil
	case string:
		if text, isText := got.(string); !isText || text != want && !passing.MatchString(want) {
			return fmt.Errorf("%s is %v, want %q", at, got, want)
		}
		return nil
	case float64:
		if _, isNumber := got.(float64); !isNumber {
			return fmt.Errorf("%s is %v, want a number", at, got)
		}
		return nil
	default:
		if got != want {
			return fmt.Errorf("%s is %v, want %v", at, got, want)
		}
		return nil
	}
}

func TestTheScriptOfTheDocumentationRenders(t *testing.T) {
	t.Parallel()
	needs(t, "curl", "jq")
	f := farmtest.Up(t, t.TempDir())
	dir := t.TempDir()
	script := docs(t, "examples", "render.sh")
	out, err := shell(f, dir, script, farmtest.SmallCard(t), titlecard.Strip, "film.mp4", "Title=Night 'Shift' \"2027\"", "Subtitle=a = b")
	if err != nil || strings.TrimSpace(out) != "film.mp4" {
		t.Fatalf("the script says %q: %v", out, err)
	}
	if codec, _, _, frames, _ := farmtest.Probe(t, filepath.Join(dir, "film.mp4")); codec != "h264" || frames == 0 {
		t.Errorf("the film is %s, %d frames", codec, frames)
	}
	if _, err := shell(f, dir, script, farmtest.SmallCard(t), "no such composition", "none.mp4"); err == nil {
		t.Error("the script is content with a composition that does not exist")
	}
}

// TestTheReceiversOfTheDocumentationCheckSignatures calls each of them as the farm does.
func TestTheReceiversOfTheDocumentationCheckSignatures(t *testing.T) {
	t.Parallel()
	for name, command := range map[string][]string{
		"receiver.py": {"python3"}, "receiver.mjs": {"node"}, "receiver.go": {"go", "run"},
	} {
		t.Run(name, func(t *testing.T) {
			needs(t, command[0])
			address := porttest.Address(t)
			_, port, _ := net.SplitHostPort(address)
			cmd := exec.Command(command[0], append(command[1:], docs(t, "examples", name))...)
			cmd.Env = append(os.Environ(), "WEBHOOK_KEY=whk_test", "PORT="+port, "CGO_ENABLED=0")
			var said farmtest.Buffer
			cmd.Stdout, cmd.Stderr = &said, &said
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // "go run" has a child
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
				_ = cmd.Wait()
			})

			body := []byte(`{"id":"01JD7000000000000000000JBA","status":"finished","outputUrl":"http://farm/outputs/ä.mp4"}`)
			mac := hmac.New(sha256.New, []byte("whk_test"))
			mac.Write(body)
			post := func(signature string) (status int) {
				for end := time.Now().Add(farmtest.Patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
					req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/", bytes.NewReader(body))
					if err != nil {
						t.Fatal(err)
					}
					req.Header.Set("X-Signature", signature)
					req.Header.Set("X-Delivery-Id", "01JD7000000000000000000JBA")
					res, err := http.DefaultClient.Do(req)
					if err != nil {
						continue // it is starting
					}
					_, _ = io.Copy(io.Discard, res.Body)
					res.Body.Close()
					return res.StatusCode
				}
				t.Fatalf("the receiver does not answer:\n%s", &said)
				return 0
			}
			if got := post("sha256=" + hex.EncodeToString(mac.Sum(nil))); got != http.StatusNoContent {
				t.Errorf("a delivery that is signed is answered with %d:\n%s", got, &said)
			}
			for _, forged := range []string{"", "sha256=", "sha256=" + strings.Repeat("0", 64)} {
				if got := post(forged); got != http.StatusUnauthorized {
					t.Errorf("the signature %q is answered with %d", forged, got)
				}
			}
			farmtest.Await(t, "the receiver to say what it got", func() bool {
				return strings.Contains(said.String(), "01JD7000000000000000000JBA finished http://farm/outputs/ä.mp4")
			})
		})
	}
}

// TestThePageAboutTheFirstRenderIsTrue follows docs/first-render.md on a farm: its commands, with its files.
func TestThePageAboutTheFirstRenderIsTrue(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	text, err := os.ReadFile(docs(t, "first-render.md"))
	if err != nil {
		t.Fatal(err)
	}
	f, dir := farmtest.Up(t, t.TempDir()), t.TempDir()
	card, err := os.ReadFile(farmtest.SmallCard(t))
	if err != nil {
		t.Fatal(err)
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, titlecard.Picture(titlecard.Night)); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"demo-output/Title Card.zip": card, "demo-output/night.png": picture.Bytes()} // the demo leaves them
	script := "set -eu\n"
	for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
		switch kind, code := m[1], m[2]; kind {
		case "json":
			files["job.json"] = []byte(code)
		case "csv":
			files["variants.csv"] = []byte(code)
		case "sh":
			script += code
		}
	}
	script = regexp.MustCompile(`(?m)^export OVERCRANK_.*$`).ReplaceAllString(script, "")
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	script = strings.ReplaceAll(script, "suite-4", host) // the page says that a machine has its host name
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := shell(f, dir, "bash", "-c", `overcrank() { "`+farmtest.Plain(t)+`" "$@"; }`+"\n"+script); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, want := range map[string]int{"spot.mp4": 25, "films/spring.mp4": 10, "films/summer.mp4": 10} {
		if codec, _, _, frames, _ := farmtest.Probe(t, filepath.Join(dir, name)); codec != "h264" || frames != want {
			t.Errorf("%s is %s with %d frames, want %d", name, codec, frames, want)
		}
	}
}

// TestAMachineOfTheInstallPageCanBeRemoved follows docs/install.md from the invitation of a machine to its removal. The machine's host is
// called as the page says.
func TestAMachineOfTheInstallPageCanBeRemoved(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	text, err := os.ReadFile(docs(t, "install.md"))
	if err != nil {
		t.Fatal(err)
	}
	command := func(of string) string {
		line := regexp.MustCompile(`(?m)^    overcrank agents ` + of + ` .*$`).FindString(string(text))
		if line == "" {
			t.Fatalf("the page has no line with overcrank agents %s", of)
		}
		return `overcrank() { "` + farmtest.Plain(t) + `" "$@"; }` + "\n" + line
	}
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir())
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	token, err := shell(f, t.TempDir(), "bash", "-c", command("invite"))
	if err != nil {
		t.Fatal(err)
	}
	machine := farmtest.StartAgent(t, f, filepath.Join(t.TempDir(), "suite-4"), strings.TrimSpace(token))
	f.Await("the machine to be linked", func() bool { return strings.Contains(machine.Said.String(), "linked to the farm") })
	if out, err := shell(f, t.TempDir(), "bash", "-c", command("remove")); err != nil {
		t.Errorf("the machine is not removed: %v\n%s", err, out)
	}
}
