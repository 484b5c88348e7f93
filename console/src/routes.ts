// The pages of the console. One with a label stands in the navigation.
import type { ComponentType } from "preact";
import type { IconName } from "./components/icon";
import type { Role } from "./session";
import { texts } from "./texts";

export interface Route {
  path: string; // below /console; :name is a property of the page
  role: Role; // the least that can use it
  label?: string;
  icon?: IconName;
  load: () => Promise<{ default: ComponentType<any> }>;
}

export const routes: Route[] = [
  { path: "/movies", role: "viewer", label: texts.movies.title, icon: "film", load: () => import("./pages/movies") },
  { path: "/movies/:project", role: "viewer", load: () => import("./pages/movie") },
  { path: "/write", role: "render", label: texts.write.title, icon: "pen", load: () => import("./pages/write") },
];
