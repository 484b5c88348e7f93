// Completion and explanations from the movie's schema.
import { snippetCompletion, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import { hoverTooltip } from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";
import { texts } from "../texts";
import { nameOf, pathOf, valuesIn } from "./place";
import { at, parts, properties, valuesOf, type Schema } from "./schema";

let schema: Promise<Schema> | undefined;

// movieSchema is read once, when it is first needed.
export function movieSchema(): Promise<Schema> {
  return (schema ??= fetch("/v2/movie.schema.json").then((answer) => {
    if (!answer.ok) throw new Error();
    return answer.json();
  }).catch((error) => {
    schema = undefined;
    throw error;
  }));
}

function above(node: SyntaxNode | null, names: string[]): SyntaxNode | null {
  while (node && !names.includes(node.name)) node = node.parent;
  return node;
}

// complete offers names where a name is written, and values where a value is.
export async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  const root = await movieSchema().catch(() => null);
  if (!root) return null;
  const { state, pos } = context;
  const node = syntaxTree(state).resolveInner(pos, -1);
  const property = above(node, ["Property", "Object", "Array"]);
  if (property?.name === "Property" && node.name !== "PropertyName" && pos > (property.firstChild?.to ?? pos)) return values(context, root, property, node);
  const object = above(node, ["Object"]);
  const word = context.matchBefore(/"?[\w-]*$/);
  if (!object || property?.name === "Array" || (!word?.text && !context.explicit)) return null;
  const own = valuesIn(state, object);
  const here = properties(at(root, pathOf(state, object), own));
  const named = new Set<string>();
  for (let child = object.firstChild; child; child = child.nextSibling) if (child.name === "Property" && !(child.from <= pos && pos <= child.firstChild!.to)) named.add(nameOf(state, child));
  const from = word ? word.from : pos;
  const written = node.name === "PropertyName" && /^\s*:/.test(state.sliceDoc(node.to, node.to + 20)); // it has a value already
  const after = /^[\w-]*"?/.exec(state.sliceDoc(pos, pos + 80))![0].length;
  return {
    from, to: pos + after, validFor: /^"?[\w-]*"?$/,
    options: [...here].filter(([name]) => !named.has(name)).map(([name, s]) => {
      const plain: Completion = { label: '"' + name + '"', type: "property", info: s.description, detail: s.deprecated ? texts.editor.deprecated : undefined };
      return written ? plain : snippetCompletion(`"${name}": ${stub(parts(root, s, {}))}`, plain);
    }),
  };
}

// stub is what is written for a value that is to come.
function stub(schemas: Schema[]): string {
  const kinds = new Set(schemas.flatMap((s) => s.type ?? []));
  if (kinds.has("string") && !kinds.has("number")) return '"${}"';
  if (kinds.has("array") && !kinds.has("string")) return "[${}]";
  if (kinds.has("object") && !kinds.has("string")) return "{${}}";
  return "${}";
}

function values(context: CompletionContext, root: Schema, property: SyntaxNode, node: SyntaxNode): CompletionResult | null {
  const { state, pos } = context;
  const object = property.parent;
  if (!object) return null;
  const path = [...pathOf(state, object), { name: nameOf(state, property), values: valuesIn(state, object) }];
  const offered = valuesOf(at(root, path, {}));
  const inside = node.name === "String" || node.name === "Number" || node.name === "True" || node.name === "False" || node.name === "⚠";
  const word = context.matchBefore(/[\w"#.-]+$/);
  if (offered.length === 0 || (!inside && !word && !context.explicit)) return null;
  const from = inside && node.name === "String" ? node.from : word ? word.from : pos;
  const to = inside && node.name === "String" ? node.to : pos;
  return { from, to, options: offered.map((value) => ({ label: JSON.stringify(value), type: "value" })) };
}

// explain shows what the schema says of the property under the pointer.
export const explain = hoverTooltip(async (view, pos) => {
  const property = above(syntaxTree(view.state).resolveInner(pos, 1), ["Property"]);
  const object = property?.parent;
  if (!property?.firstChild || !object || pos > property.firstChild.to) return null;
  const root = await movieSchema().catch(() => null);
  if (!root) return null;
  const found = properties(at(root, pathOf(view.state, object), valuesIn(view.state, object))).get(nameOf(view.state, property));
  if (!found?.description) return null;
  return {
    pos: property.firstChild.from, end: property.firstChild.to, above: true,
    create() {
      const dom = document.createElement("div");
      dom.className = "cm-explained";
      dom.textContent = found.description!;
      if (found.default !== undefined) dom.append(document.createElement("br"), texts.editor.standard(JSON.stringify(found.default)));
      return { dom };
    },
  };
});
