//go:build moviola_newer

package projections

// The build for tests of upgrades has another shape of the movies, and one more field in balances.
func init() {
	movieModel.modelShape++
	movieModel.oldShape = movieModel.modelShape
	balanceModel.oldShape = balanceModel.modelShape
	balanceModel.modelShape++
}
