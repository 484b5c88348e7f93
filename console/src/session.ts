// Who has signed in.
import { sessions } from "./signedin";

export type Role = "viewer" | "render" | "editor" | "manager" | "admin";
export interface Session { account: string; role: Role; key_id: string; until: string }

export const { session, notice, unknown, may, findSession, signIn, signOut } =
  sessions<Session>(["viewer", "render", "editor", "manager", "admin"], (key) => ({ key }));
