// Package postproc turns result files into one summary in which every planned message is accounted for.
package postproc
