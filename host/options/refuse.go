package options

import (
	"fmt"
	"maps"
	"slices"

	"github.com/wsgov/wsgov/internal/nearest"
)

// notOffered says for each of k6's other options why it does nothing here, and what does.
var notOffered = map[string]string{
	"batch":                    "there is no HTTP module; leave it out",
	"batchPerHost":             "there is no HTTP module; leave it out",
	"blacklistIPs":             "the host connects to every address that the script names; leave it out",
	"blockHostnames":           "the host connects to every name that the script gives; leave it out",
	"cloud":                    "nothing is sent to a cloud; leave it out",
	"discardResponseBodies":    "there is no HTTP module; leave it out",
	"dns":                      "names are resolved by the system; leave it out",
	"executionSegment":         "one run is not divided into parts; run it on one machine",
	"executionSegmentSequence": "one run is not divided into parts; run it on one machine",
	"ext":                      "there are no extensions to configure; leave it out",
	"hosts":                    "names are resolved by the system; put the address into the URL or the system's hosts file",
	"httpDebug":                "there is no HTTP module; leave it out",
	"linger":                   "the run ends when the script has ended; leave it out",
	"localIPs":                 "give the client's option localAddresses instead",
	"maxRedirects":             "there is no HTTP module; leave it out",
	"noConnectionReuse":        "a client holds its connections until it is closed; leave it out",
	"noCookiesReset":           "there is no HTTP module; leave it out",
	"noUsageReport":            "nothing is ever reported to anyone; leave it out",
	"noVUConnectionReuse":      "a client holds its connections until it is closed; leave it out",
	"paused":                   "a run starts at once; leave it out",
	"rps":                      "there is no HTTP module; give the plan of a drive its rate instead",
	"stages":                   "use scenarios with the executor constant-vus, or give the plan of a drive its stages",
	"tlsAIAFetch":              "give the client's option tls.ca instead",
	"tlsAuth":                  "give the client's options tls.cert and tls.key instead",
	"tlsCipherSuites":          "the cipher suites are Go's defaults; leave it out",
	"tlsVersion":               "the TLS versions are Go's defaults; leave it out",
	"userAgent":                "give the client's option headers a User-Agent instead",
}

// refuse says that a key is no option, or one that is not offered.
func refuse(from, key string) error {
	if why := notOffered[key]; why != "" {
		return fmt.Errorf("%s: this host does not offer %q: %s", from, key, why)
	}
	return fmt.Errorf("%s: there is no option %q%s", from, key, Nearest(key, slices.Sorted(maps.Keys(readers))))
}

// NotOffered reports whether k6 has an option of that name that this host lacks, and says why.
func NotOffered(key string) (why string, known bool) {
	why = notOffered[key]
	return why, why != ""
}

// Nearest is "; did you mean …?" for the name that a mistyped one was meant to be, or empty if none is near.
func Nearest(name string, names []string) string {
	if best := nearest.To(name, names); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}
