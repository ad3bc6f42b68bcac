package options_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wsgov/wsgov/host/options"
	"github.com/wsgov/wsgov/host/threshold"
)

// layer reads an options object as a script would export it.
func layer(t *testing.T, from, object string) options.Layer {
	t.Helper()
	l := options.Layer{From: from}
	if err := json.Unmarshal([]byte(object), &l.Values); err != nil {
		t.Fatal(err)
	}
	return l
}

func resolve(t *testing.T, object string) (*options.Options, error) {
	t.Helper()
	o, _, err := options.Resolve(layer(t, "options", object))
	return o, err
}

// Every option changes what is read: each one alone, compared with none.
func TestEveryOptionChangesSomething(t *testing.T) {
	show := func(o *options.Options) string {
		o.Raw = nil
		text := fmt.Sprintf("%+v", *o)
		for _, s := range o.Scenarios {
			text += fmt.Sprintf("%+v", *s)
		}
		return text
	}
	none, err := resolve(t, `{}`)
	if err != nil {
		t.Fatal(err)
	}
	plain := show(none)
	for _, object := range []string{
		`{"vus":3}`, `{"duration":"3s"}`, `{"iterations":3}`,
		`{"scenarios":{"a":{"executor":"per-vu-iterations"}}}`,
		`{"thresholds":{"checks":["rate>0.9"]}}`, `{"tags":{"a":"b"}}`, `{"systemTags":["vu"]}`,
		`{"setupTimeout":"3s"}`, `{"teardownTimeout":"3s"}`, `{"handleSummaryTimeout":3000}`, `{"minIterationDuration":"3s"}`,
		`{"noSetup":true}`, `{"noTeardown":true}`, `{"throw":true}`, `{"insecureSkipTLSVerify":true}`,
		`{"summaryTrendStats":["count"]}`, `{"summaryTimeUnit":"ms"}`,
	} {
		o, err := resolve(t, object)
		if err != nil {
			t.Errorf("%s: %v", object, err)
		} else if show(o) == plain {
			t.Errorf("%s changes nothing", object)
		}
	}
}

func TestDefaults(t *testing.T) {
	o, err := resolve(t, `{"setupTimeout":null}`)
	if err != nil {
		t.Fatal(err)
	}
	s := o.Scenarios[0]
	if s.Name != "default" || s.VUs != 1 || s.Iterations != 1 || s.Exec != "default" || s.GracefulStop != 30*time.Second || s.Length != 10*time.Minute {
		t.Errorf("default scenario %+v", s)
	}
	if o.SetupTimeout != time.Minute || fmt.Sprint(o.SummaryTrendStats) != "[avg min med max p(90) p(95)]" || !o.SystemTag("group") || o.SystemTag("vu") {
		t.Errorf("defaults %+v", o)
	}
}

func TestShortcuts(t *testing.T) {
	for object, want := range map[string]string{
		`{}`:                               "per-vu-iterations 1 1 10m0s",
		`{"vus":4}`:                        "per-vu-iterations 4 1 10m0s",
		`{"iterations":6,"vus":2}`:         "shared-iterations 2 6 10m0s",
		`{"iterations":6,"duration":"5s"}`: "shared-iterations 1 6 5s",
		`{"duration":"5s","vus":3}`:        "constant-vus 3 1 5s",
		`{"duration":1500}`:                "constant-vus 1 1 1.5s",
	} {
		o, err := resolve(t, object)
		if err != nil {
			t.Errorf("%s: %v", object, err)
			continue
		}
		s := o.Scenarios[0]
		if got := fmt.Sprintf("%s %d %d %v", s.Executor, s.VUs, s.Iterations, s.Length); got != want {
			t.Errorf("%s is %s, want %s", object, got, want)
		}
	}
}

func TestEveryScenarioKeyChangesSomething(t *testing.T) {
	read := func(executor, extra string) string {
		o, err := resolve(t, `{"scenarios":{"a":{"executor":"`+executor+`"`+extra+`}}}`)
		if err != nil {
			t.Fatalf("%s%s: %v", executor, extra, err)
		}
		return fmt.Sprintf("%+v", *o.Scenarios[0])
	}
	for executor, base := range map[string]string{
		"constant-vus": `,"duration":"9s"`, "per-vu-iterations": "", "shared-iterations": `,"iterations":9`,
	} {
		plain := read(executor, base)
		keys := []string{`"startTime":"2s"`, `"gracefulStop":"0s"`, `"exec":"other"`, `"env":{"A":"b"}`, `"tags":{"a":1}`, `"vus":2`}
		if executor != "constant-vus" {
			keys = append(keys, `"maxDuration":"7s"`)
		}
		if executor == "per-vu-iterations" {
			keys = append(keys, `"iterations":5`)
		}
		for _, key := range keys {
			if read(executor, base+","+key) == plain {
				t.Errorf("%s: %s changes nothing", executor, key)
			}
		}
	}
}

func TestScenariosAreSortedByName(t *testing.T) {
	o, err := resolve(t, `{"scenarios":{"b":{"executor":"per-vu-iterations"},"a":{"executor":"per-vu-iterations"}}}`)
	if err != nil || o.Scenarios[0].Name != "a" || o.Scenarios[1].Name != "b" {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestRefusals(t *testing.T) {
	scenario := func(keys string) string { return `{"scenarios":{"a":{` + keys + `}}}` }
	for object, reasons := range map[string][]string{
		`{"vu":1}`:                                         {`options: there is no option "vu"`, `did you mean "vus"`},
		`{"thresholdz":1}`:                                 {`did you mean "thresholds"`},
		`{"xyzzyplugh":1}`:                                 {`there is no option "xyzzyplugh"`},
		`{"stages":[]}`:                                    {"does not offer", "stages", "constant-vus"},
		`{"rps":5}`:                                        {"does not offer", "rate"},
		`{"noUsageReport":1}`:                              {"does not offer", "leave it out"},
		`{"vus":0}`:                                        {"0 is not a whole number from 1"},
		`{"vus":"many"}`:                                   {"not a whole number"},
		`{"vus":1.5}`:                                      {"not a whole number"},
		`{"iterations":1,"vus":2}`:                         {"cannot be shared"},
		`{"duration":"0s"}`:                                {"zero"},
		`{"duration":"-1s"}`:                               {"negative"},
		`{"duration":"soon"}`:                              {"not a duration"},
		`{"iterations":1,"scenarios":{}}`:                  {"both say what to run"},
		`{"scenarios":{}}`:                                 {"empty"},
		`{"scenarios":[]}`:                                 {"not an object"},
		`{"tags":[]}`:                                      {`"tags"`, "not an object"},
		`{"tags":{"a":{}}}`:                                {"not a string"},
		`{"systemTags":["vuu"]}`:                           {`no system tag "vuu"`, `did you mean "vu"`},
		`{"throw":"yes"}`:                                  {"true or false"},
		`{"summaryTrendStats":["p95"]}`:                    {`"p95"`, "p(N)"},
		`{"summaryTrendStats":["rate"]}`:                   {"statistic"},
		`{"summaryTrendStats":"avg"}`:                      {"list"},
		`{"summaryTimeUnit":"h"}`:                          {"use s, ms or us"},
		`{"thresholds":[]}`:                                {"object"},
		`{"thresholds":{"a{":["rate>0"]}}`:                 {"braces"},
		`{"thresholds":{"a":["rate"]}}`:                    {`"a"`, "operator"},
		scenario(`"exec":"a"`):                             {`scenario "a"`, "lacks the key 'executor'"},
		scenario(`"executor":"ramping-vus"`):               {"does not offer the executor ramping-vus", "constant-vus"},
		scenario(`"executor":"constant-arrival-rate"`):     {"drive()"},
		scenario(`"executor":"constant-vu"`):               {`did you mean "constant-vus"`},
		scenario(`"executor":7`):                           {"not a string"},
		scenario(`"executor":"constant-vus"`):              {"needs the key 'duration'"},
		scenario(`"executor":"per-vu-iterations","vuz":1`): {`has no key "vuz"`, `did you mean "vus"`},
		scenario(`"executor":"per-vu-iterations","duration":"1s"`): {`has no key "duration"`},
		scenario(`"executor":"per-vu-iterations","exec":""`):       {"name is empty"},
		scenario(`"executor":"per-vu-iterations","exec":5`):        {"exec: 5 is not a string"},
		scenario(`"executor":"per-vu-iterations","env":5`):         {"env"},
		scenario(`"executor":"per-vu-iterations","startTime":"x"`): {"startTime"},
		`{"scenarios":{"a b":{"executor":"per-vu-iterations"}}}`:   {"a name has letters"},
	} {
		_, err := resolve(t, object)
		for _, reason := range reasons {
			if err == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("%s: error %v does not say %q", object, err, reason)
			}
		}
	}
}

func TestPrecedence(t *testing.T) {
	script := `{"scenarios":{"a":{"executor":"per-vu-iterations"}},"tags":{"a":"1","b":"2"},"setupTimeout":"1s"}`
	for _, c := range []struct {
		higher   string
		scenario string
		warnings int
	}{
		{`{}`, "a per-vu-iterations", 0},
		{`{"vus":3}`, "default per-vu-iterations", 1},
		{`{"duration":"3s"}`, "default constant-vus", 1},
		{`{"iterations":3}`, "default shared-iterations", 1},
		{`{"setupTimeout":"2s"}`, "a per-vu-iterations", 0},
	} {
		o, warnings, err := options.Resolve(layer(t, "options", script), layer(t, "the command line", c.higher))
		if err != nil {
			t.Fatal(err)
		}
		s := o.Scenarios[0]
		if got := s.Name + " " + s.Executor; got != c.scenario || len(warnings) != c.warnings {
			t.Errorf("%s over the script: %s with warnings %q, want %s with %d", c.higher, got, warnings, c.scenario, c.warnings)
		}
	}
	o, _, err := options.Resolve(layer(t, "options", script), layer(t, "env", `{"tags":{"c":"3"},"setupTimeout":"2s"}`), layer(t, "cli", `{"setupTimeout":"3s"}`))
	if err != nil || len(o.Tags) != 1 || o.Tags["c"] != "3" || o.SetupTimeout != 3*time.Second {
		t.Errorf("tags %v and setupTimeout %v, %v; want the highest layer's alone", o.Tags, o.SetupTimeout, err)
	}
	o, _, err = options.Resolve(layer(t, "options", `{"duration":"9s","vus":4}`), layer(t, "cli", `{"iterations":8}`))
	if s := o.Scenarios[0]; err != nil || s.Executor != "shared-iterations" || s.VUs != 4 || s.Length != 10*time.Minute {
		t.Errorf("iterations over a duration: %+v, %v", s, err)
	}
}

func TestEnvName(t *testing.T) {
	for key, want := range map[string]string{
		"vus": "K6_VUS", "summaryTrendStats": "K6_SUMMARY_TREND_STATS", "insecureSkipTLSVerify": "K6_INSECURE_SKIP_TLS_VERIFY",
		"blacklistIPs": "K6_BLACKLIST_IPS", "noVUConnectionReuse": "K6_NO_VU_CONNECTION_REUSE",
	} {
		if got := options.EnvName(key); got != want {
			t.Errorf("EnvName(%q) = %s, want %s", key, got, want)
		}
	}
}

func env(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
}

func TestFromEnv(t *testing.T) {
	l, err := options.FromEnv(env(map[string]string{
		"K6_VUS": "3", "K6_DURATION": "5s", "K6_TAGS": "a=1,b=2=3", "K6_SUMMARY_TREND_STATS": "avg,p(99)", "K6_NO_SETUP": "true",
		"K6_SOMETHING_OF_MINE": "x", "K6_ITERATIONS": "",
	}))
	if err != nil {
		t.Fatal(err)
	}
	o, _, err := options.Resolve(l)
	if err != nil {
		t.Fatal(err)
	}
	p99 := threshold.Aggregation{Name: "p", Percentile: 99}
	if s := o.Scenarios[0]; s.VUs != 3 || s.Length != 5*time.Second || o.Tags["b"] != "2=3" || o.SummaryTrendStats[1] != p99 || !o.NoSetup {
		t.Errorf("read as %+v with %+v", o, s)
	}
	for name, value := range map[string]string{
		"K6_VUS": "many", "K6_TAGS": "a", "K6_THROW": "perhaps", "K6_STAGES": "5s:10", "K6_RPS": "5", "K6_HOSTS": "x",
	} {
		if _, err := options.FromEnv(env(map[string]string{name: value})); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=%s: error %v does not name the variable", name, value, err)
		}
	}
}

func FuzzResolve(f *testing.F) {
	f.Add([]byte(`{"vus":3,"duration":"1s","thresholds":{"a{b:c}":["p(9)<1"]}}`))
	f.Add([]byte(`{"scenarios":{"a":{"executor":"shared-iterations","vus":2,"iterations":3,"tags":{"a":1}}}}`))
	f.Fuzz(func(t *testing.T, object []byte) {
		var values map[string]json.RawMessage
		if json.Unmarshal(object, &values) != nil {
			return
		}
		o, _, err := options.Resolve(options.Layer{From: "options", Values: values})
		if (err == nil) != (o != nil && len(o.Scenarios) > 0) {
			t.Fatalf("%s: %+v, %v", object, o, err)
		}
	})
}
