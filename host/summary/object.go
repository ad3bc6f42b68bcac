package summary

import (
	"crypto/md5" //nolint:gosec // an identity that readers of k6's files expect, no secret
	"encoding/hex"
	"encoding/json"
	"math"

	"github.com/wsgov/wsgov/host/metrics"
)

// finite makes a number that JSON can hold of any.
func finite(f float64) any {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return f
}

func id(path string) string {
	sum := md5.Sum([]byte(path)) //nolint:gosec // see the import
	return hex.EncodeToString(sum[:])
}

// Object is the argument of handleSummary as JSON, in k6's default shape.
func (d *Data) Object() ([]byte, error) {
	stats := make([]string, len(d.TrendStats))
	for i, a := range d.TrendStats {
		stats[i] = a.String()
	}
	all := map[string]any{}
	for i := range d.Series {
		all[d.Series[i].Name] = d.Series[i].object()
	}
	out := map[string]any{
		"metrics":    all,
		"root_group": d.groupObject("", func(list []any, _ map[string]any) any { return list }),
		"options":    map[string]any{"summaryTrendStats": stats, "summaryTimeUnit": d.TimeUnit, "noColor": !d.Color},
		"state": map[string]any{
			"isStdOutTTY": d.OutIsTTY, "isStdErrTTY": d.ErrIsTTY, "testRunDurationMs": float64(d.Duration.Nanoseconds()) / 1e6,
		},
	}
	if d.SetupData != nil {
		out["setup_data"] = json.RawMessage(d.SetupData)
	}
	return json.Marshal(out)
}

func (s *Series) object() map[string]any {
	values := map[string]any{}
	for name, v := range s.Values {
		values[name] = finite(v)
	}
	out := map[string]any{"type": s.Kind, "contains": s.Contains, "values": values}
	if len(s.Verdicts) > 0 {
		verdicts := map[string]any{}
		for _, v := range s.Verdicts {
			verdicts[v.Threshold.Source] = map[string]bool{"ok": v.OK}
		}
		out["thresholds"] = verdicts
	}
	return out
}

// groupObject is a group with everything below it; shape chooses between lists and objects by name.
func (d *Data) groupObject(path string, shape func(list []any, byName map[string]any) any) map[string]any {
	var g metrics.Group
	groups, checks := []any{}, []any{}
	groupsByName, checksByName := map[string]any{}, map[string]any{}
	for _, other := range d.Groups {
		switch {
		case other.Path == path:
			g = other
		case other.Path == path+"::"+other.Name:
			child := d.groupObject(other.Path, shape)
			groups, groupsByName[other.Name] = append(groups, child), child
		}
	}
	for _, c := range g.Checks {
		check := map[string]any{"name": c.Name, "path": c.Path, "id": id(c.Path), "passes": c.Passes, "fails": c.Fails}
		checks, checksByName[c.Name] = append(checks, check), check
	}
	return map[string]any{
		"name": g.Name, "path": g.Path, "id": id(g.Path), "groups": shape(groups, groupsByName), "checks": shape(checks, checksByName),
	}
}

// Export is the file of --summary-export: values beside the name, and thresholds that are true where they failed.
func (d *Data) Export() ([]byte, error) {
	all := map[string]any{}
	for i := range d.Series {
		all[d.Series[i].Name] = d.Series[i].flat()
	}
	out := map[string]any{
		"metrics":    all,
		"root_group": d.groupObject("", func(_ []any, byName map[string]any) any { return byName }),
	}
	if d.SetupData != nil {
		out["setup_data"] = json.RawMessage(d.SetupData)
	}
	text, err := json.MarshalIndent(out, "", "    ")
	return append(text, '\n'), err
}

func (s *Series) flat() map[string]any {
	out := map[string]any{}
	for name, v := range s.Values {
		if name == "rate" && s.Kind == "rate" {
			name = "value"
		}
		out[name] = finite(v)
	}
	if len(s.Verdicts) > 0 {
		failed := map[string]bool{}
		for _, v := range s.Verdicts {
			failed[v.Threshold.Source] = !v.OK
		}
		out["thresholds"] = failed
	}
	return out
}
