// The console of accounts: sign in, or the frame with its pages.
import { useEffect } from "preact/hooks";
import { Frame } from "./components/frame";
import { Failure, Waiting } from "./components/states";
import { routes } from "./routes";
import { findSession, may, session, signOut, unknown } from "./session";
import { SignIn } from "./pages/signin";
import { texts } from "./texts";

export function App() {
  const own = session.use();
  const failure = unknown.use();
  useEffect(() => void findSession(), []);
  if (own === undefined) return failure ? <main><Failure message={failure} retry={findSession} /></main> : <Waiting />;
  if (own === null) return <SignIn />;
  return (
    <Frame routes={routes} home="/movies" brand="Moviola" may={may} name={own.account} role={texts.roles[own.role]} refused={texts.errors.role} signOut={signOut}>
      <a href="/docs" target="_blank" rel="noreferrer">{texts.frame.docs}</a>
    </Frame>
  );
}
