package completion

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
	"overcrank/farm/codec"
	"overcrank/farm/wording"
)

// Command prints the script that makes a shell complete commands.
type Command struct {
	Shell string `arg:"" help:"bash, zsh, fish or powershell." enum:"bash,zsh,fish,powershell"`
}

func (Command) Help() string {
	return `The script that it prints makes Tab complete commands, flags and the farm's own templates, jobs, batches and so on.

    source <(overcrank completion bash)            # in ~/.bashrc
    source <(overcrank completion zsh)             # in ~/.zshrc
    overcrank completion fish | source             # in ~/.config/fish/config.fish
    overcrank completion powershell | Out-String | Invoke-Expression`
}

func (c Command) Run(out *terminal.Output) error {
	script, err := Script(c.Shell)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(out, script)
	return err
}

// Complete is what the scripts call.
type Complete struct {
	remote.Farm
	Words []string `arg:"" optional:"" passthrough:"" help:"The words behind the program's name."`
}

// completeWithin bounds how long a shell waits for the farm.
const completeWithin = 2 * time.Second

func (c Complete) Run(ctx context.Context, out *terminal.Output, parser *kong.Kong) error {
	ctx, cancel := context.WithTimeout(ctx, completeWithin)
	defer cancel()
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	candidates, files := Suggest(parser.Model, words, func(kind string, flags map[string]string) []Candidate {
		server := c.Farm
		for name, field := range map[string]*string{"server": &server.Server, "token": &server.Token, "token-file": &server.TokenFile, "ca-file": &server.CAFile} {
			if given := flags[name]; given != "" {
				*field = given
			}
		}
		return suggestions(ctx, kind, server)
	})
	return Write(out, candidates, files)
}

// suggested is how many jobs or batches are offered: the newest.
const suggested = 50

// suggestions are the candidates for a kind of value. A farm that cannot be asked has none: a shell has no place for errors.
func suggestions(ctx context.Context, kind string, server remote.Farm) []Candidate {
	switch kind {
	case "state":
		return words("queued", "pending", "render:dorender", "finished", "error", "manually_cancelled")
	case "agentstate":
		return words("offline", "paused", "set_aside", "draining", "drained", "not_ready", "away", "rendering", "free")
	case "eventkind":
		return words("job", "task", "progress", "log", "thumbnail", "template", "agent", "farm")
	case "level":
		return words("rush", "normal", "overnight")
	case "codec":
		return words(codec.Names()...)
	}
	c, err := server.Client()
	if err != nil {
		return nil
	}
	switch kind {
	case "job":
		jobs, _ := c.Jobs(ctx, url.Values{"sort": {"newest_first"}, "minimal": {"true"}}, suggested)
		return each(jobs, func(j client.Job) (string, string) { return j.ID, wording.Job(j.Status) + " " + j.Name })
	case "batch":
		list, _ := c.Batches(ctx, farm.BatchFilter{}, suggested)
		return each(list, func(b client.Batch) (string, string) { return b.BatchID, wording.Batch(b.Status) })
	case "template":
		list, _ := c.Templates(ctx)
		return each(list, func(t client.Template) (string, string) {
			return t.DisplayName, wording.Template(t.Status)
		})
	case "font":
		list, _ := c.Fonts(ctx)
		return each(list, func(f client.Font) (string, string) { return f.FileName, f.FamilyName })
	case "secret":
		list, _ := c.Secrets(ctx)
		return each(list, func(s client.Secret) (string, string) { return s.Name, "" })
	case "team":
		list, _ := c.Teams(ctx)
		return each(list, func(t client.Team) (string, string) { return t.Name, "" })
	case "token":
		list, _ := c.Tokens(ctx, "")
		return each(list, func(a client.Access) (string, string) { return a.Name, a.Role })
	case "agent":
		list, _ := c.Agents(ctx, "", "")
		return each(list, func(a client.Agent) (string, string) { return a.Name, wording.Machine(a.State) })
	case "project":
		list, _ := c.Projects(ctx, false)
		return each(list, func(p client.Project) (string, string) { return p.Name, p.ID })
	case "preset":
		list, _ := c.Presets(ctx)
		return each(list, func(p client.Preset) (string, string) { return p.Name, p.Settings.Codec })
	case "limit":
		limits, _ := c.Limits(ctx)
		return words(slices.Sorted(maps.Keys(limits.ByName))...)
	case "invitation":
		list, _ := c.Invitations(ctx)
		return each(list, func(i client.JoinToken) (string, string) { return i.ID, i.Name })
	case "person":
		list, _ := c.People(ctx, "")
		return each(list, func(a client.Access) (string, string) { return a.Name, a.Role })
	}
	return nil
}

func words(list ...string) []Candidate {
	out := make([]Candidate, len(list))
	for i, word := range list {
		out[i].Word = word
	}
	return out
}

func each[T any](list client.List[T], wordAndHelp func(T) (word, help string)) []Candidate {
	var out []Candidate
	for _, item := range list.Items {
		word, help := wordAndHelp(item)
		out = append(out, Candidate{Word: word, Help: help})
	}
	return out
}
