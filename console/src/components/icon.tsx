// Small pictures, drawn in the colour of the text around them. They say nothing that a text beside them does not.
const paths = {
  play: "M8 5v14l11-7z",
  film: "M4 5h16v14H4zM4 9h16M4 15h16M8 5v4M8 15v4M16 5v4M16 15v4",
  pen: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  grid: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  folder: "M3 6h6l2 2h10v11H3z",
  user: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 20a8 8 0 0 1 16 0",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  rows: "M4 6h16M4 12h16M4 18h16",
  chart: "M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6",
  send: "M4 12l16-8-6 16-3-6zM11 14l9-10",
  key: "M8 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 12h9v4M17 12v3",
  plus: "M12 5v14M5 12h14",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  trash: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13",
  again: "M20 12a8 8 0 1 1-3-6.200M20 3v5h-5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  warning: "M12 4l9 16H3zM12 10v4M12 17v.5",
  check: "M5 12l5 5 9-10",
  close: "M6 6l12 12M18 6L6 18",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" focusable="false">
      <path d={paths[name]} fill={name === "play" ? "currentColor" : "none"} stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
