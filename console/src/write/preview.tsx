// What a moment of the movie looks like, drawn by what would render it.
import { useEffect, useRef, useState } from "preact/hooks";
import { Failure } from "../components/states";
import { length } from "../format";
import { getStill, Picture, type Still } from "../components/still";
import { texts } from "../texts";
import type { Validation } from "../pages/write";
import { TimeLine } from "./timeline";

const t = texts.preview;

const side = 960;
// Another preview took the place of this one: the newer one is drawn next.
const replaced = "preview_replaced";

export function Preview({ text, found }: { text: string; found?: Validation }) {
  const [time, setTime] = useState(0);
  const [sources, setSources] = useState(0); // how often they were asked for
  const { drawn, error, busy } = useStill(text, time, sources, found?.problems.some((p) => p.severity === "error") ?? true);
  const seconds = drawn?.duration ?? found?.duration ?? 0;
  const step = found?.fps ? 1 / found.fps : 0.04;
  return (
    <section class="preview" aria-label={t.title}>
      <div class={"still" + (busy ? " busy" : "")} aria-busy={busy}>
        {drawn ? <Picture still={drawn} label={t.picture(length(time, 2))} /> : <p class="quiet">{busy ? t.drawing : t.none}</p>}
      </div>
      <label class="moment">
        <span>{t.moment}</span>
        <input type="range" min={0} max={Math.max(seconds - step, 0)} step={step} value={Math.min(time, seconds)} onInput={(e) => setTime(+e.currentTarget.value)} aria-valuetext={t.at(length(time, 2), length(seconds, 2))} />
        <output>{length(time, 2)} / {length(seconds, 2)}</output>
      </label>
      {error && <Failure message={error.message} />}
      {drawn && drawn.missing.length > 0 && (
        <div class="missing">
          <p><strong>{t.missing(drawn.missing.length)}</strong> <button type="button" onClick={() => setSources((n) => n + 1)} disabled={busy}>{t.load}</button></p>
          <ul>{drawn.missing.slice(0, 8).map((m) => <li key={m} dir="auto">{m}</li>)}</ul>
        </div>
      )}
      {found?.timeline && <TimeLine of={found.timeline} seconds={found.duration ?? seconds} time={time} go={setTime} />}
    </section>
  );
}

interface State { drawn?: Still; error?: Error; busy: boolean }

// useStill asks for the picture of a moment, one at a time: what changes meanwhile is asked for when the answer is there.
function useStill(text: string, time: number, sources: number, wrong: boolean): State {
  const [state, setState] = useState<State>({ busy: false });
  const asking = useRef(false);
  const next = useRef<(() => void) | undefined>(undefined);
  const loaded = useRef(0);
  useEffect(() => {
    if (wrong) return;
    let wanted = true;
    const ask = async () => {
      asking.current = true;
      setState((s) => ({ ...s, busy: true }));
      const fetch = sources > loaded.current;
      try {
        const drawn = await getStill(text, { time, size: side, fetch: fetch || undefined });
        loaded.current = sources;
        if (wanted) setState({ drawn, busy: false });
      } catch (error) {
        if (wanted) setState((s) => ({ drawn: s.drawn, busy: false, error: (error as { code?: string }).code === replaced ? undefined : (error as Error) }));
      }
      asking.current = false;
      const waiting = next.current;
      next.current = undefined;
      waiting?.();
    };
    if (asking.current) next.current = ask;
    else ask();
    return () => {
      wanted = false;
      if (next.current === ask) next.current = undefined;
    };
  }, [text, time, sources, wrong]);
  return state;
}
