// Finds what the movie's JSON Schema says of a place in the text.
export interface Schema {
  $ref?: string; type?: string | string[]; description?: string; default?: unknown; examples?: unknown[]; enum?: unknown[]; const?: unknown; deprecated?: boolean;
  properties?: Record<string, Schema>; items?: Schema; allOf?: Schema[]; anyOf?: Schema[]; oneOf?: Schema[]; if?: Schema; then?: Schema; $defs?: Record<string, Schema>;
}

// Values are the texts, numbers and booleans of the object that a schema is looked at for: what its type is decides which properties it has.
export type Values = Record<string, unknown>;

const deepest = 30;

// parts are a schema and all that it is put together of, as far as the object's own values decide.
export function parts(root: Schema, schema: Schema, values: Values, depth = 0): Schema[] {
  if (depth > deepest) return [];
  const found = [schema];
  const add = (s: Schema) => found.push(...parts(root, s, values, depth + 1));
  if (schema.$ref?.startsWith("#/$defs/")) {
    const target = root.$defs?.[schema.$ref.slice(8)];
    if (target) add(target);
  }
  for (const list of [schema.allOf, schema.anyOf, schema.oneOf]) for (const one of list ?? []) add(one);
  if (schema.if && schema.then && holds(schema.if, values)) add(schema.then);
  return found;
}

function holds(condition: Schema, values: Values): boolean {
  return Object.entries(condition.properties ?? {}).every(([name, s]) => (s.const !== undefined ? values[name] === s.const : s.enum ? s.enum.includes(values[name]) : true));
}

export interface Step { name?: string; values: Values } // into an object by a name; without one, into an array

// at returns the schemas of what lies at the end of a path. values are those of the object or array there.
export function at(root: Schema, path: Step[], values: Values): Schema[] {
  let found: Schema[] = [root];
  for (const step of path) {
    const all = found.flatMap((s) => parts(root, s, step.values));
    found = all.map((s) => (step.name === undefined ? s.items : s.properties?.[step.name])).filter((s): s is Schema => !!s);
  }
  return found.flatMap((s) => parts(root, s, values));
}

// properties are what an object of these schemas may have, by name.
export function properties(schemas: Schema[]): Map<string, Schema> {
  const found = new Map<string, Schema>();
  for (const s of schemas) for (const [name, property] of Object.entries(s.properties ?? {})) if (!found.has(name)) found.set(name, property);
  return found;
}

// valuesOf are the values that schemas name.
export function valuesOf(schemas: Schema[]): unknown[] {
  const found = new Set<unknown>();
  for (const s of schemas) {
    for (const value of s.enum ?? []) found.add(value);
    if (s.const !== undefined) found.add(s.const);
    if (s.type === "boolean" || (Array.isArray(s.type) && s.type.includes("boolean") && !s.type.includes("string"))) found.add(true).add(false);
  }
  if (found.size === 0) for (const s of schemas) for (const value of s.examples ?? []) found.add(value);
  return [...found];
}
