// The editor of the movie JSON. It lives in a shadow root, where it may set styles that the page's policy would not let it set.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { useEffect, useImperativeHandle, useRef } from "preact/hooks";
import type { Ref } from "preact";
import { texts } from "../texts";
import { complete, explain } from "./assist";
import { spanAt } from "./place";
import { highlight, theme } from "./theme";

export interface Problem { pointer: string; line: number; column: number; code: string; severity: "error" | "warning" | "info"; message: string; remedy: string; template?: string }

export interface Editing {
  replace: (text: string) => void; // all of it
  insert: (text: string) => void; // at the cursor
  show: (line: number, column: number) => void;
}

interface Props { text: string; onText: (text: string) => void; problems: Problem[]; handle: Ref<Editing> }

export function Editor({ text, onText, problems, handle }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const told = useRef(onText);
  told.current = onText;
  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: "open" });
    const own = new EditorView({
      parent: root, root, state: EditorState.create({ doc: text, extensions: extensions((text) => told.current(text)) }),
    });
    view.current = own;
    return () => own.destroy();
  }, []);
  useEffect(() => {
    const own = view.current!;
    own.dispatch(setDiagnostics(own.state, problems.filter((p) => p.line > 0 && !p.template).map((p) => diagnostic(own.state, p))));
  }, [problems]);
  useImperativeHandle(handle, () => ({
    replace: (text) => view.current!.dispatch({ changes: { from: 0, to: view.current!.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true }),
    insert: (text) => insert(view.current!, text),
    show(line, column) {
      const own = view.current!;
      own.dispatch({ selection: { anchor: position(own.state, line, column) }, effects: EditorView.scrollIntoView(position(own.state, line, column), { y: "center" }) });
      own.focus();
    },
  }), []);
  return <div class="editor" ref={host} />;
}

const extensions = (tell: (text: string) => void) => [
  lineNumbers(), highlightActiveLineGutter(), history(), foldGutter(), drawSelection(), indentOnInput(), indentUnit.of("  "), bracketMatching(), closeBrackets(),
  highlightActiveLine(), highlightSelectionMatches(), lintGutter(), json(), syntaxHighlighting(highlight), theme, explain,
  autocompletion({ override: [complete] }),
  keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap]),
  EditorView.contentAttributes.of({ "aria-label": texts.editor.label, spellcheck: "false" }),
  EditorView.lineWrapping,
  EditorView.updateListener.of((update) => update.docChanged && tell(update.state.doc.toString())),
];

// position is where a line and a column are, both from 1, columns in characters.
function position(state: EditorState, line: number, column: number): number {
  const found = state.doc.line(Math.min(Math.max(line, 1), state.doc.lines));
  let units = 0;
  for (const character of [...found.text].slice(0, column - 1)) units += character.length;
  return Math.min(found.from + units, found.to);
}

function diagnostic(state: EditorState, p: Problem): Diagnostic {
  return { ...spanAt(state, position(state, p.line, p.column)), severity: p.severity, message: p.message + (p.remedy ? "\n" + p.remedy : "") };
}

// insert puts a piece at the cursor, as deep as the line there.
function insert(view: EditorView, piece: string) {
  const { from, to } = view.state.selection.main;
  const deep = /^\s*/.exec(view.state.doc.lineAt(from).text)![0];
  view.dispatch(view.state.update({ changes: { from, to, insert: piece.replaceAll("\n", "\n" + deep) }, scrollIntoView: true }));
  view.focus();
}
