package api

import (
	"net/http"
	"net/http/pprof"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"overcrank/api/answer"
	"overcrank/api/route"
	"overcrank/farm"
)

// unnamedRoute stands for addresses that nobody serves: what callers make up must not become names of metrics.
const unnamedRoute = "none"

// requestTimes measures how long requests take to be answered.
func requestTimes() *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "overcrank_http_request_seconds", Help: "How long requests took to be answered, by method, address and status.",
		Buckets: []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10, 60},
	}, []string{"method", "route", "status"})
}

// measure notes each request in times.
func measure(times *prometheus.HistogramVec) fiber.Handler {
	return func(c *fiber.Ctx) error {
		began := time.Now()
		err := c.Next()
		status := c.Response().StatusCode()
		if err != nil {
			status = answer.StatusOf(err)
		}
		path := c.Route().Path
		if status == fiber.StatusNotFound && (path == "/" || path == "") {
			path = unnamedRoute
		}
		times.WithLabelValues(c.Method(), path, strconv.Itoa(status)).Observe(time.Since(began).Seconds())
		return err
	}
}

// giveMetrics answers Prometheus.
func (s *server) giveMetrics(c *fiber.Ctx, _ farm.Principal) error {
	return adaptor.HTTPHandler(promhttp.HandlerFor(s.farm.metrics(), promhttp.HandlerOpts{}))(c)
}

// profile is one of Go's profiles of this coordinator's process, as go tool pprof reads it.
func profile(read http.HandlerFunc) route.Handler {
	handle := adaptor.HTTPHandlerFunc(read)
	return func(c *fiber.Ctx, _ farm.Principal) error { return handle(c) }
}

// profiles are those of Go's profiles that stand at any time.
var profiles = []string{"allocs", "block", "goroutine", "heap", "mutex"}

// vitalRoutes are the addresses at which the farm is watched by those who run it.
func (s *server) vitalRoutes() []route.Route {
	routes := []route.Route{
		route.Get("/metrics", farm.ActViewMetrics, s.giveMetrics),
		route.Get("/debug/pprof/profile", farm.ActProfile, profile(pprof.Profile)),
		route.Get("/debug/pprof/trace", farm.ActProfile, profile(pprof.Trace)),
		route.Get("/debug/pprof/symbol", farm.ActProfile, profile(pprof.Symbol)),
	}
	for _, name := range profiles {
		routes = append(routes, route.Get("/debug/pprof/"+name, farm.ActProfile, profile(pprof.Handler(name).ServeHTTP)))
	}
	return routes
}
