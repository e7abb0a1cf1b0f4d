package web

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/coordinator/enrolment"
	"overcrank/farm"
	"overcrank/web/page"
)

func (s *server) invitations(c *fiber.Ctx, p farm.Principal) error {
	return s.showInvitations(c, p, page.Invitations{Uses: "1"})
}

func (s *server) showInvitations(c *fiber.Ctx, p farm.Principal, v page.Invitations) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	var err error
	if v.Open, err = s.farm.invitations.JoinTokens(ctx, p); err != nil {
		return err
	}
	v.Now = time.Now()
	return s.render(c, page.InvitationsPage(s.shell(c, p, say(c, "Invite a machine"), "machines"), v))
}

// inviteMachine makes a join token. The page that answers is the only one that ever shows it, so it is no redirect.
func (s *server) inviteMachine(c *fiber.Ctx, p farm.Principal) error {
	v := page.Invitations{Name: strings.TrimSpace(c.FormValue("name")), Tags: c.FormValue("tags"), Uses: c.FormValue("uses"), Life: c.FormValue("life")}
	in := enrolment.NewJoinToken{Name: v.Name, Tags: words(v.Tags)}
	for _, l := range page.InviteLives {
		if l.Name == v.Life {
			in.ExpiresAt = time.Now().Add(l.For)
		}
	}
	in.Uses, _ = strconv.Atoi(v.Uses)
	if in.Uses < 1 {
		v.Error = say(c, "enter at least 1")
		c.Status(fiber.StatusBadRequest)
		return s.showInvitations(c, p, v)
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	made, text, err := s.farm.invitations.Invite(ctx, p, in)
	if farm.CodeOf(err) == farm.CodeInvalid {
		v.Error = sayError(c, err)
		c.Status(answer.StatusOf(err))
		return s.showInvitations(c, p, v)
	}
	if err != nil {
		return err
	}
	if err := s.showInvitations(c, p, page.Invitations{Uses: "1", Made: &made, Secret: text, Address: s.farm.publicAddress()}); err != nil {
		return s.revokeUnseen(p, made.ID, err)
	}
	return nil
}

// revokeUnseen revokes an invitation whose page failed: nobody has seen its token. It returns the error of the page.
func (s *server) revokeUnseen(p farm.Principal, id string, failed error) error {
	ctx, cancel := s.call()
	defer cancel()
	return errors.Join(failed, s.farm.invitations.RevokeJoinToken(ctx, p, id))
}

func (s *server) revokeInvitation(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if err := s.farm.invitations.RevokeJoinToken(ctx, p, c.Params("id")); err != nil {
		return err
	}
	return c.Redirect("/machines/invite", fiber.StatusSeeOther)
}
