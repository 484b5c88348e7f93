// Signing in as an operator: with a token, or through the identity provider when there is one.
import { api } from "../api";
import { SignInForm } from "../components/signin";
import { useAct, useLoad } from "../hooks";
import { usePlace } from "../router";
import { goThrough } from "./again";
import { notice, signIn } from "./session";
import { texts } from "./texts";

const t = texts.signIn;

export function SignIn() {
  const why = notice.use(), refused = usePlace().query.get("signin");
  const offered = useLoad((signal) => api.get<{ provider: string }>("/oidc", undefined, signal), []);
  const going = useAct(goThrough);
  const provider = offered.data?.provider;
  return (
    <SignInForm brand={texts.brand} name="token" label={t.token} hint={t.hint} why={refused ? (t.refusals[refused] ?? t.failed) : why} enter={signIn}>
      {provider && <button type="button" disabled={going.busy} onClick={() => going.run()}>{t.through(provider)}</button>}
      {going.error && <p class="bad" role="alert">{going.error.message}</p>}
    </SignInForm>
  );
}
