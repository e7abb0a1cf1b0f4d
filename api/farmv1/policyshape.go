package farmv1

import (
	"overcrank/api/answer"
	"overcrank/farm"
)

// policyBody is how the farm shares its machines.
type policyBody struct {
	Revision          int                  `json:"revision"`
	At                answer.Time          `json:"at"`
	By                string               `json:"by"`
	Paused            bool                 `json:"paused"`
	MaxMachinesPerJob int                  `json:"maxMachinesPerJob"`
	MaxSlots          int                  `json:"maxSlotsPerMachine"`
	Levels            levelsBody           `json:"levels"`
	Teams             map[string]teamShare `json:"teams"`
	Limits            map[string]limitBody `json:"limits"`
	Split             splitBody            `json:"split"`
	Retry             retryBody            `json:"retry"`
	Scripts           scriptsBody          `json:"scripts"`
}

// levelsBody is how each level is served.
type levelsBody struct {
	Rush      levelBody `json:"rush"`
	Normal    levelBody `json:"normal"`
	Overnight levelBody `json:"overnight"`
}

type levelBody struct {
	Paused   bool     `json:"paused"`
	MaxShare float64  `json:"maxShare"`
	Hours    []string `json:"hours"`
	Role     string   `json:"role"` // the least that may choose the level
}

type teamShare struct {
	Weight      float64 `json:"weight"`
	MaxMachines int     `json:"maxMachines"`
}

type limitBody struct {
	Total      int      `json:"total"`
	PerMachine int      `json:"perMachine"`
	ByMachine  bool     `json:"byMachine"`
	Effects    []string `json:"effects"`
}

type splitBody struct {
	Off        bool    `json:"off"`
	MinSeconds float64 `json:"minSeconds"`
	MaxRanges  int     `json:"maxRanges"`
}

type retryBody struct {
	MaxAttempts    int `json:"maxAttempts"`
	MaxJobFailures int `json:"maxJobFailures"`
	SetAsideAfter  int `json:"setAsideAfter"`
}

type scriptsBody struct {
	Role string `json:"role"` // the least whose jobs may have assets of the type script
}

func policyShape(p farm.Policy) policyBody {
	body := policyBody{
		Revision: p.Revision, At: answer.Time(p.At), By: p.By, Paused: p.Paused, MaxMachinesPerJob: p.MaxMachinesPerJob, MaxSlots: p.MaxSlotsPerMachine, Levels: levelsShape(p),
		Teams: map[string]teamShare{}, Limits: map[string]limitBody{}, Split: splitBody(p.Split), Retry: retryBody(p.Retry),
		Scripts: scriptsBody{Role: string(p.LeastForScripts())},
	}
	for id, t := range p.Teams {
		body.Teams[id] = teamShare{Weight: weightOf(t), MaxMachines: t.MaxMachines}
	}
	for name, l := range p.Limits {
		body.Limits[name] = limitShape(l)
	}
	return body
}

// weightOf is a team's weight as it counts.
func weightOf(t farm.TeamPolicy) float64 {
	if t.Weight == 0 {
		return 1
	}
	return t.Weight
}

func levelsShape(p farm.Policy) levelsBody {
	return levelsBody{
		Rush: levelShape(p, farm.LevelRush), Normal: levelShape(p, farm.LevelNormal), Overnight: levelShape(p, farm.LevelOvernight),
	}
}

func levelShape(p farm.Policy, level farm.Level) levelBody {
	l := p.Levels[level]
	body := levelBody{Paused: l.Paused, MaxShare: l.MaxShare, Hours: make([]string, len(l.Hours)), Role: string(p.LeastFor(level))}
	if body.MaxShare == 0 {
		body.MaxShare = 1
	}
	for i, h := range l.Hours {
		body.Hours[i] = h.String()
	}
	return body
}

func limitShape(l farm.LimitPolicy) limitBody {
	return limitBody{Total: l.Total, PerMachine: l.PerMachine, ByMachine: l.ByMachine, Effects: answer.OrEmpty(l.Effects)}
}
