package report

import (
	"io"
	"strings"
	"unicode/utf8"
)

// table collects rows and prints them in columns as wide as they need: the first to the left, the others to the right,
// those named in left to the left. An empty row is a blank line.
type table struct {
	rows [][]string
	left map[int]bool
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// print writes the rows, each indented by indent spaces.
func (t *table) print(w io.Writer, indent int) {
	widths := t.widths()
	for _, row := range t.rows {
		var line strings.Builder
		line.WriteString(strings.Repeat(" ", indent))
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i > 0 {
				line.WriteString("  ")
			}
			if i == 0 || t.left[i] {
				line.WriteString(cell + pad)
			} else {
				line.WriteString(pad + cell)
			}
		}
		io.WriteString(w, strings.TrimRight(line.String(), " ")+"\n")
	}
}

func (t *table) widths() []int {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// wrap writes text in lines of at most 96 columns, the first after lead, the others below its end.
func wrap(w io.Writer, lead, text string) {
	const columns = 96
	line := lead
	indent := strings.Repeat(" ", utf8.RuneCountInString(lead))
	for i, word := range strings.Fields(text) {
		if i > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > columns {
			io.WriteString(w, strings.TrimRight(line, " ")+"\n")
			line = indent + word
			continue
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	io.WriteString(w, strings.TrimRight(line, " ")+"\n")
}
