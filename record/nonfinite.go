package record

import (
	"bytes"
	"fmt"
	"regexp"
)

// bareNumber finds the value of a point that is written as no JSON number is.
var bareNumber = regexp.MustCompile(`"value"\s*:\s*([+-]?(?:NaN|Inf(?:inity)?))\s*[,}]`)

// nonFinite recognises a point whose value is a bare NaN or infinity, which k6 v1 writes although JSON has no such
// numbers. It returns a record that names the point's metric and tags, or nil for any other line.
func (d *decoder) nonFinite(line []byte) *Bad {
	at := bareNumber.FindSubmatchIndex(line)
	if at == nil {
		return nil
	}
	text := string(line[at[2]:at[3]])
	mended := bytes.Join([][]byte{line[:at[2]], line[at[3]:]}, []byte("0"))
	p, err := d.decode(mended)
	point, ok := p.(*PointLine)
	if err != nil || !ok {
		return nil
	}
	return &Bad{
		Metric: point.Metric,
		Tags:   append(Tags(nil), point.Tags...),
		Reason: fmt.Sprintf("the value of %s is %s, which is no JSON number: k6 v1 writes it for a sample that is not finite; the value is not counted", point.Metric, text),
	}
}
