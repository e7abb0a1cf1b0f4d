package public

import (
	"math"
	"strconv"
	"strings"
	"time"

	"overcrank/aep"
	"overcrank/api/answer"
	"overcrank/farm"
)

// templateBody is a template as version 2 shows it.
type templateBody struct {
	ID           string      `json:"id"`
	Type         string      `json:"type"`
	DisplayName  string      `json:"displayName"`
	Status       string      `json:"status"`
	CreatedAt    answer.Time `json:"createdAt"`
	UpdatedAt    answer.Time `json:"updatedAt"`
	Compositions []string    `json:"compositions"`
	Layers       []string    `json:"layers"`
	Mogrt        mogrtBody   `json:"mogrt"`
	Error        *string     `json:"error"`
	UploadInfo   *uploadInfo `json:"uploadInfo,omitempty"`
	templateExtras
}

// templateExtras are beyond the public interface.
type templateExtras struct {
	MissingFootage []string `json:"missingFootage,omitempty"` // files that each job has to bring
	Waits          string   `json:"waits,omitempty"`          // why the file has not been read yet, when that takes somebody to act
}

// mogrtBody is the panel of a motion graphics template; nothing stands in it where there is none.
type mogrtBody struct {
	Name      string                  `json:"name,omitempty"`
	CapsuleID string                  `json:"capsuleId,omitempty"`
	Fields    []aep.MogrtFieldSummary `json:"fields,omitzero"`
}

// uploadInfo says how to hand a template's file over.
type uploadInfo struct {
	URL       string            `json:"url"`
	Method    string            `json:"method"`
	ExpiresIn int               `json:"expiresIn"` // seconds
	Key       string            `json:"key"`
	Fields    map[string]string `json:"fields"`
}

func templateShape(t farm.Template, panel *aep.MogrtSummary) templateBody {
	body := templateBody{
		ID: t.ID, Type: t.FileType(), DisplayName: t.DisplayName, Status: string(t.Status),
		CreatedAt: answer.Time(t.CreatedAt), UpdatedAt: answer.Time(t.UpdatedAt),
		Compositions: answer.OrEmpty(t.Compositions), Layers: answer.OrEmpty(t.Layers), Error: answer.OrNull(t.Error),
		templateExtras: templateExtras{MissingFootage: t.MissingFootage},
	}
	if panel != nil {
		body.Mogrt = mogrtBody{Name: panel.Name, CapsuleID: panel.CapsuleID, Fields: answer.OrEmpty(panel.Fields)}
	}
	return body
}

// uploadShape tells where a template's file goes, as of now.
func uploadShape(t farm.Template, address string, now time.Time) *uploadInfo {
	return &uploadInfo{
		URL: address, Method: "PUT", ExpiresIn: max(0, int(math.Round(t.UploadUntil.Sub(now).Seconds()))),
		Key: "templates/" + t.ID + "." + t.Type, Fields: map[string]string{},
	}
}

// template3Body is a template as version 3 shows it: what is known without its file.
type template3Body struct {
	ID          string      `json:"id"`
	Type        string      `json:"type"`
	DisplayName string      `json:"displayName"`
	Status      string      `json:"status"`
	CreatedAt   answer.Time `json:"createdAt"`
	UpdatedAt   answer.Time `json:"updatedAt"`
	templateExtras
}

func template3Shape(t farm.Template) template3Body {
	return template3Body{
		ID: t.ID, Type: t.FileType(), DisplayName: t.DisplayName, Status: string(t.Status),
		CreatedAt: answer.Time(t.CreatedAt), UpdatedAt: answer.Time(t.UpdatedAt),
		templateExtras: templateExtras{MissingFootage: t.MissingFootage},
	}
}

// compositionBody is a composition as version 3 shows it.
type compositionBody struct {
	AEID      string         `json:"aeid"`
	Name      string         `json:"name"`
	Width     float64        `json:"width"`
	Height    float64        `json:"height"`
	Duration  float64        `json:"duration"` // seconds
	FrameRate float64        `json:"frame_rate"`
	Data      map[string]any `json:"data"`
}

func compositionShape(c aep.CompositionSummary) compositionBody {
	return compositionBody{
		AEID: strconv.FormatUint(uint64(c.ID), 10), Name: c.Name, Width: float64(c.Width), Height: float64(c.Height),
		Duration: finite(c.Duration), FrameRate: finite(c.FrameRate),
		Data: map[string]any{"root": c.Root, "layers": len(c.Layers)},
	}
}

// layerBody is a layer as version 3 shows it; every key is always there.
type layerBody struct {
	CompositionID uint32         `json:"composition_id"`
	AEID          uint32         `json:"aeid"`
	Name          string         `json:"name"`
	Top           float64        `json:"top"`
	Left          float64        `json:"left"`
	Width         float64        `json:"width"`
	Height        float64        `json:"height"`
	StartTime     float64        `json:"start_time"`
	InPoint       float64        `json:"in_point"`
	OutPoint      float64        `json:"out_point"`
	LayerType     string         `json:"layer_type"`
	SourceType    *string        `json:"source_type"`
	SourceCompID  *uint32        `json:"source_comp_id"`
	ParentID      *uint32        `json:"parent_id"`
	Data          map[string]any `json:"data"`
}

func layerShape(composition uint32, l aep.LayerSummary) layerBody {
	body := layerBody{
		CompositionID: composition, AEID: l.ID, Name: l.Name,
		Top: finite(l.Top), Left: finite(l.Left), Width: finite(l.Width), Height: finite(l.Height),
		StartTime: finite(l.Start), InPoint: finite(l.In), OutPoint: finite(l.Out),
		LayerType: l.Type, SourceType: answer.OrNull(l.SourceType), SourceCompID: idOrNull(l.SourceComp), ParentID: idOrNull(l.Parent),
		Data: map[string]any{},
	}
	if l.Type == "text" {
		body.Data["text"] = strings.TrimRight(l.Text, "\n") // introspections of before hold the end of the last paragraph
		body.Data["fonts"] = answer.OrEmpty(l.Fonts)
	}
	if l.Media != "" {
		body.Data["media"] = l.Media
	}
	return body
}

func idOrNull(id uint32) *uint32 {
	if id == 0 {
		return nil
	}
	return &id
}

// finite keeps what JSON cannot hold out of an answer.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}
