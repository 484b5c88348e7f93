// Package document reads the JSON of a movie and says everything that follows from the JSON alone: what the movie and its
// elements are, where and when they are shown, what is wrong with them, where the result goes.
//
// Reading is lenient: unknown properties are ignored, numeric strings are numbers (decision 23). Only what decisions 15 and 24
// name is refused by Parse; mistakes inside elements are kept and reported by Validate, because they are render errors and not
// refusals (decision 22).
package document
