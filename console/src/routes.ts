// The pages of the console. One with a label stands in the navigation.
import type { Route } from "./components/frame";
import type { Role } from "./session";
import { texts } from "./texts";

export const routes: Route<Role>[] = [
  { path: "/movies", role: "viewer", label: texts.movies.title, icon: "film", load: () => import("./pages/movies") },
  { path: "/movies/:project", role: "viewer", load: () => import("./pages/movie") },
  { path: "/write", role: "render", label: texts.write.title, icon: "pen", load: () => import("./pages/write") },
  { path: "/templates", role: "viewer", label: texts.templates.title, icon: "grid", load: () => import("./pages/templates") },
  { path: "/templates/:id", role: "viewer", load: () => import("./pages/template") },
  { path: "/media", role: "viewer", label: texts.media.title, icon: "folder", load: () => import("./pages/media") },
  { path: "/batches", role: "viewer", label: texts.batches.title, icon: "rows", load: () => import("./pages/batches") },
  { path: "/batches/new", role: "render", load: () => import("./pages/newbatch") },
  { path: "/batches/:id", role: "viewer", load: () => import("./pages/batch") },
  { path: "/account", role: "admin", label: texts.account.title, icon: "chart", load: () => import("./pages/account") },
  { path: "/connections", role: "manager", label: texts.connections.title, icon: "link", load: () => import("./pages/connections") },
  { path: "/deliveries", role: "manager", label: texts.deliveries.title, icon: "send", load: () => import("./pages/deliveries") },
  { path: "/inboxes", role: "manager", under: "/deliveries", load: () => import("./pages/inboxes") },
  { path: "/keys", role: "admin", label: texts.keys.title, icon: "key", load: () => import("./pages/keys") },
];
