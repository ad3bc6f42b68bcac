package metrics

import (
	"strings"

	"github.com/wsgov/wsgov/record"
)

// Check is how often a check of one name passed and failed in one group.
type Check struct {
	Name   string
	Path   string // of the group, then "::" and the name
	Seen   int    // how many other checks had appeared before it
	Passes int64
	Fails  int64
}

// Group is a node of the tree of groups, with its checks in the order of their first appearance. The root's name and
// path are empty; a path is "::outer::inner".
type Group struct {
	Name   string
	Path   string
	Groups []*Group
	Checks []*Check
}

// checkTally builds the tree from samples of checks and group durations.
type checkTally struct {
	root   Group
	byPath map[string]*Group
	checks map[[2]string]*Check
}

func (t *checkTally) observe(s *record.Sample) {
	switch s.Metric.Name {
	case Checks.Name:
		if name, ok := s.Tags.Get("check"); ok {
			t.count(s.Tags.Value("group"), name, s.Value != 0)
		}
	case GroupDuration.Name:
		t.group(s.Tags.Value("group"))
	}
}

func (t *checkTally) count(group, name string, passed bool) {
	key := [2]string{group, name}
	c := t.checks[key]
	if c == nil {
		c = &Check{Name: name, Path: group + "::" + name, Seen: len(t.checks)}
		if t.checks == nil {
			t.checks = map[[2]string]*Check{}
		}
		t.checks[key] = c
		g := t.group(group)
		g.Checks = append(g.Checks, c)
	}
	if passed {
		c.Passes++
	} else {
		c.Fails++
	}
}

// group finds or makes the group of a path together with its parents.
func (t *checkTally) group(path string) *Group {
	if path == "" {
		return &t.root
	}
	if g := t.byPath[path]; g != nil {
		return g
	}
	parent, name := "", path
	if i := strings.LastIndex(path, "::"); i >= 0 {
		parent, name = path[:i], path[i+2:]
	}
	g := &Group{Name: name, Path: path}
	if t.byPath == nil {
		t.byPath = map[string]*Group{}
	}
	t.byPath[path] = g
	above := t.group(parent)
	above.Groups = append(above.Groups, g)
	return g
}

// groups lists the root and all groups below it, parents first.
func (t *checkTally) groups() []*Group {
	out := []*Group{&t.root}
	for i := 0; i < len(out); i++ {
		out = append(out, out[i].Groups...)
	}
	return out
}
