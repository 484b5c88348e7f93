// A typed client: every path, parameter, body and answer is that of the service's description. api.ts is made of it by `npm run build`.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

export type Schemas = components["schemas"];

// moviola returns a client of the service at a base address, such as http://localhost:8080, with an API key.
export const moviola = (baseUrl: string, key: string) => createClient<paths>({ baseUrl, headers: { "x-api-key": key } });
