// Small things that many pages show.
import { useState } from "preact/hooks";
import { age, moment } from "../format";
import { texts } from "../texts";
import { Icon } from "./icon";

export type Tone = "good" | "bad" | "busy" | "calm";

// Badge is a state in a word.
export function Badge({ tone, children }: { tone: Tone; children: string }) {
  return <span class={"badge " + tone}>{children}</span>;
}

// Ago is how long ago something was; the exact time stands in its title.
export function Ago({ at }: { at: string }) {
  return <time dateTime={at} title={moment(at)}>{age(at)}</time>;
}

export function Progress({ percent, label }: { percent: number; label: string }) {
  return <span class="progress"><progress max={100} value={percent} aria-label={label} /><span>{percent} %</span></span>;
}

// Copy puts a text into the clipboard.
export function Copy({ text, label }: { text: string; label: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 2000);
  };
  return <button type="button" class="plain" aria-label={label} title={label} onClick={copy}><Icon name={done ? "check" : "copy"} /><span class="hiddentext" role="status">{done ? texts.states.copied : ""}</span></button>;
}
