// Pages that show the service at work look again by themselves while they are seen.
import { useEffect } from "preact/hooks";
import { number } from "../format";
import { type Loaded, useLoad } from "../hooks";

const every = 5000;

// useFollowed is useLoad, again and again.
export function useFollowed<T>(load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const loaded = useLoad(load, []);
  useEffect(() => {
    if (loaded.loading) return;
    const timer = setTimeout(() => document.visibilityState === "visible" && loaded.reload(), every);
    const seen = () => document.visibilityState === "visible" && loaded.reload();
    document.addEventListener("visibilitychange", seen);
    return () => { clearTimeout(timer); document.removeEventListener("visibilitychange", seen); };
  }, [loaded.loading, loaded.data, loaded.error]);
  return loaded;
}

// seconds is a length of time, such as 4 s, 12 min or 3 h.
export function seconds(n: number): string {
  if (n < 90) return number(Math.round(n)) + " s";
  return n < 5400 ? number(Math.round(n / 60)) + " min" : number(Math.round(n / 3600)) + " h";
}
