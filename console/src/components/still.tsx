// Pictures of moments of movies, drawn by what would render them. They are put on a canvas: the page loads no picture from an address of its own making.
import { useEffect, useRef, useState } from "preact/hooks";
import { api, ApiError } from "../api";
import { texts } from "../texts";

export interface Still { bitmap: ImageBitmap; width: number; height: number; duration: number; exact: boolean; missing: string[]; warnings: string[] }

interface Answer { stills: { content_type: string; data: string }[]; width: number; height: number; duration: number; exact: boolean; missing: string[]; warnings: string[] }

// An account has one preview drawn at a time, and a newer one takes the place of one that waits: the page asks for one after the other.
let turn: Promise<unknown> = Promise.resolve();

export function getStill(movie: unknown, query: { time?: number; size?: number; fetch?: boolean }, signal?: AbortSignal): Promise<Still> {
  const mine = turn.then(() => ask(movie, query, signal));
  turn = mine.catch(() => {});
  return mine;
}

async function ask(movie: unknown, query: { time?: number; size?: number; fetch?: boolean }, signal?: AbortSignal, tries = 3): Promise<Still> {
  if (signal?.aborted) throw new DOMException("", "AbortError");
  try {
    const a = await api.post<Answer>("/v2/movies/still", { query: { format: "jpg", ...query }, body: movie, headers: { Accept: "application/json" }, signal });
    const raw = Uint8Array.from(atob(a.stills[0].data), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([raw], { type: a.stills[0].content_type }));
    return { bitmap, width: a.width, height: a.height, duration: a.duration, exact: a.exact, missing: a.missing, warnings: a.warnings };
  } catch (error) {
    if (tries > 1 && error instanceof ApiError && error.code === "preview_replaced") return ask(movie, query, signal, tries - 1);
    throw error;
  }
}

// Picture shows a still. Its label says what is to be seen.
export function Picture({ still, label, class: kind = "" }: { still: Still; label: string; class?: string }) {
  const own = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const canvas = own.current!;
    canvas.width = still.bitmap.width;
    canvas.height = still.bitmap.height;
    canvas.getContext("2d")!.drawImage(still.bitmap, 0, 0);
  }, [still]);
  return <canvas ref={own} class={"drawn " + kind} role="img" aria-label={label} />;
}

// Glimpse is a small picture of a movie that is drawn once it comes into sight.
export function Glimpse({ movie, label }: { movie: unknown; label: string }) {
  const place = useRef<HTMLSpanElement>(null);
  const [still, setStill] = useState<Still | null>();
  const text = JSON.stringify(movie);
  useEffect(() => {
    const abort = new AbortController();
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some((e) => e.isIntersecting)) return;
      seen.disconnect();
      getStill(text, { size: 480 }, abort.signal).then(setStill, () => abort.signal.aborted || setStill(null));
    }, { rootMargin: "200px" });
    seen.observe(place.current!);
    return () => { abort.abort(); seen.disconnect(); };
  }, [text]);
  return <span ref={place} class="glimpse">{still ? <Picture still={still} label={label} /> : <span class="quiet">{still === null ? texts.stills.none : ""}</span>}</span>;
}
