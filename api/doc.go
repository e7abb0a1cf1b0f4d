// Package api puts the REST interface together on Fiber: the public one (public), the farm's own (farmv1) and the machines' (agents),
// behind what all requests pass: the log, tokens and roles, rates, Idempotency-Key, fresh reads.
package api
