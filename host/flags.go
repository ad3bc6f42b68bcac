package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wsgov/wsgov/host/fault"
	"github.com/wsgov/wsgov/host/options"
)

// flags are what the command line and the environment say besides the script's options.
type flags struct {
	values map[string]*string // options by key, as text

	env, tags, outs         []string
	summaryMode             string
	summaryExport           string
	logFormat               string
	consoleOutput           string
	gatewayFlags            string
	seed                    int64
	gateway, quiet, verbose bool
	noColor, noThresholds   bool
	includeSystemEnv        bool
}

func (f *flags) register(c *cobra.Command) {
	f.values = map[string]*string{}
	set := c.Flags()
	set.SortFlags = false
	option := func(key, name, short, what string) { f.values[key] = set.StringP(name, short, "", what) }
	option("vus", "vus", "u", "virtual `users`")
	option("duration", "duration", "d", "how `long` the virtual users loop")
	option("iterations", "iterations", "i", "how `many` iterations the virtual users share")
	set.StringArrayVarP(&f.outs, "out", "o", nil, "where samples go: json=`FILE`, json=FILE.gz, or json for stdout")
	set.StringArrayVarP(&f.env, "env", "e", nil, "`NAME=VALUE` in the script's __ENV")
	set.StringArrayVar(&f.tags, "tag", nil, "`key=value` on every sample")
	option("summaryTrendStats", "summary-trend-stats", "", "`statistics` of trends, such as avg,p(99),count")
	option("summaryTimeUnit", "summary-time-unit", "", "`unit` of times in the summary: s, ms or us")
	set.StringVar(&f.summaryMode, "summary-mode", "compact", "`mode` of the summary at the end: compact or disabled")
	set.StringVar(&f.summaryExport, "summary-export", "", "also write the summary to `FILE` as JSON")
	set.BoolVar(&f.noThresholds, "no-thresholds", false, "do not judge thresholds")
	set.Bool("no-setup", false, "do not run setup()")
	set.Bool("no-teardown", false, "do not run teardown()")
	option("setupTimeout", "setup-timeout", "", "how `long` setup() may take")
	option("teardownTimeout", "teardown-timeout", "", "how `long` teardown() may take")
	option("minIterationDuration", "min-iteration-duration", "", "how `long` an iteration takes at least")
	option("systemTags", "system-tags", "", "`tags` that the host sets, such as scenario,group,check,vu,iter")
	set.BoolP("throw", "w", false, "throw where a warning would do")
	set.Bool("insecure-skip-tls-verify", false, "do not verify TLS certificates")
	set.BoolVarP(&f.quiet, "quiet", "q", false, "no description of the run and no progress")
	set.BoolVarP(&f.verbose, "verbose", "v", false, "also debug messages")
	set.BoolVar(&f.noColor, "no-color", false, "no colours")
	set.StringVar(&f.logFormat, "log-format", "text", "`format` of messages: text, json or raw")
	set.StringVar(&f.consoleOutput, "console-output", "", "write what the script logs to `FILE`")
	set.BoolVar(&f.includeSystemEnv, "include-system-env-vars", true, "put the process's environment into __ENV")
	set.Int64Var(&f.seed, "seed", 0, "`number` from which plans without a seed derive theirs; 0 draws one")
	set.BoolVar(&f.gateway, "gateway", false, "start the reference gateway for the run; its address is in __ENV.GATEWAY")
	set.StringVar(&f.gatewayFlags, "gateway-flags", "", "`flags` of that gateway, such as '--journal f.ndjson'")
}

// fromEnv takes the flags that were not given from the environment, under k6's names.
func (f *flags) fromEnv(c *cobra.Command, lookup func(string) (string, bool)) error {
	for flag, name := range map[string]string{
		"out": "K6_OUT", "summary-mode": "K6_SUMMARY_MODE", "summary-export": "K6_SUMMARY_EXPORT", "no-thresholds": "K6_NO_THRESHOLDS",
		"log-format": "K6_LOG_FORMAT", "console-output": "K6_CONSOLE_OUTPUT", "include-system-env-vars": "K6_INCLUDE_SYSTEM_ENV_VARS",
		"no-color": "K6_NO_COLOR", "quiet": "K6_QUIET", "verbose": "K6_VERBOSE",
	} {
		text, set := lookup(name)
		if !set || text == "" || c.Flags().Changed(flag) {
			continue
		}
		for _, one := range split(flag, text) {
			if err := c.Flags().Set(flag, one); err != nil {
				return fmt.Errorf("%s=%s: %w", name, text, err)
			}
		}
	}
	if _, set := lookup("NO_COLOR"); set {
		f.noColor = true
	}
	return f.check()
}

func split(flag, text string) []string {
	if flag == "out" {
		return strings.Split(text, ",")
	}
	return []string{text}
}

func (f *flags) check() error {
	switch f.summaryMode {
	case "compact", "disabled":
	case "full", "legacy":
		return fmt.Errorf("--summary-mode %s is not offered: use compact or disabled; `wsgov report` shows more", f.summaryMode)
	default:
		return fmt.Errorf("--summary-mode %q: use compact or disabled", f.summaryMode)
	}
	if f.logFormat != "text" && f.logFormat != "json" && f.logFormat != "raw" {
		return fmt.Errorf("--log-format %q: use text, json or raw", f.logFormat)
	}
	if f.gatewayFlags != "" && !f.gateway {
		return errors.New("--gateway-flags needs --gateway")
	}
	return nil
}

// layer are the options that flags give.
func (f *flags) layer(c *cobra.Command) (options.Layer, error) {
	l := options.Layer{From: "the command line", Values: map[string]json.RawMessage{}}
	for key, text := range f.values {
		if *text == "" {
			continue
		}
		value, err := options.FromText(key, *text)
		if err != nil {
			return l, fmt.Errorf("the command line: option %q: %w", key, err)
		}
		l.Values[key] = value
	}
	for flag, key := range map[string]string{
		"no-setup": "noSetup", "no-teardown": "noTeardown", "throw": "throw", "insecure-skip-tls-verify": "insecureSkipTLSVerify",
	} {
		if c.Flags().Changed(flag) {
			l.Values[key] = json.RawMessage(c.Flags().Lookup(flag).Value.String())
		}
	}
	if len(f.tags) == 0 {
		return l, nil
	}
	tags, err := options.FromTags(f.tags)
	if err != nil {
		return l, fmt.Errorf("--tag: %w", err)
	}
	l.Values["tags"] = tags
	return l, nil
}

// explainFlag names a flag that does not exist, says what k6's flag of that name would be here, or the nearest one.
func explainFlag(c *cobra.Command, err error) error {
	var unknown interface{ GetSpecifiedName() string }
	if !errors.As(err, &unknown) {
		return err
	}
	name := unknown.GetSpecifiedName()
	if why := flagsNotOffered[name]; why != "" {
		return fmt.Errorf("--%s is not offered here: %s", strings.TrimPrefix(name, "-"), why)
	}
	if why, known := options.NotOffered(camel(name)); known {
		return fmt.Errorf("--%s is not offered here: %s", name, why)
	}
	return fmt.Errorf("%w%s; `wsgov run --help` lists the flags", err, options.Nearest(name, names(c)))
}

// camel is the option of a flag: "http-debug" is httpDebug.
func camel(flag string) string {
	words := strings.Split(flag, "-")
	for i, w := range words[1:] {
		if w != "" {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// flagsNotOffered are k6's flags that are no options.
var flagsNotOffered = map[string]string{
	"s": "use the scenarios of the script, or a plan's stages", "stage": "use the scenarios of the script, or a plan's stages",
	"p": "a run starts at once", "l": "the run ends when the script has ended",
	"c": "put the options into the script", "config": "put the options into the script",
	"a": "there is no REST API", "address": "there is no REST API",
	"t": "scripts are told by their file's name", "type": "scripts are told by their file's name",
	"scenario": "leave scenarios out of the script, or choose them by __ENV", "once": "use --iterations 1",
	"no-summary": "use --summary-mode disabled", "new-machine-readable-summary": "use --summary-export, or wsgov report --json",
	"traces-output": "nothing is traced", "compatibility-mode": "scripts are ES modules", "features": "there are no feature flags",
	"secret-source": "use -e or the environment", "log-output": "messages go to stderr; redirect it",
	"log-ns-timestamps": "use --log-format json", "profiling-enabled": "there is no profiling server",
	"no-usage-report": "nothing is ever reported to anyone", "user-agent": "give the client's option headers a User-Agent instead",
	"local-ips":         "give the client's option localAddresses instead",
	"execution-segment": "run on one machine", "execution-segment-sequence": "run on one machine",
	"blacklist-ip": "the host connects to every address that the script names", "block-hostnames": "the host connects to every name that the script gives",
	"no-vu-connection-reuse": "a client holds its connections until it is closed",
}

// invalid gives an error of the command line its code.
func invalid(err error) error { return fault.With(fault.InvalidConfig, err) }

func names(c *cobra.Command) []string {
	var out []string
	for _, line := range strings.Split(c.Flags().FlagUsages(), "\n") {
		if _, rest, found := strings.Cut(line, "--"); found {
			name, _, _ := strings.Cut(rest, " ")
			out = append(out, name)
		}
	}
	return out
}
