package web

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/coordinator/downloads"
	"overcrank/coordinator/enrolment"
	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/web/page"
)

// addMachine is the page that offers the package for the visitor's system, or for the one that the address names.
func (s *server) addMachine(c *fiber.Ctx, p farm.Principal) error {
	v := page.AddMachine{Form: page.AddMachineForm{System: c.Query("for"), Uses: "1", Life: page.InviteLives[0].Name}}
	if !page.KnowsPackageSystem(v.Form.System) {
		v.Form.System, v.Detected = packageSystem(c.Get("Sec-CH-UA-Platform"), c.Get(fiber.HeaderUserAgent))
	}
	return s.showAddMachine(c, p, v)
}

// packageSystem tells of a browser's headers for which system it needs a package. For a Linux that does not say which it is, assume .deb. A visitor whose
// system has no package, such as a telephone's, is offered Windows, which is not detected.
func packageSystem(platform, agent string) (name string, detected bool) {
	text := strings.ToLower(platform + " " + agent)
	switch {
	case strings.Contains(text, "android"), strings.Contains(text, "iphone"), strings.Contains(text, "ipad"), strings.Contains(text, " cros "):
		return "windows", false
	case strings.Contains(text, "windows"):
		return "windows", true
	case strings.Contains(text, "mac"):
		return "macos", true
	case strings.Contains(text, "fedora"), strings.Contains(text, "red hat"), strings.Contains(text, "centos"), strings.Contains(text, "rocky"), strings.Contains(text, "suse"):
		return "rpm", true
	case strings.Contains(text, "linux"), strings.Contains(text, "x11"):
		return "deb", true
	}
	return "windows", false
}

func (s *server) showAddMachine(c *fiber.Ctx, p farm.Principal, v page.AddMachine) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	list, err := s.farm.downloads.List(ctx, p)
	if err != nil {
		return err
	}
	v.Packages = page.PackagesFor(list, v.Form.System)
	shell := s.shell(c, p, say(c, "Add a machine"), "machines")
	if v.Made != nil {
		shell.Live = "joined:" + v.Made.ID
		if v.Joined, err = s.readJoined(ctx, p, v.Made.ID); err != nil {
			return err
		}
		for _, d := range v.Packages {
			invited := downloads.Invited{Package: d, Address: s.farm.publicAddress(), Token: v.Token}
			if err := invited.Check(); err != nil {
				return err
			}
			v.Offers = append(v.Offers, page.PackageOffer{Package: d, Commands: invited.Commands(), Named: invited.Name() != ""})
		}
		c.Set(fiber.HeaderCacheControl, "no-store")
	}
	return s.render(c, page.AddMachinePage(shell, v))
}

// inviteWithPackage makes an invitation, and offers the package with it. The page that answers is the only one that shows the token, so it is no redirect.
func (s *server) inviteWithPackage(c *fiber.Ctx, p farm.Principal) error {
	text := func(name string) string { return strings.Clone(strings.TrimSpace(c.FormValue(name))) }
	v := page.AddMachine{Form: page.AddMachineForm{System: text("for"), Name: text("name"), Tags: text("tags"), Uses: text("uses"), Life: text("life")}}
	if !page.KnowsPackageSystem(v.Form.System) {
		v.Form.System, _ = packageSystem("", c.Get(fiber.HeaderUserAgent))
	}
	in := enrolment.NewJoinToken{Name: v.Form.Name, Tags: words(v.Form.Tags)}
	for _, l := range page.InviteLives {
		if l.Name == v.Form.Life {
			in.ExpiresAt = time.Now().Add(l.For)
		}
	}
	in.Uses, _ = strconv.Atoi(v.Form.Uses)
	if in.Uses < 1 {
		v.Error = say(c, "enter at least 1")
		c.Status(fiber.StatusBadRequest)
		return s.showAddMachine(c, p, v)
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	made, token, err := s.farm.invitations.Invite(ctx, p, in)
	if farm.CodeOf(err) == farm.CodeInvalid {
		v.Error = sayError(c, err)
		c.Status(answer.StatusOf(err))
		return s.showAddMachine(c, p, v)
	}
	if err != nil {
		return err
	}
	v.Made, v.Token = &made, token
	if err := s.showAddMachine(c, p, v); err != nil {
		return s.revokeUnseen(p, made.ID, err)
	}
	return nil
}

// invitedFile gives a package with the invitation in its name, without it, or the invitation's file. It is a POST, so that the token is in no address.
func (s *server) invitedFile(c *fiber.Ctx, p farm.Principal) error {
	if err := p.May(farm.ActInviteMachines); err != nil {
		return err
	}
	sha256, what := strings.Clone(c.FormValue("sha256")), strings.Clone(c.FormValue("what"))
	ctx, cancel := s.callOf(c)
	defer cancel()
	made, err := s.farm.downloads.Get(ctx, p, sha256)
	if err != nil {
		return err
	}
	invited := downloads.Invited{Package: made, Address: s.farm.publicAddress(), Token: strings.Clone(c.FormValue("token"))}
	if err := invited.Check(); err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	name := invited.PlainName()
	switch what {
	case "invitation":
		text := bytes.NewReader(invited.File())
		f := &files.File{ReadSeekCloser: nopCloser{text}, Name: downloads.InvitationName, Size: text.Size()}
		return answer.File(c, f, answer.FileOptions{ContentType: fiber.MIMEApplicationJSON, Download: true})
	case "named":
		name = invited.Name()
	}
	file, err := s.farm.downloads.Open(request.Transfer(c), p, sha256)
	if err != nil {
		return err
	}
	return answer.File(c, file, answer.FileOptions{ContentType: fiber.MIMEOctetStream, Download: true, Name: name})
}

type nopCloser struct{ io.ReadSeeker }

func (nopCloser) Close() error { return nil }

// joinedShown is how many machines that joined with one invitation a page shows.
const joinedShown = 24

// readJoined reads which machines have joined with an invitation, and what they render.
func (s *server) readJoined(ctx context.Context, p farm.Principal, invitation string) (page.Joined, error) {
	v := page.Joined{}
	list, next, err := s.farm.machines.Agents(ctx, p, farm.AgentQuery{JoinToken: invitation, Cursor: invitation, Limit: joinedShown})
	if err != nil {
		return v, err
	}
	v.More = next != ""
	for _, m := range list {
		dressed, err := s.readMachine(ctx, p, m.ID)
		if farm.CodeOf(err) == farm.CodeNotFound {
			continue // it was removed meanwhile
		}
		if err != nil {
			return v, err
		}
		v.Machines = append(v.Machines, dressed)
	}
	return v, nil
}

// joinedPieces are the machines that came by an invitation, while its page is open.
func (s *server) joinedPieces(p farm.Principal, _ page.Shell, invitation string) []piece {
	return []piece{{id: "joined", kinds: []farm.EventKind{farm.EventJob, farm.EventProgress, farm.EventThumbnail, farm.EventMachine}, draw: func(ctx context.Context) (templ.Component, error) {
		v, err := s.readJoined(ctx, p, invitation)
		return page.JoinedMachines(v), err
	}}}
}
