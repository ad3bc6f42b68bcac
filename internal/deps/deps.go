package deps

import (
	_ "github.com/HdrHistogram/hdrhistogram-go"
	_ "github.com/evanw/esbuild/pkg/api"
	_ "github.com/gorilla/websocket"
	_ "github.com/grafana/sobek"
	_ "github.com/prometheus/client_golang/prometheus"
	_ "github.com/prometheus/client_golang/prometheus/promhttp"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/shirou/gopsutil/v4/cpu"
	_ "github.com/shirou/gopsutil/v4/process"
	_ "github.com/spf13/cobra"
	_ "github.com/tidwall/gjson"
	_ "go.uber.org/goleak"
	_ "pgregory.net/rapid"
)
