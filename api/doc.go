// Package api is the public REST interface (versions 2 and 3) and the agents' endpoints, on Fiber.
//
// routes.go is the table of everything it answers. A request is read by a decoder of its own (submission.go and its
// neighbours), decided by package coordinator, and answered in the shapes of jobshape.go and templateshape.go.
package api
