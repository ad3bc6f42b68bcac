package reply

import (
	"errors"
	"strings"

	"github.com/tidwall/gjson"
)

// path is a dotted path, compiled to the JSON library's own syntax with everything that is special there escaped.
type path struct {
	text     string
	compiled string
}

func compilePath(text string) (path, error) {
	parts, err := splitPath(text)
	if err != nil {
		return path{}, err
	}
	for i := range parts {
		parts[i] = gjson.Escape(parts[i])
	}
	return path{text: text, compiled: strings.Join(parts, ".")}, nil
}

// get is the value at the path. The JSON must be valid.
func (p *path) get(json string) gjson.Result {
	if json == "" || json[0] != '{' && json[0] != '[' {
		return gjson.Result{}
	}
	return gjson.Get(json, p.compiled)
}

func splitPath(text string) ([]string, error) {
	var parts []string
	var part strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			if i++; i == len(text) {
				return nil, errors.New("it ends in a backslash")
			}
			part.WriteByte(text[i])
		case '.':
			parts = append(parts, part.String())
			part.Reset()
		default:
			part.WriteByte(c)
		}
	}
	parts = append(parts, part.String())
	for _, p := range parts {
		if p == "" {
			return nil, errors.New("it has an empty step: write keys joined by single dots, such as 'payload.id'")
		}
	}
	return parts, nil
}
