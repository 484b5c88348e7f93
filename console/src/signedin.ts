// What both consoles do for whoever has signed in: find the session, begin one, end it, and ask what its role may do.
import { api, ApiError, whenSignedOut } from "./api";
import { store } from "./store";
import { texts } from "./texts";

// sessions are of one kind: its roles come in the order of what they may do, and it begins with what credentials makes of a secret.
export function sessions<S extends { role: string }>(ranks: S["role"][], credentials: (secret: string) => object) {
  // undefined: it is not known yet; null: nobody.
  const session = store<S | null | undefined>(undefined);
  // Why somebody has to sign in again.
  const notice = store("");
  // Why it cannot be found out whether somebody has signed in: the service is away, for instance.
  const unknown = store("");

  whenSignedOut(() => {
    if (session.get()) notice.set(texts.signIn.ended);
    session.set(null);
  });

  return {
    session,
    notice,
    unknown,

    // may says whether the session's role is at least another.
    may(role: S["role"]): boolean {
      const own = session.get();
      return !!own && ranks.indexOf(own.role) >= ranks.indexOf(role);
    },

    async findSession() {
      unknown.set("");
      try {
        session.set(await api.get<S>("/session"));
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) session.set(null);
        else unknown.set((error as Error).message);
      }
    },

    async signIn(secret: string) {
      const own = await api.post<S>("/session", { body: credentials(secret) });
      notice.set("");
      session.set(own);
    },

    async signOut() {
      await api.delete("/session");
      notice.set("");
      session.set(null);
    },
  };
}
