// Signing in again, in front of the page, before what needs a sign-in of the last minutes: the call that asked for it then goes on.
import { useState } from "preact/hooks";
import { api, whenStale } from "../api";
import { Dialog } from "../components/dialog";
import { TextField } from "../components/form";
import { useAct, useLoad } from "../hooks";
import { go } from "../router";
import { store } from "../store";
import { texts as common } from "../texts";
import { signIn } from "./session";
import { texts } from "./texts";

const t = texts.again;

// asking is what is told of the answer: true, somebody has signed in again.
const asking = store<((done: boolean) => void) | undefined>(undefined);

whenStale(() => new Promise((resolve) => {
  asking.get()?.(false); // one question at a time
  asking.set((done) => { asking.set(undefined); resolve(done); });
}));

const kept = "moviola.operator.back";

// goThrough leads to the identity provider, and notes the page to come back to.
export async function goThrough() {
  const { address } = await api.post<{ address: string }>("/oidc");
  sessionStorage.setItem(kept, location.pathname + location.search);
  location.assign(address);
}

// comeBack shows the page from which somebody went to the identity provider.
export function comeBack(base: string) {
  const path = sessionStorage.getItem(kept);
  sessionStorage.removeItem(kept);
  if (path?.startsWith(base + "/") && location.pathname === base && !location.search) go(path.slice(base.length), true);
}

export function SignInAgain() {
  const answer = asking.use();
  return answer ? <Question answer={answer} /> : null;
}

function Question({ answer }: { answer: (done: boolean) => void }) {
  const [token, setToken] = useState("");
  const offered = useLoad((signal) => api.get<{ provider: string }>("/oidc", undefined, signal), []);
  const enter = useAct(async () => { await signIn(token); answer(true); });
  const through = useAct(goThrough);
  const provider = offered.data?.provider;
  return (
    <Dialog title={t.title} onClose={() => answer(false)}>
      <p>{t.text}</p>
      <form class="fields" onSubmit={(e) => { e.preventDefault(); enter.run(); }}>
        <TextField label={texts.signIn.token} error={enter.error?.message} value={token} onValue={setToken} type="password" autoComplete="current-password" required spellcheck={false} autoFocus dir="ltr" />
        <div class="actions"><button type="button" onClick={() => answer(false)}>{common.states.cancel}</button><button class="primary" disabled={enter.busy}>{t.enter}</button></div>
      </form>
      {provider && <div class="other"><button type="button" disabled={through.busy} onClick={() => through.run()}>{texts.signIn.through(provider)}</button><p class="hint">{t.back}</p></div>}
      {through.error && <p class="error" role="alert">{through.error.message}</p>}
    </Dialog>
  );
}
