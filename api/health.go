package api

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/farm"
)

// Addresses at which anybody may ask how a node is.
const (
	pathAlive = "/healthz"
	pathReady = "/readyz"
)

// health is whether a coordinator can take work.
type health interface {
	Checks() []farm.Check
	// WithoutPlaces takes from checks what tells where things lie.
	WithoutPlaces(checks []farm.Check) []farm.Check
}

// aliveBody is the answer of a process that answers at all.
func aliveBody() map[string]string { return map[string]string{"status": "ok"} }

// readinessBody is what a node says of whether it takes work.
type readinessBody struct {
	Status string      `json:"status"` // ready or unavailable
	Error  string      `json:"error,omitempty"`
	Checks []checkBody `json:"checks"`
}

// checkBody is one thing that a node looked at.
type checkBody struct {
	Name   string    `json:"name"`
	Status string    `json:"status"` // ok, warning or failed
	Found  string    `json:"found"`
	Disk   *diskBody `json:"disk,omitempty"`
}

type diskBody struct {
	Path   string `json:"path,omitempty"` // told to members of the farm's teams alone
	Free   int64  `json:"freeBytes"`
	Needed int64  `json:"neededBytes"`
}

// alive answers as long as the process serves requests at all.
func (s *server) alive(c *fiber.Ctx) error {
	return answer.OK(c, aliveBody())
}

// ready answers whether work can be taken, and why not.
func (s *server) ready(c *fiber.Ctx) error {
	c.Set(fiber.HeaderAccessControlAllowOrigin, "*") // a page whose coordinator is gone looks for another that serves
	checks := s.farm.health.Checks()
	if !s.isMember(c) {
		checks = s.farm.health.WithoutPlaces(checks)
	}
	status, body := readiness(checks)
	if wait, later := answer.RetryAfter[status]; later {
		c.Set(fiber.HeaderRetryAfter, wait)
	}
	return answer.JSON(c, status, body)
}

// isMember tells whether a request shows a good token. A token that is not known is told nothing more than none.
func (s *server) isMember(c *fiber.Ctx) bool {
	secret := request.Bearer(c)
	if secret == "" {
		return false
	}
	_, err := s.farm.people.Authenticate(c.UserContext(), secret)
	if err != nil {
		_ = s.strangers.Refuse(c, err) // it counts as a guess
	}
	return err == nil
}

// readiness is the answer that follows from checks.
func readiness(checks []farm.Check) (status int, body readinessBody) {
	status, body = fiber.StatusOK, readinessBody{Status: "ready"}
	if err := farm.Unready(checks); err != nil {
		status, body.Status, body.Error = fiber.StatusServiceUnavailable, "unavailable", err.Error()
	}
	for _, check := range checks {
		shape := checkBody{Name: check.Name, Status: "ok", Found: check.Found}
		switch {
		case check.Err != nil:
			shape.Status, shape.Found = "failed", check.Err.Error()
		case check.Warn:
			shape.Status = "warning"
		}
		if check.Disk != nil {
			shape.Disk = &diskBody{Path: check.Disk.Path, Free: check.Disk.Free, Needed: check.Disk.Need}
		}
		body.Checks = append(body.Checks, shape)
	}
	return status, body
}
