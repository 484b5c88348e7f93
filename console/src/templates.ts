// Templates, as the interface tells of them, and the forms that their variables make.
import { api } from "./api";

export interface Template { id: string; name: string; tags: string[]; created_at: string; updated_at: string; width: number; height: number }
export interface Shelf extends Template { aspect_ratio: number; video_url: string | null; thumbnail_url: string | null; credit?: string }

export interface Schema {
  title?: string; description?: string; type?: string | string[]; format?: string; default?: unknown;
  oneOf?: { const: string; title: string }[]; items?: Schema; properties?: Record<string, Schema>;
}

export type Values = Record<string, unknown>;

export const getTemplates = (signal?: AbortSignal) => api.get<{ templates: Template[] }>("/v2/templates", {}, signal).then((a) => a.templates);
export const getLibrary = (signal?: AbortSignal) => api.get<{ templates: Shelf[] }>("/v2/templates/library", {}, signal).then((a) => a.templates);

export async function getTemplate(id: string, signal?: AbortSignal) {
  const [whole, form] = await Promise.all([
    api.get<{ template: Template & { movie: unknown } }>("/v2/templates", { id }, signal),
    api.get<{ template: { variables: Schema } }>("/v2/templates", { id, format: "jsonschema" }, signal),
  ]);
  return { ...whole.template, schema: form.template.variables };
}

// typeOf is the kind of input that a property takes: one that may be of several types is written as JSON, unless a text is among them.
export function typeOf(s: Schema): "choice" | "text" | "number" | "boolean" | "json" {
  if (s.oneOf) return "choice";
  const types = Array.isArray(s.type) ? s.type : [s.type ?? "string"];
  if (types.includes("object") || types.includes("array")) return "json";
  if (types.includes("string")) return "text";
  if (types.includes("number") || types.includes("integer")) return "number";
  return types.includes("boolean") ? "boolean" : "json";
}

// written is a value as its input shows it.
export function written(s: Schema, value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeOf(s) === "json" ? JSON.stringify(value, null, 2) : String(value);
}

// read is what an input's text means; an error says why it means nothing.
export function read(s: Schema, text: string): unknown {
  switch (typeOf(s)) {
    case "number":
      if (text.trim() === "" || Number.isNaN(Number(text))) throw new Error("number");
      return Number(text);
    case "json":
      return JSON.parse(text);
    case "boolean":
      return text === "true";
    default:
      return text;
  }
}
