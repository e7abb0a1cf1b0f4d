package client

import (
	"context"
	"net/http"
	"net/url"
)

// Report is what machines did in some days.
type Report struct {
	Raw       `json:"-"`
	From      string       `json:"from"`
	To        string       `json:"to"`
	Currency  string       `json:"currency"`
	Total     ReportLine   `json:"total"`
	Days      []ReportLine `json:"days"`
	Teams     []ReportLine `json:"teams"`
	Templates []ReportLine `json:"templates"`
	Projects  []ReportLine `json:"projects"`
	People    []ReportLine `json:"people"`
	Machines  []ReportLine `json:"machines"`
	Causes    []ReportLine `json:"causes"`
}

// ReportLine is one line of a report.
type ReportLine struct {
	Subject       string  `json:"subject"`
	Name          string  `json:"name"`
	Jobs          int     `json:"jobs"`
	Attempts      int     `json:"attempts"`
	Failed        int     `json:"failed"`
	Seconds       float64 `json:"seconds"`
	WastedSeconds float64 `json:"wastedSeconds"`
	Cost          float64 `json:"cost"`
}

// Report sums up the days from one to another, both such as 2026-11-27; "" for the last 30 days until today.
func (c *Client) Report(ctx context.Context, from, to string) (Report, error) {
	query := url.Values{}
	if from != "" {
		query.Set("from", from)
	}
	if to != "" {
		query.Set("to", to)
	}
	return fetch[Report](ctx, c, http.MethodGet, "/api/farm/v1/reports", query, nil)
}
