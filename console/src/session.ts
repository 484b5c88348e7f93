// Who has signed in.
import { api, whenSignedOut } from "./api";
import { store } from "./store";
import { texts } from "./texts";

export type Role = "viewer" | "render" | "editor" | "manager" | "admin";
export interface Session { account: string; role: Role; key_id: string; until: string }

// undefined: it is not known yet; null: nobody.
export const session = store<Session | null | undefined>(undefined);
// Why somebody has to sign in again.
export const notice = store("");

const ranks: Role[] = ["viewer", "render", "editor", "manager", "admin"];

// may says whether the session's role is at least another.
export function may(role: Role): boolean {
  const own = session.get();
  return !!own && ranks.indexOf(own.role) >= ranks.indexOf(role);
}

whenSignedOut(() => {
  if (session.get()) notice.set(texts.signIn.ended);
  session.set(null);
});

export async function findSession() {
  try {
    session.set(await api.get<Session>("/session"));
  } catch {
    session.set(null);
  }
}

export async function signIn(key: string) {
  const own = await api.post<Session>("/session", { body: { key } });
  notice.set("");
  session.set(own);
}

export async function signOut() {
  await api.delete("/session");
  notice.set("");
  session.set(null);
}
