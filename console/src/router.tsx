// Which page is shown, by the address below that of the console.
import type { ComponentChildren } from "preact";
import { base } from "./base";
import { store } from "./store";

const here = () => ({ path: location.pathname.slice(base.length) || "/", query: new URLSearchParams(location.search) });
const place = store(here());
addEventListener("popstate", () => place.set(here()));

export const usePlace = () => place.use();

// go shows another page. With replace, the one before is not one to go back to.
export function go(path: string, replace = false) {
  history[replace ? "replaceState" : "pushState"](null, "", base + path);
  place.set(here());
  if (!replace) scrollTo(0, 0);
}

// setQuery notes what a page shows in its address, so that it can be shared and gone back to.
export function setQuery(query: Record<string, string>) {
  const params = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ""));
  const text = params.toString();
  go(place.get().path + (text ? "?" + text : ""), true);
}

// match returns the parameters of a pattern such as /movies/:id, null when the path does not fit.
export function match(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split("/"), given = path.replace(/\/+$/, "").split("/");
  if (path === "/") given.length = 2, (given[1] = "");
  if (wanted.length !== given.length) return null;
  const found: Record<string, string> = {};
  for (let i = 0; i < wanted.length; i++) {
    if (wanted[i].startsWith(":")) {
      try {
        found[wanted[i].slice(1)] = decodeURIComponent(given[i]);
      } catch {
        return null;
      }
    } else if (wanted[i] !== given[i]) return null;
  }
  return found;
}

interface LinkProps { to: string; class?: string; current?: boolean; children: ComponentChildren; "aria-label"?: string; tabIndex?: number }

// Link leads to another page of the console.
export function Link({ to, current, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return <a href={base + to} aria-current={current ? "page" : undefined} onClick={follow} {...rest} />;
}
