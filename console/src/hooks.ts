// What pages share: loading something, doing something.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

export interface Loaded<T> { data?: T; error?: Error; loading: boolean; reload: () => void; set: (data: T) => void }

// useLoad loads when it is first drawn and whenever one of deps changes. What was loaded stays while it is loaded anew.
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, deps: unknown[]): Loaded<T> {
  const [state, setState] = useState<{ data?: T; error?: Error; loading: boolean }>({ loading: true });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    setState((s) => ({ ...s, loading: true }));
    load(abort.signal).then(
      (data) => abort.signal.aborted || setState({ data, loading: false }),
      (error) => abort.signal.aborted || setState((s) => ({ data: s.data, error, loading: false })),
    );
    return () => abort.abort();
  }, [...deps, turn]);
  return {
    ...state,
    reload: useCallback(() => setTurn((n) => n + 1), []),
    set: useCallback((data: T) => setState({ data, loading: false }), []),
  };
}

// useAct does something when it is told to, once at a time.
export function useAct<A extends unknown[]>(act: (...args: A) => Promise<unknown>) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const alive = useRef(true);
  const running = useRef(false);
  useEffect(() => () => void (alive.current = false), []);
  const run = async (...args: A) => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setError(undefined);
    try {
      await act(...args);
    } catch (error) {
      if (alive.current) setError(error as Error);
    } finally {
      running.current = false;
      if (alive.current) setBusy(false);
    }
  };
  return { run, busy, error, clear: () => setError(undefined) };
}

// useTitle names the page in the browser's tab.
export function useTitle(title: string) {
  useEffect(() => void (document.title = title + " · Moviola"), [title]);
}
