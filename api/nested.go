package api

import (
	"fmt"

	"overcrank/farm"
)

const (
	// nestingLimit is how deep jobs may be nested in a submitted one.
	nestingLimit = 8
	// familyLimit is how many jobs one submitted job may consist of, itself among them.
	familyLimit = 1000
	// clipLimit is how many clips one job may join.
	clipLimit = 1000
)

// readJobAsset reads a job whose result becomes the content of a layer.
func readJobAsset(o object, a *farm.Asset) {
	readLayer(o, a)
	a.Nested = readNestedJob(o)
	if f := a.Nested.Settings.Frames; a.Nested.Settings.Type == "image" && f != nil && !f.Single {
		o.problem("settings.frames", "has to be one frame: several stills cannot stand in a layer; render a video")
	}
}

// readNestedJob reads what the asset of type job says of the job itself.
func readNestedJob(o object) *farm.Job {
	job := &farm.Job{Name: o.text("name", nameLimit)}
	o.passOver(nestedKeys)
	readRender(o, job)
	job.Webhook = readWebhook(o)
	if job.Settings.Type == "aep" {
		o.problem("settings.type", "cannot be aep within another job: a project cannot stand in a layer")
	}
	return job
}

// checkFamily refuses families that are too deep or too large.
func checkFamily(job farm.Job, wrong *problems) {
	count := 1
	var walk func(job farm.Job, path string, depth int)
	walk = func(job farm.Job, path string, depth int) {
		for i, a := range job.Assets {
			if a.Nested == nil {
				continue
			}
			at := elementPath(memberPath(path, "assets"), i)
			if count++; depth == nestingLimit {
				wrong.add(at, "is nested more than %d jobs deep", nestingLimit)
				continue
			}
			walk(*a.Nested, at, depth+1)
		}
	}
	walk(job, "", 0)
	if count > familyLimit {
		wrong.add("assets", "%s", fmt.Sprintf("make %d jobs of one with those nested in it; %d are allowed", count, familyLimit))
	}
}

// decodeJoin reads the body of POST /jobs/join.
func decodeJoin(body []byte, wrong *problems) (farm.Job, error) {
	o, err := readObject(body, wrong)
	if err != nil {
		return farm.Job{}, err
	}
	o.passOver(joinKeys)
	job := readOrder(o)
	job.Join = true
	job.Assets = readClips(o)
	if s, given := o.child("settings"); given {
		s.only("preset")
		job.Settings.Preset = s.choice("preset", "mp4")
	}
	readDelivery(o, &job)
	checkFamily(job, wrong)
	warnOfNearlySecrets(body, wrong)
	job.Warnings = wrong.warnings
	return job, wrong.err()
}

// readClips reads the clips that are joined, in their order.
func readClips(o object) []farm.Asset {
	list := o.list("assets")
	switch {
	case !o.need("assets"), kindOf(o.raw("assets")) != kindList:
		return nil
	case len(list) == 0 || len(list) > clipLimit:
		o.problem("assets", "has to hold between 1 and %d clips, not %d", clipLimit, len(list))
		return nil
	}
	clips := make([]farm.Asset, 0, len(list))
	o.objects("assets", list, "an object", func(clip object) { clips = append(clips, readClip(clip)) })
	return clips
}

func readClip(o object) farm.Asset {
	a := farm.Asset{}
	if !o.need("type") {
		return a
	}
	switch a.Type = o.choice("type", "video", "job"); a.Type {
	case "video":
		o.passOver(clipKeys)
		a.Src = readSource(o)
		a.Name = readFileName(o, false)
	case "job":
		a.Nested = readNestedJob(o)
		if a.Nested.Settings.Type == "image" {
			o.problem("settings.type", "has to be video: only films are joined")
		}
	}
	return a
}
