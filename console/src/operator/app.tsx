// The console of operators: sign in, or the frame with its pages.
import { useEffect } from "preact/hooks";
import { base } from "../base";
import { Frame } from "../components/frame";
import { Failure, Waiting } from "../components/states";
import { comeBack, SignInAgain } from "./again";
import { routes } from "./routes";
import { findSession, may, session, signOut, unknown } from "./session";
import { SignIn } from "./signin";
import { texts } from "./texts";

export function App() {
  const own = session.use();
  const failure = unknown.use();
  useEffect(() => void findSession(), []);
  useEffect(() => { if (own) comeBack(base); }, [!own]);
  if (own === undefined) return failure ? <main><Failure message={failure} retry={findSession} /></main> : <Waiting />;
  if (own === null) return <SignIn />;
  return (
    <>
      <Frame routes={routes} home={routes[0].path} brand={<span>Moviola <small class="quiet">{texts.forOperators}</small></span>} may={may} name={own.name || texts.configured} role={texts.roles[own.role]} refused={texts.refused} signOut={signOut} />
      <SignInAgain />
    </>
  );
}
