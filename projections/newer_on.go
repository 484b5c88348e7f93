//go:build moviola_newer

package projections

// The build that plays a later version of the program in tests of upgrades has another shape of the movies, and added a field to balances.
func init() {
	movieModel.modelShape++
	movieModel.oldShape = movieModel.modelShape
	balanceModel.oldShape = balanceModel.modelShape
	balanceModel.modelShape++
}
