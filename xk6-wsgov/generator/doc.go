// Package generator samples what the load generator itself costs, so that a report can say when it was the bottleneck.
package generator
