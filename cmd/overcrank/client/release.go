package client

import (
	"context"
	"net/http"
)

// Release is a release of the agent's program that the farm keeps.
type Release struct {
	Raw
	Version string `json:"version"`
	Number  int64  `json:"number"`
	Expires string `json:"expires"`
	AddedAt string `json:"addedAt"`
	AddedBy string `json:"addedBy"`
	Files   []struct {
		System string `json:"system"`
		Arch   string `json:"arch"`
		Name   string `json:"name"`
		Size   int64  `json:"size"`
	} `json:"files"`
}

// NewRelease are the signed documents of a release, each the text of its file.
type NewRelease struct {
	Manifest          string `json:"manifest"`
	ManifestSignature string `json:"manifestSignature"`
	Keys              string `json:"keys"`
	KeysSignature     string `json:"keysSignature"`
}

// Updates is which release machines are to run, how they get it, and where they are.
type Updates struct {
	Raw
	Release        *string  `json:"release"`
	CanaryTags     []string `json:"canaryTags"`
	CanaryMachines []string `json:"canaryMachines"`
	Hours          []string `json:"hours"`
	BytesPerSecond int64    `json:"bytesPerSecond"`
	AtOnce         int      `json:"atOnce"`
	SoakMinutes    int      `json:"soakMinutes"`
	Ring           *string  `json:"ring"`
	Waiting        string   `json:"waiting"`
	Stopped        *struct {
		Reason string `json:"reason"`
		At     string `json:"at"`
	} `json:"stopped"`
	Machines []MachineUpdate `json:"machines"`
}

// MachineUpdate is what a machine runs, and where it is with a release.
type MachineUpdate struct {
	ID      string  `json:"id"`
	Name    string  `json:"name"`
	Online  bool    `json:"online"`
	Version string  `json:"version"`
	Mode    *string `json:"mode"`
	Ring    string  `json:"ring"`
	Release *string `json:"release"`
	State   *string `json:"state"`
	Reason  string  `json:"reason"`
}

// UpdatesChange is what is to be different about updates; nil leaves a field as it is.
type UpdatesChange struct {
	Release        *string   `json:"release,omitempty"`
	CanaryTags     *[]string `json:"canaryTags,omitempty"`
	CanaryMachines *[]string `json:"canaryMachines,omitempty"`
	Hours          *[]string `json:"hours,omitempty"`
	BytesPerSecond *int64    `json:"bytesPerSecond,omitempty"`
	AtOnce         *int      `json:"atOnce,omitempty"`
	SoakMinutes    *int      `json:"soakMinutes,omitempty"`
}

const (
	releasesPath = "/api/farm/v1/releases"
	updatesPath  = "/api/farm/v1/updates"
)

// Releases lists the releases that the farm keeps, the newest first.
func (c *Client) Releases(ctx context.Context) (List[Release], error) {
	return fetch[List[Release]](ctx, c, http.MethodGet, releasesPath, nil, nil)
}

// SendReleaseFile hands over a file of a release. report may be nil.
func (c *Client) SendReleaseFile(ctx context.Context, sha256, path string, report Progress) error {
	r, err := withFile(request{method: http.MethodPut, path: releasesPath + at("/files/%s", sha256)}, path, report)
	if err != nil {
		return err
	}
	return c.answer(ctx, r, nil)
}

// AddRelease adds a release whose files were sent.
func (c *Client) AddRelease(ctx context.Context, docs NewRelease) (Release, error) {
	return fetch[Release](ctx, c, http.MethodPost, releasesPath, nil, docs)
}

// RemoveRelease removes a release.
func (c *Client) RemoveRelease(ctx context.Context, version string) error {
	return c.do(ctx, http.MethodDelete, releasesPath+at("/%s", version))
}

// Updates tells which release machines are to run, and where they are with it.
func (c *Client) Updates(ctx context.Context) (Updates, error) {
	return fetch[Updates](ctx, c, http.MethodGet, updatesPath, nil, nil)
}

// ChangeUpdates chooses a release, or changes how machines get it.
func (c *Client) ChangeUpdates(ctx context.Context, change UpdatesChange) (Updates, error) {
	return fetch[Updates](ctx, c, http.MethodPatch, updatesPath, nil, change)
}

// ResumeUpdates lets a release go on that was stopped.
func (c *Client) ResumeUpdates(ctx context.Context) (Updates, error) {
	return fetch[Updates](ctx, c, http.MethodPost, updatesPath+"/resume", nil, nil)
}
