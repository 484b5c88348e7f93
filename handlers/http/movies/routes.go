package movies

import (
	"moviola/handlers/http/access"
)

// Operations returns the operations on movies. Spec: Endpoints; decision 32; roles by decision "Roles".
func (a *API) Operations() []access.Operation {
	return []access.Operation{
		{Operation: getMovies, Serve: a.getMovies},
		{Operation: postMovie, Serve: a.postMovie, OwnAccount: true},
		// Every error of DELETE /movies has status 400, except the refusal of a wrong operator's token.
		{Operation: deleteMovie, Serve: a.deleteMovie, OwnAccount: true, Fail: a.failDelete},
		{Operation: validateMovie, Serve: a.validateMovie},
		{Operation: drawStills, Serve: a.stillMovie},
		{Operation: cancelMovie, Serve: a.cancelMovie},
		{Operation: getMovieEvents, Serve: a.movieEvents},
		{Operation: followMovie, Serve: a.followMovies},
		{Operation: redeliverMovie, Serve: a.redeliverMovie},
	}
}
