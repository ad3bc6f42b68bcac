package record

import "math"

// CounterCheck holds one gateway counter against what the ledger predicts for it. Difference is Delta − Expected.
type CounterCheck struct {
	Name         string   `json:"name"`
	Before       float64  `json:"before"`
	After        float64  `json:"after"`
	Delta        float64  `json:"delta"`
	Expected     float64  `json:"expected"`
	Difference   float64  `json:"difference"`
	Explanations []string `json:"explanations"`
}

// Reconciliation is the comparison of a ledger with a gateway's own counters. Difference is the sum of the absolute
// differences. The JSON names are those of the JavaScript API.
type Reconciliation struct {
	Counters   []CounterCheck `json:"counters"`
	Difference float64        `json:"difference"`
	Warnings   []Warning      `json:"warnings"`
}

// Check appends the comparison of one counter, mapped to the prediction named maps, and adds it to the sum. An unknown
// prediction is an error and changes nothing.
func (r *Reconciliation) Check(name, maps string, before, after float64, account *Account) error {
	expected, err := account.Expect(maps)
	if err != nil {
		return err
	}
	c := CounterCheck{Name: name, Before: before, After: after, Delta: after - before, Expected: float64(expected)}
	c.Difference = c.Delta - c.Expected
	c.Explanations = account.Explain(maps, c.Difference)
	if c.Explanations == nil {
		c.Explanations = []string{}
	}
	r.Counters = append(r.Counters, c)
	r.Difference += math.Abs(c.Difference)
	return nil
}
