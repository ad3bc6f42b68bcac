package counters

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// readHTTP gets JSON or Prometheus text, as the content type says, or, without a telling one, the text itself.
func (s *Source) readHTTP(ctx context.Context, at string) (Reading, error) {
	t := &http.Transport{DialContext: s.Dial, TLSClientConfig: s.TLS, DisableKeepAlives: true}
	defer t.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return Reading{}, err
	}
	request.Header.Set("Accept", "application/json;q=1, text/plain;version=0.0.4;q=0.9, */*;q=0.1")
	answer, err := (&http.Client{Transport: t}).Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return Reading{}, fmt.Errorf("no answer came within %s", Timeout)
		}
		return Reading{}, fmt.Errorf("%w: is the gateway running there?", errors.Unwrap(err))
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return Reading{}, fmt.Errorf("GET was answered with %s: check the address", answer.Status)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return Reading{}, fmt.Errorf("the answer broke off: %w", err)
	case len(body) > maxAnswer:
		return Reading{}, fmt.Errorf("the answer is longer than %d bytes: that is no set of counters", maxAnswer)
	}
	return s.parse(body, answer.Header.Get("Content-Type"))
}

func (s *Source) parse(body []byte, contentType string) (Reading, error) {
	trimmed := strings.TrimSpace(string(body))
	if !strings.Contains(contentType, "json") && !strings.HasPrefix(trimmed, "{") {
		return s.fromPrometheus(body)
	}
	r, ok := s.fromJSON(body, true)
	if !ok {
		return r, fmt.Errorf("the answer has no object of counters at %q (path): %s", s.path(), keys(body))
	}
	return r, nil
}

func (s *Source) path() string {
	if s.Path == "" {
		return defaultPath
	}
	return s.Path
}
