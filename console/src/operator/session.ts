// Which operator has signed in.
import { sessions } from "../signedin";

export type Role = "observer" | "operator" | "owner";
export interface Session { name: string; role: Role; id: string; until: string } // the token of the configuration has no name

export const { session, notice, unknown, may, findSession, signIn, signOut } =
  sessions<Session>(["observer", "operator", "owner"], (token) => ({ token }));
