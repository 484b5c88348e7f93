// The frame around every page: who is signed in, where to go, and what is shown.
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useAct } from "../hooks";
import { go, Link, match, usePlace } from "../router";
import { texts } from "../texts";
import { Icon, type IconName } from "./icon";
import { Empty, Failure, Waiting } from "./states";
import { Told } from "./toast";

export interface Route<Role> {
  path: string; // below the console's; :name is a property of the page
  role: Role; // the least that can use it
  label?: string;
  icon?: IconName;
  under?: string; // the path of the page that it belongs to in the navigation
  load: () => Promise<{ default: ComponentType<any> }>;
}

interface FrameProps<Role> {
  routes: Route<Role>[];
  home: string; // the page that is shown first
  brand: ComponentChildren;
  may: (role: Role) => boolean;
  name?: string; // who is signed in
  role?: string; // what they may do, in words
  refused: string; // what is said of a page that they may not see
  signOut: () => Promise<unknown>;
  children?: ComponentChildren; // what else stands with who is signed in
}

export function Frame<Role>(props: FrameProps<Role>) {
  const { path } = usePlace();
  useEffect(() => {
    if (path === "/") go(props.home, true);
  }, [path]);
  return (
    <div class="frame">
      <a class="skip" href="#main">{texts.frame.skip}</a>
      <Side {...props} path={path} />
      <main id="main" tabIndex={-1}>
        <Shown {...props} path={path} />
      </main>
      <Told />
    </div>
  );
}

function Side<Role>({ path, routes, home, brand, may, name, role, signOut, children }: FrameProps<Role> & { path: string }) {
  const leave = useAct(signOut);
  const shown = routes.find((r) => match(r.path, path))?.under ?? path;
  // On a phone the pages are a line that is wider than the screen: the one that is shown is to be seen.
  useEffect(() => document.querySelector("nav a[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [path]);
  return (
    <header class="side">
      <Link to={home} class="brand"><Icon name="play" />{brand}</Link>
      <nav aria-label={texts.frame.pages}>
        {routes.filter((r) => r.label && may(r.role)).map((r) => (
          <Link key={r.path} to={r.path} current={shown === r.path || shown.startsWith(r.path + "/")}>
            <Icon name={r.icon!} /><span>{r.label}</span>
          </Link>
        ))}
      </nav>
      <div class="who">
        <span class="account" dir="auto" title={name}>{name}</span>
        <span class="role">{role}</span>
        <button type="button" class="plain" disabled={leave.busy} onClick={() => leave.run()}>{texts.frame.signOut}</button>
        {children}
      </div>
    </header>
  );
}

// Shown is the page at a path, loaded when it is first needed.
function Shown<Role>({ path, routes, home, may, refused }: FrameProps<Role> & { path: string }) {
  for (const route of routes) {
    const params = match(route.path, path);
    if (params) return may(route.role) ? <Page key={route.path + JSON.stringify(params)} route={route} params={params} /> : <Failure message={refused} />;
  }
  return path === "/" ? null : <Empty icon="search" title={texts.errors.noPage}><p>{texts.errors.noPageHint}</p><Link to={home} class="button">{texts.errors.toStart}</Link></Empty>;
}

function Page<Role>({ route, params }: { route: Route<Role>; params: Record<string, string> }) {
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
