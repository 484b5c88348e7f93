// The frame around every page: who is signed in, where to go, and what is shown.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Failure, Waiting } from "./components/states";
import { Icon } from "./components/icon";
import { Told } from "./components/toast";
import { go, Link, match, usePlace } from "./router";
import { routes, type Route } from "./routes";
import { findSession, may, session, signOut } from "./session";
import { SignIn } from "./pages/signin";
import { texts } from "./texts";
import { useAct } from "./hooks";

export function App() {
  const own = session.use();
  useEffect(() => void findSession(), []);
  if (own === undefined) return <Waiting />;
  if (own === null) return <SignIn />;
  return <Frame />;
}

function Frame() {
  const { path } = usePlace();
  useEffect(() => {
    if (path === "/") go("/movies", true);
  }, [path]);
  return (
    <div class="frame">
      <a class="skip" href="#main">{texts.frame.skip}</a>
      <Side path={path} />
      <main id="main" tabIndex={-1}>
        <Shown path={path} />
      </main>
      <Told />
    </div>
  );
}

function Side({ path }: { path: string }) {
  const own = session.use();
  const leave = useAct(signOut);
  // On a phone the pages are a line that is wider than the screen: the one that is shown is to be seen.
  useEffect(() => document.querySelector("nav a[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [path]);
  return (
    <header class="side">
      <Link to="/movies" class="brand"><Icon name="play" />Moviola</Link>
      <nav aria-label={texts.frame.pages}>
        {routes.filter((r) => r.label && may(r.role)).map((r) => (
          <Link key={r.path} to={r.path} current={path === r.path || path.startsWith(r.path + "/")}>
            <Icon name={r.icon!} /><span>{r.label}</span>
          </Link>
        ))}
      </nav>
      <div class="who">
        <span class="account" dir="auto" title={own?.account}>{own?.account}</span>
        <span class="role">{own && texts.roles[own.role]}</span>
        <button type="button" class="plain" disabled={leave.busy} onClick={() => leave.run()}>{texts.frame.signOut}</button>
        <a href="/docs" target="_blank" rel="noreferrer">{texts.frame.docs}</a>
      </div>
    </header>
  );
}

// Shown is the page at a path, loaded when it is first needed.
function Shown({ path }: { path: string }) {
  for (const route of routes) {
    const params = match(route.path, path);
    if (params) return may(route.role) ? <Page key={route.path + JSON.stringify(params)} route={route} params={params} /> : <Failure message={texts.errors.role} />;
  }
  return path === "/" ? null : <Failure message={texts.errors.noPage} />;
}

function Page({ route, params }: { route: Route; params: Record<string, string> }) {
  const [loaded, setLoaded] = useState<{ page?: ComponentType<any>; error?: Error }>({});
  useEffect(() => {
    let wanted = true;
    route.load().then((m) => wanted && setLoaded({ page: m.default }), (error) => wanted && setLoaded({ error }));
    return () => void (wanted = false);
  }, [route]);
  if (loaded.error) return <Failure message={texts.errors.unreachable} retry={() => location.reload()} />;
  if (!loaded.page) return <Waiting />;
  return <loaded.page {...params} />;
}
