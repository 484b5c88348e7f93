// Calls the interface for the session: /console/api/v2/… is what /v2/… is with a key, /operator/api/admin/… what /admin/… is with a token.
import { base as console } from "./base";
import { texts } from "./texts";

export type Query = Record<string, string | number | boolean | undefined>;

// An answer that is no success. Code and message are those of the interface.
export class ApiError extends Error {
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }
}

const base = console + "/api";
const mark = { "X-Moviola-Console": "1" };

let onSignedOut = () => {};

// whenSignedOut names what happens when a call is answered that the session has ended.
export function whenSignedOut(then: () => void) {
  onSignedOut = then;
}

let signInAgain: (() => Promise<boolean>) | undefined;

// whenStale names how somebody signs in again, when a call is answered that this is needed. True: they have, and the call is made once more.
export function whenStale(ask: () => Promise<boolean>) {
  signInAgain = ask;
}

export function address(path: string, query?: Query): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined && value !== "") params.set(name, String(value));
  const text = params.toString();
  return base + path + (text ? "?" + text : "");
}

export interface Options {
  query?: Query;
  body?: unknown; // a text is sent as it is, everything else as JSON
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

async function send(method: string, path: string, o: Options = {}): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(address(path, o.query), {
      method, signal: o.signal, credentials: "same-origin",
      headers: { ...mark, ...(o.body === undefined ? {} : { "Content-Type": "application/json" }), ...o.headers },
      body: o.body === undefined ? undefined : typeof o.body === "string" ? o.body : JSON.stringify(o.body),
    });
  } catch (error) {
    if (o.signal?.aborted) throw error;
    throw new ApiError(0, "unreachable", texts.errors.unreachable);
  }
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({}));
  if (answer.status === 401 && said.code === "session_missing") onSignedOut();
  if (answer.status === 403 && said.code === "sign_in_again" && await signInAgain?.()) return send(method, path, o);
  throw new ApiError(answer.status, said.code ?? "", said.message ?? texts.errors.status(answer.status));
}

async function json<T>(method: string, path: string, o?: Options): Promise<T> {
  return (await send(method, path, o)).json() as Promise<T>;
}

export const api = {
  get: <T>(path: string, query?: Query, signal?: AbortSignal) => json<T>("GET", path, { query, signal }),
  post: <T>(path: string, o?: Options) => json<T>("POST", path, o),
  put: <T>(path: string, o?: Options) => json<T>("PUT", path, o),
  delete: <T>(path: string, query?: Query) => json<T>("DELETE", path, { query }),
  text: async (path: string, query?: Query) => (await send("GET", path, { query })).text(),
  events,
};

// events reads a stream of server-sent events until it ends or is aborted. True: it ended by itself.
async function events(path: string, query: Query, signal: AbortSignal, tell: (name: string, data: any) => void): Promise<void> {
  const answer = await send("GET", path, { query, signal, headers: { Accept: "text/event-stream" } });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop()!;
    for (const part of parts) {
      const fields = new Map(part.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]));
      if (fields.has("data")) tell(fields.get("event") ?? "message", JSON.parse(fields.get("data")!));
    }
  }
}
