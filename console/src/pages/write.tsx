// Writing a movie: its JSON, what is wrong with it, and what it looks like.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, ApiError } from "../api";
import { Icon } from "../components/icon";
import { PageHead } from "../components/page";
import { Failure, Waiting } from "../components/states";
import { tell } from "../components/toast";
import { Editor, type Editing, type Problem } from "../editor/editor";
import { blank, examples, snippets, titleOf } from "../examples";
import { length, number } from "../format";
import { useAct } from "../hooks";
import { getMovie } from "../movies";
import { go, usePlace } from "../router";
import { session } from "../session";
import { texts } from "../texts";
import { Preview } from "../write/preview";
import { isShared, linkOf, sharedDraft } from "../write/share";
import type { Timeline } from "../write/timeline";

const t = texts.write;

export interface Validation {
  valid: boolean; problems: Problem[]; problems_total: number; duration: number | null; credits: number | null; exact: boolean | null; fps: number | null;
  width: number | null; height: number | null; timeline: Timeline | null; unchecked: string[];
}

// A key that is pressed within this time of the one before only waits.
const restMS = 300;
// A link that is longer than this is cut off by programs that it is sent with.
const mostLink = 30_000;

const draftName = () => "moviola draft " + (session.get()?.account ?? "");

function readDraft(): string {
  try {
    return localStorage.getItem(draftName()) || blank;
  } catch {
    return blank;
  }
}

function keepDraft(text: string) {
  try {
    localStorage.setItem(draftName(), text);
  } catch {
    // The browser keeps nothing, or has no room: the text stays on the page.
  }
}

// Page begins with the draft of this browser, with the JSON of a movie, or with a draft that a link holds.
export default function Page() {
  const { query } = usePlace();
  const from = query.get("movie");
  const [begin, setBegin] = useState<{ text?: string; error?: Error; shared?: number }>(from || isShared() ? {} : { text: readDraft() });
  useEffect(() => {
    const open = () => {
      if (isShared()) sharedDraft().then((text) => setBegin({ text, shared: Date.now() }), () => setBegin({ error: new Error(t.brokenLink) }));
    };
    open();
    addEventListener("hashchange", open);
    return () => removeEventListener("hashchange", open);
  }, []);
  useEffect(() => {
    if (!from) return;
    const abort = new AbortController();
    getMovie(from, abort.signal).then(
      (m) => setBegin({ text: m.json ? JSON.stringify(m.json, null, 2) + "\n" : blank }),
      (error) => abort.signal.aborted || setBegin({ error }),
    );
    return () => abort.abort();
  }, [from]);
  if (begin.error) return <Failure message={begin.error.message} />;
  return begin.text === undefined ? <Waiting /> : <Write key={from ?? begin.shared ?? ""} begin={begin.text} />;
}

function Write({ begin }: { begin: string }) {
  const [text, setText] = useState(begin);
  const rested = useRested(text, restMS);
  const checked = useChecked(rested);
  const editing = useRef<Editing>(null);
  const render = useAct(async () => {
    const { project } = await api.post<{ project: string }>("/v2/movies", { body: text });
    tell(t.submitted);
    go("/movies/" + project);
  });
  useEffect(() => {
    if (rested !== begin) keepDraft(rested); // what a link or a movie began with does not replace the draft of this browser
  }, [rested]);
  const share = useAct(async () => {
    const link = await linkOf(text);
    if (link.length > mostLink) throw new Error(t.tooLong);
    await navigator.clipboard.writeText(link);
    tell(t.shared);
  });
  return (
    <>
      <PageHead title={t.title}>
        <Begin editing={editing} />
        <button type="button" disabled={share.busy} onClick={() => share.run()}><Icon name="link" />{t.share}</button>
        <button type="button" class="primary" disabled={render.busy} onClick={() => render.run()}><Icon name="play" />{t.render}</button>
      </PageHead>
      {share.error && <Failure message={share.error.message} />}
      {render.error && <Failure message={render.error.message} />}
      <div class="writing">
        <div class="written">
          <Editor text={begin} onText={setText} problems={checked.found?.problems ?? []} handle={editing} />
          <Problems checked={checked} show={(p) => editing.current?.show(p.line, p.column)} />
        </div>
        <Preview text={rested} found={checked.found} />
      </div>
    </>
  );
}

// useRested is a text that has not changed for a while.
function useRested(text: string, ms: number): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), ms);
    return () => clearTimeout(timer);
  }, [text, ms]);
  return rested;
}

interface Checked { found?: Validation; error?: Error }

function useChecked(text: string): Checked {
  const [checked, setChecked] = useState<Checked>({});
  useEffect(() => {
    const abort = new AbortController();
    api.post<Validation>("/v2/movies/validate", { body: text, signal: abort.signal }).then(
      (found) => setChecked({ found }),
      (error) => abort.signal.aborted || setChecked((c) => ({ ...c, error })),
    );
    return () => abort.abort();
  }, [text]);
  return checked;
}

function Begin({ editing }: { editing: { current: Editing | null } }) {
  const titles = useMemo(() => examples.map(titleOf), []);
  const choose = (event: Event) => {
    const select = event.currentTarget as HTMLSelectElement;
    const [kind, at] = select.value.split(" ");
    select.value = "";
    if (kind === "new") editing.current?.replace(blank);
    if (kind === "example") editing.current?.replace(examples[+at]);
    if (kind === "piece") editing.current?.insert(snippets[+at][1]);
  };
  return (
    <select class="begin" aria-label={t.begin} value="" onChange={choose}>
      <option value="">{t.begin}</option>
      <option value="new 0">{t.blank}</option>
      <optgroup label={t.examples}>{titles.map((title, i) => <option key={title} value={"example " + i}>{title}</option>)}</optgroup>
      <optgroup label={t.pieces}>{snippets.map(([name], i) => <option key={name} value={"piece " + i}>{t.piece(name)}</option>)}</optgroup>
    </select>
  );
}

function Problems({ checked: { found, error }, show }: { checked: Checked; show: (p: Problem) => void }) {
  const problems = found?.problems ?? [];
  const errors = problems.filter((p) => p.severity === "error").length;
  return (
    <section class="problems" aria-label={t.problems}>
      <p class="sum" role="status">
        {error ? <span class="bad">{error instanceof ApiError ? error.message : t.unchecked}</span>
          : !found ? t.checking
            : errors ? <strong class="bad"><Icon name="warning" /> {t.errors(errors)}</strong>
              : <strong class="fine"><Icon name="check" /> {problems.length ? t.warnings(problems.length) : t.fine}</strong>}
        {found && found.duration !== null && <span class="quiet">{t.length(length(found.duration, 2), !!found.exact)}{found.credits !== null && " · " + t.price(number(found.credits), found.credits, !!found.exact)}</span>}
      </p>
      {problems.length > 0 && (
        <ul>
          {problems.map((p, i) => (
            <li key={i} class={p.severity}>
              <button type="button" class="plain" disabled={p.line === 0} onClick={() => show(p)} dir="auto">
                <span><strong>{p.message}</strong> {p.remedy}</span>
                <span class="mono quiet">{p.line > 0 && t.line(p.line)} {p.pointer}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
