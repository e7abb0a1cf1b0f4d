package expression

import (
	"fmt"
	"math"

	"github.com/dop251/goja"
)

// nearly is the tolerance, in frames, with which a time counts as exactly on a frame.
const nearly = 1e-4

func (m *Machine) compFrames() float64 {
	if c := m.cur.ref.Comp; c != nil && c.Comp != nil && c.Comp.FrameRate > 0 {
		return c.Comp.FrameRate
	}
	return 30
}

// clock is the current time, for what depends on it. That which only asks for a property's value now depends on that property.
func (m *Machine) clock() float64 {
	m.cur.moving = true
	return m.cur.time
}

// now is the current time as time displays show it.
func (m *Machine) now() float64 {
	t := m.clock()
	if c := m.cur.ref.Comp; c != nil && c.Comp != nil {
		t += c.Comp.DisplayStart
	}
	return t
}

func (m *Machine) arg(c goja.FunctionCall, i int, def float64, what string) float64 {
	if i >= len(c.Arguments) || goja.IsUndefined(c.Arguments[i]) {
		return def
	}
	return m.number(c.Arguments[i], what)
}

func (m *Machine) flag(c goja.FunctionCall, i int, def bool) bool {
	if i >= len(c.Arguments) || goja.IsUndefined(c.Arguments[i]) {
		return def
	}
	return c.Arguments[i].ToBoolean()
}

// frames converts a time to frames: a moment to the frame that shows it, a duration rounded up.
func frames(t, rate float64, duration bool) float64 {
	if duration {
		return math.Ceil(t*rate - nearly)
	}
	return math.Floor(t*rate + nearly)
}

// defineTime defines the conversions of times to frames and text.
func (m *Machine) defineTime() {
	m.define("timeToFrames", func(c goja.FunctionCall) goja.Value {
		t := m.arg(c, 0, m.now(), "timeToFrames")
		return m.rt.ToValue(frames(t, m.arg(c, 1, m.compFrames(), "timeToFrames"), m.flag(c, 2, false)))
	})
	m.define("framesToTime", func(c goja.FunctionCall) goja.Value {
		return m.rt.ToValue(m.number(c.Argument(0), "framesToTime") / m.arg(c, 1, m.compFrames(), "framesToTime"))
	})
	m.define("timeToTimecode", func(c goja.FunctionCall) goja.Value {
		t := m.arg(c, 0, m.now(), "timeToTimecode")
		return m.rt.ToValue(timecode(t, m.arg(c, 1, 30, "timeToTimecode"), m.flag(c, 2, false), false))
	})
	m.define("timeToNTSCTimecode", func(c goja.FunctionCall) goja.Value {
		t := m.arg(c, 0, m.now(), "timeToNTSCTimecode")
		return m.rt.ToValue(timecode(t, 30000.0/1001, m.flag(c, 2, false), m.flag(c, 1, false)))
	})
	m.define("timeToCurrentFormat", func(c goja.FunctionCall) goja.Value {
		t := m.arg(c, 0, m.now(), "timeToCurrentFormat")
		drop := m.cur.ref.Comp != nil && m.cur.ref.Comp.Comp != nil && m.cur.ref.Comp.Comp.DropFrame
		return m.rt.ToValue(timecode(t, m.arg(c, 1, m.compFrames(), "timeToCurrentFormat"), m.flag(c, 2, false), m.flag(c, 3, drop)))
	})
	m.define("timeToFeetAndFrames", func(c goja.FunctionCall) goja.Value {
		n := frames(m.arg(c, 0, m.now(), "timeToFeetAndFrames"), m.arg(c, 1, m.compFrames(), "timeToFeetAndFrames"), m.flag(c, 3, false))
		per := m.arg(c, 2, 16, "timeToFeetAndFrames")
		if per < 1 {
			m.throw("timeToFeetAndFrames: %g frames per foot", per)
		}
		return m.rt.ToValue(fmt.Sprintf("%04d+%02d", int(n/per), int(math.Mod(n, per))))
	})
	m.define("posterizeTime", func(c goja.FunctionCall) goja.Value {
		rate := m.number(c.Argument(0), "posterizeTime")
		if rate > 0 {
			m.cur.time = math.Floor(m.cur.time*rate+nearly) / rate
			m.cur.before = m.plainAt(m.cur.ref, m.cur.time)
		}
		return m.rt.ToValue(m.clock())
	})
	m.global("time", func() goja.Value { return m.rt.ToValue(m.clock()) })
	m.global("value", func() goja.Value { return m.currentValue() })
	m.global("colorDepth", func() goja.Value { return m.rt.ToValue(m.host.Project.BitsPerChannel) })
}

// timecode formats a time as hours, minutes, seconds and frames. With drop, frame numbers are skipped so that 29.97
// frames per second keep up with the clock.
func timecode(t, rate float64, duration, drop bool) string {
	base := math.Max(math.Round(rate), 1)
	n := frames(math.Abs(t), rate, duration)
	sign, sep := "", ":"
	if t < 0 && n > 0 {
		sign = "-"
	}
	if drop && (base == 30 || base == 60) && base != rate {
		skip := base / 15
		tens, rest := math.Floor(n/(base*600-9*skip)), math.Mod(n, base*600-9*skip)
		n += 9 * skip * tens
		if rest >= skip {
			n += skip * math.Floor((rest-skip)/(base*60-skip))
		}
		sep = ";"
	}
	f := math.Mod(n, base)
	s := math.Floor(n / base)
	return fmt.Sprintf("%s%02d%s%02d%s%02d%s%02d", sign, int(s/3600), sep, int(math.Mod(s/60, 60)), sep, int(math.Mod(s, 60)), sep, int(f))
}

// global defines a global that is computed when it is read; expressions may assign to it for themselves.
func (m *Machine) global(name string, read func() goja.Value) {
	getter := m.rt.ToValue(func(goja.FunctionCall) goja.Value {
		if m.cur == nil {
			return goja.Undefined()
		}
		return read()
	})
	setter := m.rt.ToValue(func(goja.FunctionCall) goja.Value { return goja.Undefined() })
	_ = m.rt.GlobalObject().DefineAccessorProperty(name, getter, setter, goja.FLAG_TRUE, goja.FLAG_TRUE)
}
