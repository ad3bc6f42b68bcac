// Package nearest finds the name that a mistyped one was meant to be.
package nearest

import "strings"

// To is the name closest to a mistyped one, whatever the case of letters, or empty if none is close: more than a third of
// its letters and more than two would have to change.
func To(mistyped string, names []string) string {
	best, distance := "", 1+max(2, len(mistyped)/3)
	for _, name := range names {
		if d := edits(strings.ToLower(mistyped), strings.ToLower(name)); d < distance {
			best, distance = name, d
		}
	}
	return best
}

// edits is how many bytes must be inserted, deleted or replaced to turn a into b: Levenshtein's distance, by Wagner and
// Fischer's table (1974), of which one row is kept.
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
