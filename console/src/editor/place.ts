// Where in the JSON something stands: the path from the root, by CodeMirror's syntax tree.
import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";
import type { Step, Values } from "./schema";

const text = (state: EditorState, node: SyntaxNode) => state.sliceDoc(node.from, node.to);

function parsed(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}

export const nameOf = (state: EditorState, property: SyntaxNode): string => String(parsed(text(state, property.firstChild ?? property)) ?? "");

// valuesIn are the plain values of an object.
export function valuesIn(state: EditorState, object: SyntaxNode): Values {
  const found: Values = {};
  if (object.name !== "Object") return found;
  for (let child = object.firstChild; child; child = child.nextSibling) {
    if (child.name !== "Property" || !child.lastChild || child.lastChild === child.firstChild) continue;
    if (["String", "Number", "True", "False"].includes(child.lastChild.name)) found[nameOf(state, child)] = parsed(text(state, child.lastChild));
  }
  return found;
}

// pathOf are the steps from the root to a value.
export function pathOf(state: EditorState, value: SyntaxNode): Step[] {
  const steps: Step[] = [];
  for (let node: SyntaxNode | null = value; node; node = node.parent) {
    const holder: SyntaxNode | null = node.parent;
    if (!holder) break;
    if (holder.name === "Property" && node.name !== "PropertyName") {
      const object = holder.parent;
      if (object) steps.unshift({ name: nameOf(state, holder), values: valuesIn(state, object) });
      node = holder;
    } else if (holder.name === "Array") steps.unshift({ values: {} });
  }
  return steps;
}

// spanAt is the value or the name that begins at a place.
export function spanAt(state: EditorState, pos: number): { from: number; to: number } {
  let node: SyntaxNode = syntaxTree(state).resolveInner(pos, 1);
  const line = state.doc.lineAt(pos);
  while (node.parent && node.parent.from === pos && node.parent.name !== "JsonText" && node.name !== "PropertyName" && node.parent.name !== "Property") node = node.parent;
  const to = Math.min(node.to, line.to);
  return { from: Math.min(pos, to), to: to > pos ? to : Math.min(pos + 1, line.to) };
}
