// A list that goes on for as long as there is more: further pages are loaded as its end comes into sight, or by a button.
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { texts } from "../texts";
import { Failure, Waiting } from "./states";

export interface Part<T> { items: T[]; next?: string | null }

// started: a part has come, even if it was empty.
export interface Endless<T> { items: T[]; started: boolean; done: boolean; loading: boolean; error?: Error; more: () => void; reload: () => void; change: (change: (items: T[]) => T[]) => void }

// useEndless loads parts of a list: load gets what the part before gave as next, nothing for the first. It begins anew when one of deps changes.
// After reload the items that are shown stay until the new ones have come, so that what a person has opened in a row stays open.
export function useEndless<T>(load: (next: string | undefined, signal: AbortSignal) => Promise<Part<T>>, deps: unknown[]): Endless<T> {
  const first = { items: [] as T[], next: undefined as string | undefined, started: false, done: false, loading: false, error: undefined as Error | undefined };
  const [state, setState] = useState(first);
  const [turn, setTurn] = useState(0);
  const current = useRef({ state, abort: new AbortController(), turn });
  const set = (next: typeof state) => setState((current.current.state = next));
  const more = useCallback(() => {
    const { state, abort } = current.current;
    if (state.loading || state.done) return;
    set({ ...state, loading: true, error: undefined });
    load(state.next, abort.signal).then(
      (part) => {
        if (abort.signal.aborted) return;
        const now = current.current.state;
        set({ items: now.started ? [...now.items, ...part.items] : part.items, next: part.next ?? undefined, started: true, done: !part.next, loading: false, error: undefined });
      },
      (error) => abort.signal.aborted || set({ ...current.current.state, loading: false, error }),
    );
  }, [...deps, turn]);
  useEffect(() => {
    const abort = new AbortController();
    const kept = turn === current.current.turn ? [] : current.current.state.items;
    current.current = { state: { ...first, items: kept }, abort, turn };
    more();
    return () => abort.abort();
  }, [more]);
  return {
    items: state.items, started: state.started, done: state.done, loading: state.loading, error: state.error, more,
    reload: useCallback(() => setTurn((n) => n + 1), []),
    change: useCallback((change) => set({ ...current.current.state, items: change(current.current.state.items) }), []),
  };
}

interface ListProps<T> { of: Endless<T>; label: string; empty: ComponentChildren; id: (item: T) => string; children: (item: T) => ComponentChildren; class?: string }

// List shows one. Its rows are items of an HTML list.
export function List<T>({ of, label, empty, id, children, class: kind = "rows" }: ListProps<T>) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const seen = new IntersectionObserver((entries) => entries.some((e) => e.isIntersecting) && !of.error && of.more(), { rootMargin: "600px" });
    if (end.current) seen.observe(end.current);
    return () => seen.disconnect();
  }, [of.more, of.items.length, of.error]);
  return (
    <>
      {of.items.length > 0 && <ul class={kind} aria-label={label}>{of.items.map((item) => <li key={id(item)}>{children(item)}</li>)}</ul>}
      {of.done && of.items.length === 0 && empty}
      {of.error && <Failure message={of.error.message} retry={of.more} />}
      {of.loading && <Waiting />}
      {!of.done && !of.loading && !of.error && of.started && <button type="button" class="more" onClick={of.more}>{texts.states.more}</button>}
      <div ref={end} aria-hidden="true" />
    </>
  );
}
