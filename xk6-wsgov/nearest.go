package wsgov

import "strings"

// nearest is the known key closest to an unknown one, empty if none is close.
func nearest(key string, fields []field) string {
	best, distance := "", 1+max(2, len(key)/3)
	for _, f := range fields {
		d := edits(strings.ToLower(key), strings.ToLower(f.name))
		if d < distance {
			best, distance = f.name, d
		}
	}
	return best
}

// edits is how many bytes must be inserted, deleted or replaced to turn a into b (Levenshtein's distance, by Wagner and
// Fischer's table of which one row is kept).
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
