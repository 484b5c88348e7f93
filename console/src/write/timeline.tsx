// When scenes and elements are shown, as bars. A click on one goes to its moment, and dragging goes to any.
import { useRef } from "preact/hooks";
import { length } from "../format";
import { texts } from "../texts";

interface Span { id: string; start: number; end: number; exact: boolean }
interface ElementTime extends Span { element: number; type: string }
export interface Timeline { scenes: (Span & { scene: number; elements: ElementTime[] })[]; elements: ElementTime[] }

const t = texts.timeline;
// More bars than these help nobody.
const most = 60;

// A pointer that moves less than this clicks.
const dragPixels = 4;

// useDrag tells the moment under a pointer that is dragged over the bars. The click at the end of it is none.
function useDrag(whole: number, go: (time: number) => void) {
  const drag = useRef({ from: 0, down: false, dragged: false });
  const at = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    go(Math.min(Math.max(getComputedStyle(event.currentTarget).direction === "rtl" ? 1 - share : share, 0), 1) * whole);
  };
  return {
    onPointerDown: (event: PointerEvent) => void (drag.current = { from: event.clientX, down: event.button === 0, dragged: false }),
    onPointerMove: (event: PointerEvent & { currentTarget: HTMLElement }) => {
      const d = drag.current;
      if (!d.down || (!d.dragged && Math.abs(event.clientX - d.from) < dragPixels)) return;
      if (!d.dragged) event.currentTarget.setPointerCapture(event.pointerId);
      d.dragged = true;
      at(event);
    },
    onPointerUp: () => void (drag.current.down = false),
    onPointerCancel: () => void (drag.current.down = false),
    onClickCapture: (event: MouseEvent) => {
      if (drag.current.dragged) event.stopPropagation();
      drag.current.dragged = false;
    },
  };
}

export function TimeLine({ of, seconds, time, go }: { of: Timeline; seconds: number; time: number; go: (time: number) => void }) {
  const whole = Math.max(seconds, ...of.scenes.map((s) => s.end), ...of.elements.map((e) => e.end), 0.001);
  const drag = useDrag(whole, go);
  const rows: { key: string; label: string; span: Span; kind: string }[] = [
    ...of.scenes.flatMap((s) => [
      { key: "s" + s.scene, label: s.id || t.scene(s.scene), span: s, kind: "scene" },
      ...s.elements.map((e) => ({ key: `s${s.scene}e${e.element}`, label: e.id || t.element(e.type, e.element), span: e, kind: "element" })),
    ]),
    ...of.elements.map((e) => ({ key: "m" + e.element, label: e.id || t.element(e.type, e.element), span: e, kind: "element" })),
  ];
  return (
    <div class="timeline">
      <h2>{t.title}</h2>
      <div class="bars" {...drag}>
        <ul aria-label={t.title}>
          {rows.slice(0, most).map(({ key, label, span, kind }) => (
            <li key={key}>
              <button type="button" class={"bar " + kind} onClick={() => go(span.start)} title={t.span(label, length(span.start, 2), length(span.end, 2))}
                style={{ marginInlineStart: (span.start / whole) * 100 + "%", width: Math.max(((span.end - span.start) / whole) * 100, 0.6) + "%" }}>
                <span dir="auto">{label}</span><span class="hiddentext">{t.span("", length(span.start, 2), length(span.end, 2))}</span>
              </button>
            </li>
          ))}
        </ul>
        <span class="head" aria-hidden="true" style={{ insetInlineStart: Math.min(time / whole, 1) * 100 + "%" }} />
      </div>
      {rows.length > most && <p class="quiet">{t.more(rows.length - most)}</p>}
    </div>
  );
}
