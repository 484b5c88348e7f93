// Which operator has signed in.
import { api, whenSignedOut } from "../api";
import { store } from "../store";
import { texts as common } from "../texts";

export type Role = "observer" | "operator" | "owner";
export interface Session { name: string; role: Role; until: string } // the token of the configuration has no name

// undefined: it is not known yet; null: nobody.
export const session = store<Session | null | undefined>(undefined);
// Why somebody has to sign in again.
export const notice = store("");

const ranks: Role[] = ["observer", "operator", "owner"];

// may says whether the operator's role is at least another.
export function may(role: Role): boolean {
  const own = session.get();
  return !!own && ranks.indexOf(own.role) >= ranks.indexOf(role);
}

whenSignedOut(() => {
  if (session.get()) notice.set(common.signIn.ended);
  session.set(null);
});

export async function findSession() {
  try {
    session.set(await api.get<Session>("/session"));
  } catch {
    session.set(null);
  }
}

export async function signIn(token: string) {
  const own = await api.post<Session>("/session", { body: { token } });
  notice.set("");
  session.set(own);
}

export async function signOut() {
  await api.delete("/session");
  notice.set("");
  session.set(null);
}
