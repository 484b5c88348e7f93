// Every text of the console. Texts of the interface (messages, warnings, remedies) come from the service.
const plural = (n: number, one: string, many: string) => n + " " + (n === 1 ? one : many);

export const texts = {
  frame: {
    skip: "Skip to the page", pages: "Pages", signOut: "Sign out", docs: "API reference",
  },
  roles: { viewer: "Viewer", render: "Render", editor: "Editor", manager: "Manager", admin: "Admin" } as Record<string, string>,
  states: {
    loading: "Loading…", retry: "Try again", more: "Show more", cancel: "Cancel", close: "Close", copied: "Copied", none: "none",
  },
  errors: {
    unreachable: "The service cannot be reached. Check the connection, then try again.",
    status: (n: number) => `The service answered ${n}. Try again.`,
    role: "Your key's role may not see this page.",
    noPage: "There is no such page.",
  },
  signIn: {
    title: "Sign in", key: "API key", enter: "Sign in",
    hint: "It begins with mv_. The page keeps no copy: the service gives it a session that ends after twelve hours, or an hour without use.",
    ended: "Your session has ended. Please sign in again.",
  },
  movies: {
    title: "Movies", write: "Write a movie", all: "All states", list: "Movies, newest first",
    none: "No movies yet", noneHint: "What you render stands here, with its picture and how far it is.",
    noneFound: "No movie fits", noneFoundHint: "Change the filters, or take them away.",
    untitled: "Untitled movie", clear: "Clear filters",
    filters: "Filters", status: "State", from: "From", to: "Until", search: "Project",
    searchHint: "All 16 characters",
    credits: (n: number) => plural(n, "credit", "credits"),
    progress: (name: string) => `Progress of ${name}`,
    warnings: (n: number) => plural(n, "warning", "warnings"),
    picture: "No picture",
  },
  status: { pending: "Waiting", running: "Rendering", done: "Done", error: "Failed", timeout: "Timed out" } as Record<string, string>,
  movie: {
    back: "All movies", video: (name: string) => `The video of ${name}`, noVideo: "The file is not kept any more.", waiting: "It waits for its turn.", rendering: "It is being rendered.",
    facts: "Facts", project: "Project", own: "Own id", created: "Submitted", started: "Started", ended: "Ended", took: "Rendering time",
    length: "Length", size: "Picture", bytes: "File", credits: "Credits", loudness: "Loudness", draft: "Draft", yes: "yes",
    data: "Client data", warnings: "Warnings", json: "JSON", copyJSON: "Copy the JSON", copyProject: "Copy the project",
    events: "What happened", noEvents: "Nothing has happened yet.",
    deliveries: "Deliveries", attempts: (n: number) => plural(n, "try", "tries"), redeliver: "Deliver again", redeliverAll: "Deliver all again",
    redelivered: "The delivery is open again.",
    download: "Download", again: "Edit and render again", captions: "Captions",
    cancel: "Cancel render", cancelTitle: "Cancel this render?", cancelText: "It ends now, and the credits that were held for it are released.", cancelled: "The render was cancelled.",
    remove: "Delete file", removeTitle: "Delete the file of this movie?", removeText: "The file, its picture and its captions are removed. The movie stays in the list.", removed: "The file was deleted.",
    copyID: "Copy",
  },
  events: {
    MovieSubmitted: "Submitted", SourcesFetchStarted: "Fetching sources", SourcesFetchReleased: "Fetching was handed back", SourcesFetched: "Sources are there",
    RenderStarted: "Rendering", RenderReleased: "The render was handed back", RenderFinished: "Render ended", RenderTimedOut: "Timed out",
    MovieCancelled: "Cancelled", FileDeleted: "File deleted", DeliveryStarted: "Delivering", DeliveryAttempted: "Tried to deliver",
    DeliveryReleased: "The delivery was handed back", DeliveryFinished: "Delivered", RedeliveryRequested: "Delivery asked for again",
  } as Record<string, string>,
  event: {
    attempt: (n: number) => `attempt ${n}`, try: (n: number) => `try ${n}`, worker: (name: string) => `by ${name}`,
    credits: (n: number) => plural(n, "credit", "credits"), reason: { user: "by its owner", expired: "its time was over", purged: "no credits were left" } as Record<string, string>,
    destination: (n: number) => `destination ${n + 1}`, ms: (n: number) => `${n} ms`,
    ok: "ok", failed: "failed",
  },
  write: {
    title: "Write", render: "Render", submitted: "The movie was submitted.",
    begin: "Begin with…", blank: "A new movie", examples: "Examples", pieces: "Put in at the cursor", piece: (name: string) => "a " + name,
    problems: "What is wrong", checking: "Checking…", unchecked: "It could not be checked.", fine: "Nothing is wrong",
    errors: (n: number) => plural(n, "mistake", "mistakes"), warnings: (n: number) => plural(n, "hint", "hints"),
    line: (n: number) => `line ${n}`, length: (text: string, exact: boolean) => (exact ? text : "at least " + text),
    price: (text: string, n: number, exact: boolean) => (exact ? "" : "at least ") + text + (n === 1 ? " credit" : " credits"),
  },
  editor: {
    label: "The movie as JSON", deprecated: "deprecated", standard: (text: string) => `Unless it says otherwise: ${text}`,
  },
  preview: {
    title: "Preview", picture: (at: string) => `The movie at ${at}`, moment: "Moment", at: (at: string, of: string) => `${at} of ${of}`,
    none: "The picture comes when nothing is wrong.", drawing: "Drawing…", load: "Load sources",
    missing: (n: number) => plural(n, "placeholder", "placeholders"),
  },
  timeline: {
    title: "Time line", scene: (n: number) => `Scene ${n}`, element: (type: string, n: number) => `${n} ${type}`,
    span: (name: string, from: string, to: string) => `${name} ${from} to ${to}`.trim(), more: (n: number) => `and ${n} more`,
  },
};
