// Package bodies sends the worst bodies that are known to every endpoint that takes one, and holds what each costs the service
// against a bound of memory and one of processor time.
//
// MOVIOLA_TEST_LONG=1 sends all of them, some 480. Without it a part of about 100 is sent, chosen by a rule: the movies go by
// turns to POST /movies and to POST /movies/validate, and each form of an endpoint's body is filled, in each of its sizes, with
// the next two of the shapes instead of with all of them. TestCorpus holds that no endpoint, movie or shape is missing in the
// part.
package bodies
