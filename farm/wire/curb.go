package wire

import (
	"strings"

	"overcrank/farm"
)

// CutLine shortens a line to at most MaxLine bytes, between two characters.
func CutLine(line string) string {
	if len(line) <= MaxLine {
		return line
	}
	const mark = "…"
	return strings.ToValidUTF8(line[:MaxLine-len(mark)], "") + mark
}

// Curb shortens an agent's texts to the bounds: most of them are kept in the farm's state and shown to people.
func (m *Message) Curb() {
	switch {
	case m.Hello != nil:
		m.Hello.Holding = m.Hello.Holding[:min(len(m.Hello.Holding), MaxHolding)]
	case m.Heartbeat != nil:
		cut(&m.Heartbeat.Reason, &m.Heartbeat.AfterEffects, (*string)(&m.Heartbeat.SignedIn), &m.Heartbeat.NoFrame)
		m.Heartbeat.Holding = m.Heartbeat.Holding[:min(len(m.Heartbeat.Holding), MaxHolding)]
		m.Heartbeat.Sending = m.Heartbeat.Sending[:min(len(m.Heartbeat.Sending), MaxSending)]
		curbLive(m.Heartbeat)
	case m.Tried != nil:
		cut(&m.Tried.Asked, &m.Tried.SHA256, &m.Tried.Error)
	case m.Updating != nil:
		cut(&m.Updating.Version, &m.Updating.Release, &m.Updating.Reason)
	case m.Progress != nil:
		cut(&m.Progress.Phase)
	case m.Log != nil:
		m.Log.Lines = cutAll(m.Log.Lines)
	case m.Finished != nil:
		m.Finished.Warnings = cutAll(m.Finished.Warnings)
		cut(&m.Finished.Measured.Engine)
		cutOutput(&m.Finished.Output)
		m.Finished.Before = cutPieces(m.Finished.Before)
	case m.Failed != nil:
		m.Failed.Warnings = cutAll(m.Failed.Warnings)
		cut(&m.Failed.Message, &m.Failed.Measured.Engine)
		m.Failed.Before = cutPieces(m.Failed.Before)
		m.Failed.Bad = m.Failed.Bad[:min(len(m.Failed.Bad), MaxPieces)]
		if !m.Failed.Class.Known() { // from a later release: Retry decides then
			m.Failed.Class = ""
		}
		if m.Failed.Output != nil {
			cutOutput(m.Failed.Output)
		}
	}
}

// curbLive keeps what a machine tells of itself within what can be.
func curbLive(h *Heartbeat) {
	if h.Load != nil {
		*h.Load = h.Load.Within()
	}
	if h.Rules != nil {
		*h.Rules = h.Rules.Within()
		cut(&h.Rules.Zone)
		h.Rules.Programs = cutAll(h.Rules.Programs)
	}
}

func cutOutput(out *farm.OutputRef) { cut(&out.Name, &out.ContentType) }

func cutPieces(pieces []Piece) []Piece {
	pieces = pieces[:min(len(pieces), MaxPieces)]
	for i := range pieces {
		cutOutput(&pieces[i].Output)
	}
	return pieces
}

func cut(texts ...*string) {
	for _, text := range texts {
		*text = CutLine(*text)
	}
}

func cutAll(lines []string) []string {
	lines = lines[:min(len(lines), MaxLines)]
	for i := range lines {
		cut(&lines[i])
	}
	return lines
}
