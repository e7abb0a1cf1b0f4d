package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDiagTakesNoSecretsAlong plants secrets wherever a machine may have some, and looks for each in all that was collected.
func TestDiagTakesNoSecretsAlong(t *testing.T) {
	dir := t.TempDir()
	data, logs, state, settings := filepath.Join(dir, "agent"), filepath.Join(dir, "logs"), filepath.Join(dir, "launcher"), filepath.Join(dir, "agent.yaml")
	hex := strings.Repeat("0123456789abcdef", 4)
	planted := map[string]string{}
	plant := func(where, form string) string {
		planted[where] = fmt.Sprintf(form, fmt.Sprintf("planted%02d", len(planted)))
		return planted[where]
	}
	write(t, settings, "# the old one was "+plant("a comment of the settings", "ocj_%sabcdefghijklmnop")+"\nname: suite-4\njoin-token: "+plant("the settings", "ocj_%sabcdefghijklmnop."+hex)+"\n")
	write(t, filepath.Join(data, "join-token"), plant("the file of the join token", "ocj_%sabcdefghijklmnop."+hex)+"\n")
	write(t, filepath.Join(data, "credential.json"), `{"agentId": "a-1", "key": "`+plant("the credential", "MIGHAgEAMBMG%sByqGSM49AgEG")+`", "secret": "`+plant("an old credential", "s3cret-%s-0123456789")+`"}`)
	t.Setenv("OVERCRANK_TOKEN", plant("a variable", "oct_%sabcdefghijklmnop"))
	t.Setenv("AWS_SECRET_ACCESS_KEY", plant("a variable of another program", "wJalr%sUtnFEMI"))
	t.Setenv("HTTPS_PROXY_PASSWORD", plant("a password in a variable", "hunter2-%s"))
	lines := []string{
		"level=INFO msg=joining token=" + plant("a field of a log", "xyz-%s-123"),
		"Authorization: Bearer " + plant("a header", "eyJ%s.abc.def"),
		"proxy http://user:" + plant("an address with a password", "pw%s") + "@proxy:3128 refused",
		"GET https://bucket.s3.example.com/film.mov?X-Amz-Signature=" + plant("a signed address", "sig%s") + "&X-Amz-Date=1 403",
		"X-API-KEY: " + plant("a header in capitals", "Ab%sYz") + "\nPasswd=" + plant("a setting with a capital", "pw-%s-1"),
		`{"msg": "webhook", "secret": "` + plant("a field in JSON", "json %s secret") + `"}`,
		"-----BEGIN PRIVATE KEY-----\n" + plant("a key", "MIIEvQ%sIBADANBg") + "\n-----END PRIVATE KEY-----",
		"credential " + planted["the credential"] + ", token " + planted["the file of the join token"] + ", " + planted["a variable"] + ", " +
			planted["a variable of another program"] + ", " + planted["a password in a variable"] + ", " + planted["an old credential"],
		"a very long line " + strings.Repeat("x", 3<<20) + " " + plant("the end of a long line", "ocw_%sabcdefghijklmnop"),
		"level=WARN msg=\"the engine ended\" job=job-1 reason=\"no licence\"",
	}
	write(t, filepath.Join(logs, "agent.log"), strings.Join(lines, "\n")+"\n")
	write(t, filepath.Join(logs, "launcher-2026-11-23T10-00-00.000.log"), "the last one\n")
	write(t, filepath.Join(state, "state.json"), `{"current": {"version": "1.1.0", "number": 11}, "bad": ["1.2.0"], "outcome": {"version": "1.2.0", "reason": "it ended: Bearer `+
		plant("the launcher's state", "abc%sdef")+`", "at": "2026-11-23T10:00:00Z"}}`)

	file := filepath.Join(dir, "diag.zip")
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"diag", "-o", file, "--json", "--config", settings, "--data-dir", data, "--logs", logs, "--launcher-state", state}, &stdout, &stderr)
	var said struct {
		File     string
		Contains []string
		Missing  []string
	}
	if err := json.Unmarshal(stdout.Bytes(), &said); err != nil || code != 0 || said.File != file {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, &stdout, &stderr)
	}
	contents := unzip(t, file)
	for _, name := range []string{"versions.json", "launcher.json", "settings.json", "agent.yaml", "logs/agent.log", "logs/launcher-2026-11-23T10-00-00.000.log", "doctor.json", "missing.txt"} {
		if _, there := contents[name]; !there || !slices.Contains(said.Contains, name) {
			t.Errorf("%s is not collected", name)
		}
	}
	contents["what was printed"] = stdout.String() + stderr.String()
	for where, secret := range planted {
		for name, text := range contents {
			if strings.Contains(text, secret) || strings.Contains(text, strings.TrimSuffix(secret, "."+hex)) {
				t.Errorf("%s has the secret of %s", name, where)
			}
		}
	}
	// What helps is there.
	for name, want := range map[string]string{
		"logs/agent.log": `reason="no licence"`, "launcher.json": `"1.2.0"`, "settings.json": `"suite-4"`, "agent.yaml": "name: suite-4", "doctor.json": `"check"`, "missing.txt": "status.json",
	} {
		if !strings.Contains(contents[name], want) {
			t.Errorf("%s lacks %s:\n%.500s", name, want, contents[name])
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
}

// TestDiagWorksWhereMuchIsWrong: settings with mistakes are among what it is for.
func TestDiagWorksWhereMuchIsWrong(t *testing.T) {
	dir := t.TempDir()
	settings, file := filepath.Join(dir, "agent.yaml"), filepath.Join(dir, "diag.zip")
	write(t, settings, "slots: [\n")
	write(t, filepath.Join(dir, "launcher", "state.json"), "{")
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"diag", "-o", file, "--config", settings, "--data-dir", filepath.Join(dir, "agent"), "--logs", dir, "--launcher-state", filepath.Join(dir, "launcher")}, &stdout, &stderr)
	if code != 0 || strings.TrimSpace(stdout.String()) != file {
		t.Fatalf("exit code %d\n%s%s", code, &stdout, &stderr)
	}
	contents := unzip(t, file)
	if !strings.Contains(contents["missing.txt"], "agent.yaml: line 1") || !strings.Contains(contents["launcher.json"], "is damaged") || contents["agent.yaml"] != "slots: [\n" {
		t.Errorf("collected was %q, %q, %q", contents["missing.txt"], contents["launcher.json"], contents["agent.yaml"])
	}
}

// TestStatusTellsOfUpdates: also when no agent answers, since that may be why.
func TestStatusTellsOfUpdates(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "launcher", "state.json"),
		`{"current": {"version": "1.1.0", "number": 11}, "pending": {"version": "1.3.0", "number": 13, "starts": 1}, "bad": ["1.2.0"],
		"outcome": {"version": "1.2.0", "reason": "it was not healthy within 5 minutes", "at": "2026-11-23T10:00:00Z"}}`)
	var out bytes.Buffer
	code := run(t.Context(), []string{"status", "--data-dir", dir, "--launcher-state", filepath.Join(dir, "launcher")}, &out, &out)
	for _, want := range []string{"overcrank-agent ", "runs version 1.1.0", "1.3.0 is on trial", "1.2.0 was rolled back", "not healthy within 5 minutes", "no agent answers"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("status lacks %q:\n%s", want, &out)
		}
	}
	if code != 5 {
		t.Errorf("exit code %d", code)
	}
}

// unzip reads a zip file.
func unzip(t *testing.T, path string) map[string]string {
	t.Helper()
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	contents := map[string]string{}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		contents[f.Name] = string(text)
	}
	return contents
}
