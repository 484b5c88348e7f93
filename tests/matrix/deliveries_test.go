package matrix_test

// deliveryRows are the routes of the delivery log. Decision 76.
var deliveryRows = []row{
	{route: "GET /v2/deliveries", own: want{status: 200, text: `"deliveries":[`}},
	{
		route: "GET /v2/deliveries/{project}", subject: pendingMovie, request: inPath, unknown: unknownMovie,
		own: want{status: 200, text: `"tries":[`}, foreign: noMovie, deleted: &want{status: 200, text: `"tries":[`},
	},
}
