// Movies, as the interface tells of them.
import { api } from "./api";
import type { Tone } from "./components/small";
import { texts } from "./texts";

export type Status = "pending" | "running" | "done" | "error" | "timeout";

export interface Delivery { index: number; type: string; id: string; status: string; http_status: number; attempts: number; message: string; duration_ms: number; at: string }

export interface Movie {
  success: boolean; status: Status; message: string; project: string; id: string | null; url: string | null; thumbnail: string | null; ass: string | null;
  created_at: string; started_at: string | null; ended_at: string | null; deleted_at?: string; progress: number; duration: number | null;
  width: number | null; height: number | null; size: number | null; loudness: { integrated: number | null; true_peak: number } | null;
  rendering_time: number | null; consumed_credits: number; draft: boolean; "client-data": Record<string, unknown>; warnings: string[];
  destinations_result: Delivery[] | null; json?: unknown;
}

export interface MoviePage { movies: Movie[]; has_next: boolean; next_token: string | null; from: string; to: string }

export const open = (m: { status: Status }) => m.status === "pending" || m.status === "running";

export const tones: Record<Status, Tone> = { pending: "calm", running: "busy", done: "good", error: "bad", timeout: "bad" };

// nameOf is what a movie is called: its client's id, or that it has none.
export const nameOf = (m: Movie) => m.id || texts.movies.untitled;

export const getMovie = (project: string, signal?: AbortSignal) => api.get<{ movie: Movie }>("/v2/movies", { project }, signal).then((a) => a.movie);
