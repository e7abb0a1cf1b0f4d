package public

import (
	"slices"

	"overcrank/api/input"
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
func readJobAsset(o input.Object, a *farm.Asset) {
	readLayer(o, a)
	a.Nested = readNestedJob(o)
	if f := a.Nested.Settings.Frames; a.Nested.Settings.Type == "image" && f != nil && !f.Single {
		o.Problem("settings.frames", "has to be one frame: several stills cannot stand in a layer; render a video")
	}
}

// nestedKeys are the fields of an asset of type job.
var nestedKeys = slices.Concat([]string{"type", "layerName", "layerIndex", "composition", "name", "webhook"}, renderKeys)

// readNestedJob reads what the asset of type job says of the job itself.
func readNestedJob(o input.Object) *farm.Job {
	job := &farm.Job{Name: o.Text("name", input.NameLimit)}
	o.PassOver(nestedKeys)
	readRender(o, job)
	job.Webhook = readWebhook(o)
	if job.Settings.Type == "aep" {
		o.Problem("settings.type", "cannot be aep within another job: a project cannot stand in a layer")
	}
	return job
}

// checkFamily refuses families that are too deep or too large.
func checkFamily(job farm.Job, wrong *input.Problems) {
	count := 1
	var walk func(job farm.Job, path string, depth int)
	walk = func(job farm.Job, path string, depth int) {
		for i, a := range job.Assets {
			if a.Nested == nil {
				continue
			}
			at := input.ElementPath(input.MemberPath(path, "assets"), i)
			if count++; depth == nestingLimit {
				wrong.Add(at, "is nested more than %d jobs deep", nestingLimit)
				continue
			}
			walk(*a.Nested, at, depth+1)
		}
	}
	walk(job, "", 0)
	if count > familyLimit {
		wrong.Add("assets", "make %d jobs of one with those nested in it; %d are allowed", count, familyLimit)
	}
}

// joinKeys are the fields of a join.
var joinKeys = slices.Concat(orderKeys, []string{"assets", "settings"}, deliveryKeys)

// decodeJoin reads the body of POST /jobs/join.
func decodeJoin(body []byte, wrong *input.Problems) (farm.Job, error) {
	o, err := input.Read(body, wrong)
	if err != nil {
		return farm.Job{}, err
	}
	o.PassOver(joinKeys)
	job := readOrder(o)
	job.Join = true
	job.Assets = readClips(o)
	if s, given := o.Child("settings"); given {
		s.Only("preset")
		job.Settings.Preset = s.Choice("preset", "mp4")
	}
	readDelivery(o, &job)
	checkFamily(job, wrong)
	warnOfNearlySecrets(body, wrong)
	job.Warnings = wrong.Warnings
	return job, wrong.Err()
}

// readClips reads the clips that are joined, in their order.
func readClips(o input.Object) []farm.Asset {
	list := o.List("assets")
	switch {
	case !o.Need("assets"), input.KindOf(o.Raw("assets")) != input.KindList:
		return nil
	case len(list) == 0 || len(list) > clipLimit:
		o.Problem("assets", "has to hold between 1 and %d clips, not %d", clipLimit, len(list))
		return nil
	}
	clips := make([]farm.Asset, 0, len(list))
	o.Objects(list, "an object", func(clip input.Object) { clips = append(clips, readClip(clip)) })
	return clips
}

// clipKeys are the fields of a clip from an address.
var clipKeys = []string{"type", "src", "name"}

func readClip(o input.Object) farm.Asset {
	a := farm.Asset{}
	if !o.Need("type") {
		return a
	}
	switch a.Type = o.Choice("type", "video", "job"); a.Type {
	case "video":
		o.PassOver(clipKeys)
		a.Src = readSource(o)
		a.Name = readFileName(o, false)
	case "job":
		a.Nested = readNestedJob(o)
		if a.Nested.Settings.Type == "image" {
			o.Problem("settings.type", "has to be video: only films are joined")
		}
	}
	return a
}
