// The movies of the account, newest first, with how far they are.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, type Query } from "../api";
import { Icon } from "../components/icon";
import { List, useEndless, type Part } from "../components/list";
import { PageHead } from "../components/page";
import { Ago, Badge, Progress } from "../components/small";
import { Empty } from "../components/states";
import { length } from "../format";
import { Filters, filtersOf } from "../moviefilters";
import { getMovie, nameOf, open, tones, type Movie, type MoviePage, type Status } from "../movies";
import { Link, usePlace } from "../router";
import { may } from "../session";
import { texts } from "../texts";

// A range of the interface is at most three months: older ones are stepped through, until a year of them has been empty.
const rangeDays = 89;
const emptyRanges = 4;
const pageSize = 40;
const day = 24 * 60 * 60 * 1000;
// A page of a filtered list may be empty and yet not the last. So many are asked for before the reader is asked whether to go on.
const askedAtOnce = 12;

type Asked = Record<string, string>;

// load reads on until there is a movie: the next page of a range ("next:" and its token), or the first one of the range before a time ("before:").
async function load(asked: Asked, from: string, to: string, next: string | undefined, signal: AbortSignal): Promise<Part<Movie>> {
  let at = next ?? "before:" + to;
  for (let pages = 0, empty = 0; pages < askedAtOnce && empty < emptyRanges; pages++) {
    const page = await api.get<MoviePage>("/v2/movies", at.startsWith("next:") ? { next_token: at.slice(5), format: "simple" } : first(asked, from, at.slice(7)), signal);
    const part = partOf(page, from);
    if (part.items.length > 0 || !part.next) return part;
    if (!page.has_next) empty++;
    at = part.next;
    if (empty === emptyRanges) return { items: [], next: null };
  }
  return { items: [], next: at };
}

function first(asked: Asked, from: string, end: string): Query {
  const start = new Date((end ? Date.parse(end) : Date.now()) - rangeDays * day).toISOString();
  return { ...asked, format: "simple", limit: pageSize, from: from && from > start ? from : start, to: end || undefined };
}

function partOf(page: MoviePage, from: string): Part<Movie> {
  if (page.has_next && page.next_token) return { items: page.movies, next: "next:" + page.next_token };
  const before = new Date(Date.parse(page.from) - 1).toISOString();
  return { items: page.movies, next: from && before < from ? null : "before:" + before };
}

export default function Movies() {
  const given = filtersOf(usePlace().query);
  const { from = "", to = "", project, ...asked } = given;
  const movies = useEndless<Movie>(async (next, signal) => {
    if (!project) return load(asked, from, to && to + "T23:59:59.999Z", next, signal);
    const one = await getMovie(project, signal).catch((error) => {
      if (error.status === 404 || error.status === 400) return null;
      throw error;
    });
    return { items: one ? [one] : [] };
  }, [JSON.stringify(given)]);
  useLive(movies.items, movies.change);
  return (
    <>
      <PageHead title={texts.movies.title}>
        {may("render") && <Link to="/write" class="button primary"><Icon name="plus" />{texts.movies.write}</Link>}
      </PageHead>
      <Filters given={given} />
      <List of={movies} label={texts.movies.list} id={(m) => m.project} class="movies" empty={
        Object.keys(given).length > 0
          ? <Empty icon="search" title={texts.movies.noneFound}><p>{texts.movies.noneFoundHint}</p></Empty>
          : <Empty icon="film" title={texts.movies.none}><p>{texts.movies.noneHint}</p></Empty>
      }>
        {(m) => <Row movie={m} />}
      </List>
    </>
  );
}

// Row shows a movie. It is drawn anew when the movie has changed, not when the list has grown.
function Row({ movie }: { movie: Movie }) {
  const name = nameOf(movie);
  return useMemo(() => (
    <Link to={"/movies/" + movie.project} class="movie">
      <Thumbnail movie={movie} />
      <span class="what">
        <strong dir="auto">{name}</strong>
        <span class="quiet mono">{movie.project}</span>
        {movie.message && <span class="bad line" dir="auto">{movie.message}</span>}
      </span>
      <span class="state">
        {movie.status === "running" ? <Progress percent={movie.progress} label={texts.movies.progress(name)} /> : <Badge tone={tones[movie.status]}>{texts.status[movie.status]}</Badge>}
        {movie.warnings.length > 0 && <span class="quiet warned"><Icon name="warning" />{texts.movies.warnings(movie.warnings.length)}</span>}
      </span>
      <span class="numbers quiet">
        {movie.duration !== null && <span>{length(movie.duration)}</span>}
        {movie.width !== null && <span>{movie.width} × {movie.height}</span>}
        <Ago at={movie.created_at} />
      </span>
    </Link>
  ), [movie]);
}

function Thumbnail({ movie }: { movie: Movie }) {
  const [broken, setBroken] = useState(false);
  if (!movie.thumbnail || broken) return <span class="thumb none" aria-hidden="true"><Icon name="film" /></span>;
  return <span class="thumb"><img src={movie.thumbnail} alt="" loading="lazy" onError={() => setBroken(true)} /></span>;
}

const againMS = 2000;

// useLive keeps the movies that are under way up to date, by one stream for all of them. A stream that breaks is opened again.
function useLive(items: Movie[], change: (change: (items: Movie[]) => Movie[]) => void) {
  const under = items.some(open);
  useEffect(() => {
    if (!under) return;
    const abort = new AbortController();
    const take = (project: string, now: (m: Movie) => Movie) => change((items) => items.map((m) => (m.project === project ? now(m) : m)));
    const tell = (name: string, data: { project: string; status: Status; progress: number }) => {
      if (name !== "end") return take(data.project, (m) => ({ ...m, status: data.status, progress: data.progress }));
      // What else is known of it now: its picture, its length, its warnings.
      getMovie(data.project, abort.signal).then((ended) => take(data.project, () => ended), () => {});
    };
    const follow = async () => {
      while (!abort.signal.aborted) {
        await api.events("/v2/movies/progress", { all: true }, abort.signal, tell).catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, againMS));
        // One that ended while no stream was open is told of by none.
        for (const m of latest.current.filter(open).slice(0, 20)) await getMovie(m.project, abort.signal).then((now) => take(m.project, () => now), () => {});
      }
    };
    follow();
    return () => abort.abort();
  }, [under]);
  const latest = useRef(items);
  latest.current = items;
}
