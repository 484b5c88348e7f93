// The head of a page: what it is called, and what can be done there.
import type { ComponentChildren } from "preact";
import { useTitle } from "../hooks";

export function PageHead({ title, children, note }: { title: string; note?: ComponentChildren; children?: ComponentChildren }) {
  useTitle(title);
  return (
    <div class="pagehead">
      <div><h1 dir="auto">{title}</h1>{note && <p class="quiet">{note}</p>}</div>
      {children && <div class="actions">{children}</div>}
    </div>
  );
}

// Section is a part of a page. It has a heading of its own, unless it is all there is on the page.
export function Section({ title, children, actions }: { title?: string; children: ComponentChildren; actions?: ComponentChildren }) {
  return <section class="section">{title && <div class="sectionhead"><h2>{title}</h2>{actions}</div>}{children}</section>;
}

// Facts are names with values, such as of a movie.
export function Facts({ of }: { of: [string, ComponentChildren][] }) {
  return <dl class="facts">{of.filter(([, value]) => value !== null && value !== undefined && value !== "").map(([name, value]) => <div key={name}><dt>{name}</dt><dd dir="auto">{value}</dd></div>)}</dl>;
}
