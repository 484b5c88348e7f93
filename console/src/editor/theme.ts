// The editor's looks, in the colours of the page: variables reach into its shadow root.
import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--surface)", fontSize: "13.5px" },
  "&.cm-focused, &:focus-within": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--quiet)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent) 7%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)" },
  ".cm-matchingBracket": { backgroundColor: "color-mix(in srgb, var(--good) 30%, transparent)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "8px", boxShadow: "0 4px 20px rgb(0 0 0 / 22%)", maxWidth: "420px" },
  ".cm-explained, .cm-completionInfo": { padding: "8px 12px", fontFamily: "var(--sans)", fontSize: "14px", overflowWrap: "anywhere" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--accent-ink)" },
  ".cm-diagnostic": { fontFamily: "var(--sans)", fontSize: "14px", overflowWrap: "anywhere" },
  // The marks' own pictures stand in their styles as data, which the page's policy does not load.
  ".cm-lintRange": { backgroundImage: "none", textDecoration: "underline wavy", textDecorationSkipInk: "none", textUnderlineOffset: "3px" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecorationColor: "var(--bad)" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecorationColor: "var(--busy)" },
  ".cm-lintRange-info, .cm-lintRange-hint": { backgroundImage: "none", textDecorationColor: "var(--quiet)" },
  ".cm-lintRange-active": { backgroundColor: "var(--busy-soft)" },
  ".cm-lint-marker": { content: "normal", width: "9px", height: "9px", margin: "5px 0 0 3px", borderRadius: "50%", background: "var(--quiet)" },
  ".cm-lint-marker-error": { content: "normal", background: "var(--bad)" },
  ".cm-lint-marker-warning": { content: "normal", background: "var(--busy)" },
  ".cm-lint-marker-info": { content: "normal" },
  ".cm-panels": { backgroundColor: "var(--ground)", color: "var(--ink)", borderColor: "var(--line)" },
  ".cm-textfield, .cm-button": { background: "var(--raised)", color: "var(--ink)", borderColor: "var(--line)" },
});

export const highlight = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--busy)" },
]);
