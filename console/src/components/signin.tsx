// Signing in with a key or a token.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useAct, useTitle } from "../hooks";
import { texts } from "../texts";
import { TextField } from "./form";
import { Icon } from "./icon";

interface SignInProps { brand: string; name: string; label: string; hint: string; why: string; enter: (secret: string) => Promise<unknown>; children?: ComponentChildren }

export function SignInForm({ brand, name, label, hint, why, enter, children }: SignInProps) {
  const [secret, setSecret] = useState("");
  const entering = useAct(enter);
  useTitle(texts.signIn.title);
  const submit = (event: Event) => {
    event.preventDefault();
    entering.run(secret);
  };
  return (
    <main class="signin">
      <form onSubmit={submit} class="card">
        <p class="brand"><Icon name="play" />{brand}</p>
        <h1>{texts.signIn.title}</h1>
        {why && <p class="note" role="status">{why}</p>}
        <TextField label={label} hint={hint} error={entering.error?.message} value={secret} onValue={setSecret} type="password" autoComplete="current-password" name={name} required spellcheck={false} autoFocus dir="ltr" />
        <button type="submit" class="primary" disabled={entering.busy}>{texts.signIn.enter}</button>
        {children}
      </form>
    </main>
  );
}
