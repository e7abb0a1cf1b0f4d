package notices

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/raftstore"
)

const (
	// mostLines is how much of what waits a message says one by one.
	mostLines = 20
	// mostWords bounds what of a name or an error goes into a message, in characters.
	mostWords = 300
)

// message is what somebody is told at once, in plain text. All that it says is a farm.Text, so that it can be said in their language.
type message struct {
	title farm.Text
	lines []line
	more  int    // things that are only counted
	key   string // names the message: the same for each try that says the same
	voice voice
}

// line is about one thing, with its address, and the path of that on the dashboard.
type line struct {
	text       farm.Text
	link, path string
}

// body is the message without its title.
func (m message) body() string {
	var b strings.Builder
	for i, l := range m.lines {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(m.voice.says(l.text) + "\n" + l.link + "\n")
	}
	if m.more > 0 {
		b.WriteString("\n" + m.voice.says(m.others()) + "\n")
	}
	return b.String()
}

// others says how many things are only counted.
func (m message) others() farm.Text { return farm.Count(m.more, "And %d more.", "And %d more.") }

// isOne says whether the message is about one thing only, which its title says.
func (m message) isOne() bool {
	return len(m.lines) == 1 && m.lines[0].text.String() == m.title.String()
}

// compose puts what waits in a queue into one message. It has no lines when all of it is gone.
func (n *Notices) compose(who farm.Token, queue farm.NoticeQueue) (m message, err error) {
	var names strings.Builder
	for _, notice := range queue.Waiting {
		fmt.Fprintf(&names, "%s %s%s\n", notice.About, notice.Job, notice.Batch)
		if notice.About == farm.HappenedBudget {
			fmt.Fprintf(&names, "%s %d\n", notice.Project, notice.Percent)
		}
		if len(m.lines) == mostLines {
			m.more++
			continue
		}
		var l line
		err := n.state.View(func(tx *raftstore.Tx) (err error) {
			l, err = n.lineOf(tx, who, notice)
			return err
		})
		if farm.CodeOf(err) == farm.CodeNotFound {
			continue
		}
		if err != nil {
			return message{}, err
		}
		m.lines = append(m.lines, l)
	}
	m.more += queue.More
	switch count := len(m.lines) + m.more; {
	case count == 1 && len(m.lines) == 1:
		m.title = m.lines[0].text
	default:
		m.title = farm.Count(count, "%d thing happened to your jobs", "%d things happened to your jobs")
	}
	m.key = n.keyOf(queue.Token, queue.Way, fmt.Sprintf("%d\n%s%d", queue.Number, names.String(), queue.More))
	return m, nil
}

// keyOf names a message by what is in it.
func (n *Notices) keyOf(token string, way farm.NoticeWay, content string) string {
	mac := hmac.New(sha256.New, n.cfg.Derive("names of messages", 32))
	fmt.Fprintf(mac, "%s %s\n%s", token, way, content)
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// errGone is for what nobody is told of any more, or not this person.
var errGone = farm.Errorf(farm.CodeNotFound, "there is nothing to tell any more")

// lineOf words one thing. CodeNotFound when it is gone, or not of whose team is told.
func (n *Notices) lineOf(tx *raftstore.Tx, who farm.Token, notice farm.Notice) (line, error) {
	switch notice.About {
	case farm.HappenedBatch:
		return n.lineOfBatch(tx, who, notice)
	case farm.HappenedBudget:
		return n.lineOfBudget(tx, who, notice)
	}
	job, err := tx.Job(notice.Job)
	if err != nil {
		return line{}, err
	}
	if job.Team != who.Team {
		return line{}, errGone
	}
	name, err := titleOf(tx, job)
	if err != nil {
		return line{}, err
	}
	l := n.lineAt("/jobs/"+job.ID, farm.Say("%s has finished", name))
	switch {
	case notice.About == farm.HappenedReview:
		l.text, err = lastSaid(tx, job, name)
		return l, err
	case notice.About == farm.HappenedApproval:
		l.text = farm.Say("%s waits for approval", name)
	case job.Status == farm.JobFailed && job.Error != "" && !job.Private:
		l.text = farm.Say("%s has failed: %s", name, farm.AsIs(plain(job.Error)))
	case job.Status == farm.JobFailed:
		l.text = farm.Say("%s has failed", name)
	case job.Status == farm.JobCancelled:
		l.text = farm.Say("%s was cancelled", name)
	}
	return l, nil
}

// lastSaid words what was said last about a job by a review link, and who said it.
func lastSaid(tx *raftstore.Tx, job farm.Job, name farm.Text) (farm.Text, error) {
	remarks, err := tx.Remarks(job.ID)
	remarks = slices.DeleteFunc(remarks, func(r farm.Remark) bool { return r.Link == "" })
	if err != nil || len(remarks) == 0 {
		return farm.Say("%s has comments", name), err
	}
	last := remarks[len(remarks)-1]
	text, who := plain(last.Text), plain(last.Name)
	said := farm.Say("%s has commented on %s", who, name)
	switch last.Verdict {
	case farm.VerdictApproved:
		said = farm.Say("%s has approved %s", who, name)
	case farm.VerdictRejected:
		said = farm.Say("%s has rejected %s", who, name)
	}
	if text == "" {
		return said, nil
	}
	return farm.Say("%s: %s", said, text), nil
}

func (n *Notices) lineOfBatch(tx *raftstore.Tx, who farm.Token, notice farm.Notice) (line, error) {
	batch, err := tx.Batch(notice.Batch)
	if err != nil {
		return line{}, err
	}
	if batch.Team != who.Team {
		return line{}, errGone
	}
	counts, err := tx.CountBatch(batch.ID)
	if err != nil {
		return line{}, err
	}
	text := farm.Count(len(batch.Jobs), "A batch of %d job is done: %d finished", "A batch of %d jobs is done: %d finished", counts[farm.JobFinished])
	if failed := counts[farm.JobFailed]; failed > 0 {
		text = farm.Say("%s, %d failed", text, failed)
	}
	if cancelled := counts[farm.JobCancelled]; cancelled > 0 {
		text = farm.Say("%s, %d cancelled", text, cancelled)
	}
	return n.lineAt("/batches/"+batch.ID, text), nil
}

// lineOfBudget words what is used of a budget now. CodeNotFound when it was taken away since.
func (n *Notices) lineOfBudget(tx *raftstore.Tx, who farm.Token, notice farm.Notice) (line, error) {
	of := farm.BudgetOf{Team: who.Team, Month: farm.Month(n.state.Now())}
	var budget *farm.Budget
	if notice.Project == "" {
		team, err := tx.Team(who.Team)
		if err != nil {
			return line{}, err
		}
		budget = team.Budget
	} else {
		project, err := tx.Project(who.Team, notice.Project)
		if err != nil {
			return line{}, err
		}
		project.Name = plain(project.Name)
		of.Project, budget = &project, project.Budget
	}
	if budget == nil {
		return line{}, errGone
	}
	of.Budget = *budget
	var err error
	if of.Use, err = tx.ProjectUse(who.Team, notice.Project, n.state.Now()); err != nil {
		return line{}, err
	}
	text := wording.Used(of)
	if of.Budget.Then == farm.BudgetHold && of.Use.UsedUp(of.Budget) {
		text = farm.Say("%s New work waits until then.", wording.Held(of))
	}
	return n.lineAt("/projects", text), nil
}

func (n *Notices) lineAt(path string, text farm.Text) line {
	return line{text: text, link: n.cfg.PublicAddress() + path, path: path}
}

// titleOf is what people call a job.
func titleOf(tx *raftstore.Tx, job farm.Job) (farm.Text, error) {
	switch name := cmp.Or(job.Name, job.Template.Composition); {
	case job.Name == "" && job.Template.ID != "":
		template, err := tx.Template(job.Template.ID)
		if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
			return farm.Text{}, err
		}
		return farm.AsIs(plain(strings.TrimPrefix(template.DisplayName+" · "+job.Template.Composition, " · "))), nil
	case name != "":
		return farm.AsIs(plain(name)), nil
	}
	return farm.Say("The job of %s", wording.Moment(job.CreatedAt)), nil
}

// plain is a text from outside as it may stand in a line: without line breaks and other characters that are not seen, and not too long.
func plain(text string) string {
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || !unicode.IsGraphic(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, text)), " ")
	if runes := []rune(text); len(runes) > mostWords {
		return string(runes[:mostWords]) + "…"
	}
	return text
}
