package counters

// Parse reads an HTTP answer.
func (s *Source) Parse(body []byte, contentType string) (Reading, error) {
	return s.parse(body, contentType)
}
