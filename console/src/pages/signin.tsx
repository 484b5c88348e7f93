// Signing in with an API key.
import { useState } from "preact/hooks";
import { TextField } from "../components/form";
import { Icon } from "../components/icon";
import { useAct, useTitle } from "../hooks";
import { notice, signIn } from "../session";
import { texts } from "../texts";

export function SignIn() {
  const [key, setKey] = useState("");
  const why = notice.use();
  const enter = useAct(signIn);
  useTitle(texts.signIn.title);
  const submit = (event: Event) => {
    event.preventDefault();
    enter.run(key);
  };
  return (
    <main class="signin">
      <form onSubmit={submit} class="card">
        <p class="brand"><Icon name="play" />Moviola</p>
        <h1>{texts.signIn.title}</h1>
        {why && <p class="note" role="status">{why}</p>}
        <TextField label={texts.signIn.key} hint={texts.signIn.hint} error={enter.error?.message} value={key} onValue={setKey} type="password" autoComplete="current-password" name="key" required spellcheck={false} autoFocus dir="ltr" />
        <button type="submit" class="primary" disabled={enter.busy}>{texts.signIn.enter}</button>
      </form>
    </main>
  );
}
