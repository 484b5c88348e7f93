// The console of operators: sign in, or the frame with its pages.
import { useEffect } from "preact/hooks";
import { Frame } from "../components/frame";
import { SignInForm } from "../components/signin";
import { Waiting } from "../components/states";
import { routes } from "./routes";
import { findSession, may, notice, session, signIn, signOut } from "./session";
import { texts } from "./texts";

export function App() {
  const own = session.use(), why = notice.use();
  useEffect(() => void findSession(), []);
  if (own === undefined) return <Waiting />;
  if (own === null) return <SignInForm brand={texts.brand} name="token" label={texts.signIn.token} hint={texts.signIn.hint} why={why} enter={signIn} />;
  return <Frame routes={routes} home={routes[0].path} brand={<span>Moviola <small class="quiet">{texts.forOperators}</small></span>} may={may} name={own.name || texts.configured} role={texts.roles[own.role]} refused={texts.refused} signOut={signOut} />;
}
