package dom

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja"
)

// maxLog is how many bytes a script may print before the rest is dropped.
const maxLog = 4 << 20

// log is where $.writeln and alert print. A script abandoned by watch may still use it, hence the lock.
type log struct {
	mu   sync.Mutex
	out  io.Writer
	used int
}

func (l *log) write(format string, args ...any) { l.text(fmt.Sprintf(format, args...) + "\n") }

func (l *log) text(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out == nil || l.used > maxLog {
		return
	}
	if l.used += len(text); l.used > maxLog {
		text = "(the script wrote too much; the rest is left out)\n"
	}
	_, _ = io.WriteString(l.out, text)
}

// defineHost defines what ExtendScript adds to the language: $, alert, system.
func (s *session) defineHost() {
	d := s.rt.NewObject()
	set := func(o *goja.Object, name string, f func(args) any) { _ = o.Set(name, s.function(name, f)) }
	join := func(a args) string {
		parts := make([]string, len(a.list))
		for i := range a.list {
			parts[i] = a.at(i).String()
		}
		return strings.Join(parts, "")
	}
	set(d, "writeln", func(a args) any { s.log.text(join(a) + "\n"); return undefined() })
	set(d, "write", func(a args) any { s.log.text(join(a)); return undefined() })
	set(d, "evalFile", func(a args) any { return s.evalFile(a.at(0)) })
	set(d, "getenv", func(a args) any { return nil })
	set(d, "gc", func(a args) any { return undefined() })
	set(d, "bp", func(a args) any { return undefined() })
	set(d, "sleep", func(a args) any { s.sleep(a.num(0, 0)); return undefined() })
	_ = d.Set("global", s.rt.GlobalObject())
	_ = d.Set("os", operatingSystem())
	_ = d.Set("version", "4.5.6")
	_ = d.Set("build", "80.1034793")
	_ = d.Set("locale", "en_US")
	_ = d.Set("engineName", "main")
	_ = d.Set("fileName", s.source.name)
	_ = d.Set("level", 0)
	_ = d.Set("strict", false)
	start := time.Now()
	_ = d.DefineAccessorProperty("hiresTimer", s.rt.ToValue(func(goja.FunctionCall) goja.Value {
		return s.rt.ToValue(time.Since(start).Microseconds())
	}), nil, goja.FLAG_TRUE, goja.FLAG_TRUE)
	_ = s.rt.Set("$", d)

	global := s.rt.GlobalObject()
	set(global, "alert", func(a args) any { s.log.write("alert: %s", a.str(0)); return undefined() })
	set(global, "confirm", func(a args) any { s.log.write("confirm: %s (answered yes)", a.str(0)); return true })
	set(global, "prompt", func(a args) any {
		s.log.write("prompt: %s (answered %q)", a.str(0), a.str(1))
		return a.str(1)
	})
	set(global, "write", func(a args) any { s.log.text(join(a)); return undefined() })
	set(global, "writeLn", func(a args) any { s.log.text(join(a) + "\n"); return undefined() })
	set(global, "clearOutput", func(a args) any { return undefined() })
	set(global, "isValid", func(a args) any { return s.valid(a.at(0)) })
	set(global, "generateRandomNumber", func(a args) any {
		v, _ := s.rt.RunString("Math.random()")
		return v
	})
	set(global, "localize", func(a args) any { return a.str(0) })
	s.defineSystem()
}

// defineSystem defines the computer as scripts see it, and refuses access to anything outside the job.
func (s *session) defineSystem() {
	system := s.rt.NewObject()
	_ = system.Set("userName", "overcrank")
	_ = system.Set("machineName", "overcrank")
	_ = system.Set("osName", operatingSystem())
	_ = system.Set("osVersion", "")
	_ = system.Set("callSystem", s.function("callSystem", func(args) any {
		s.throw("system.callSystem is not allowed: scripts of a job start no programs")
		return nil
	}))
	_ = s.rt.Set("system", system)
	for _, name := range []string{"Socket", "ExternalObject", "BridgeTalk", "XMLHttpRequest"} {
		_ = s.rt.Set(name, func(goja.ConstructorCall) *goja.Object {
			s.throw("%s is not allowed: scripts of a job reach neither the network nor other programs", name)
			return nil
		})
	}
	// line is the line number of ExtendScript's errors.
	_, _ = s.rt.RunScript("<errors>", `Object.defineProperty(Error.prototype, "line", {configurable: true, get: function () {
		var m = /:(\d+):\d+\(/.exec(String(this.stack)); return m ? Number(m[1]) : undefined; },
		set: function (v) { Object.defineProperty(this, "line", {value: v, writable: true, configurable: true}); }});`)
}

func operatingSystem() string {
	switch runtime.GOOS {
	case "windows":
		return "Windows"
	case "darwin":
		return "Macintosh OS"
	}
	return "Linux"
}

// sleep waits, but no longer than the script may run.
func (s *session) sleep(ms float64) {
	d := min(time.Duration(max(ms, 0))*time.Millisecond, s.opt.Time)
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.ctx.Done():
	}
}

// valid tells whether an object still represents something in the project.
func (s *session) valid(v goja.Value) bool {
	o, ok := v.(*goja.Object)
	if !ok {
		return !goja.IsNull(v) && !goja.IsUndefined(v)
	}
	switch t := s.things[o].(type) {
	case *layerRef:
		return !t.removed
	case *propRef:
		return !t.gone()
	case *itemRef:
		return t.root || t.item.ID != 0 && s.project.Item(t.item.ID) == t.item
	}
	return true
}
