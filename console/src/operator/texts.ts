// Every text of the operators' console that the console of accounts does not have too.
const plural = (n: number, one: string, many: string) => n.toLocaleString() + " " + (n === 1 ? one : many);

export const texts = {
  brand: "Moviola for operators", forOperators: "for operators", configured: "The configured token",
  refused: "Your role as an operator may not see this page.",
  roles: { observer: "Observer", operator: "Operator", owner: "Owner" } as Record<string, string>,
  signIn: {
    token: "Operator's token",
    hint: "It begins with mo_; an owner adds operators. The page keeps no copy: the service gives it a session that ends after twelve hours, or an hour without use.",
    through: (provider: string) => `Sign in through ${provider}`, failed: "Signing in failed. Begin again; the log of the service says why.",
    refusals: {
      oidc_no_role: "The identity provider knows you, but you have no role as an operator here. Whoever runs this service gives roles by the claims of the provider.",
      oidc_unreachable: "The identity provider does not answer. Sign in with an operator's token, or try again later.",
      oidc_refused: "The identity provider has not let you in, or its answer was not right. Begin again; the log of the service says why.",
      oidc_attempt: "This sign-in was not begun in this browser, or longer than ten minutes ago. Begin again.",
      oidc_off: "No identity provider is configured. Sign in with an operator's token.",
    } as Record<string, string>,
  },
  again: {
    title: "Sign in again", text: "This needs a sign-in that is less than five minutes old.", enter: "Sign in and go on", back: "It leads back to this page. Then begin anew what you were about to do.",
  },
  accounts: {
    title: "Accounts", note: "In the order in which they were opened.", open: "Open an account", none: "No accounts yet", noneHint: "Open one: it gets a plan, credits and an admin key.",
    find: "Account", findHint: "The whole id of one.", show: "Show", closed: "Closed", opened: "opened", unnamed: "Without a name",
    name: "Name", plan: "Plan", credits: "Credits", creditsHint: "Granted at once. Leave it empty for 600.", do: "Open", yours: "The new account's admin key", copy: "Copy the key", notNumber: "Write a whole number.",
  },
  account: {
    back: "All accounts", copyID: "Copy the id", credits: "Credits", available: "may be spent", suspended: "The balance is zero: nothing may be submitted until credits are granted.",
    blocked: "Nothing may be stored in the media library until credits are granted.", closed: "This account is closed for ever.",
    balance: "Balance", held: "Held", granted: "Granted so far", charged: "Spent so far", facts: "Facts", id: "Id", plan: "Plan", opened: "Opened", closedAt: "Closed", cleared: "Files removed",
    grant: "Grant credits", amount: "Amount", reference: "Reference", referenceHint: "Such as an order number. The same reference grants once.", pack: "A bought pack: movies may be longer",
    grantTitle: (n: string, name: string) => `Grant ${n} credits to ${name}?`, grantText: (reference: string) => `Reference ${reference}. Credits that were granted cannot be taken back.`, grantYes: "Grant", grantedNow: (n: string) => `${n} credits were granted.`,
    change: "Change plan", changed: "The plan was changed.", changeHint: "What is submitted from a second later on is held against it.",
    close: "Close account", closeTitle: (name: string) => `Close ${name} for ever?`,
    closeText: "Its keys open nothing any more, movies that are not finished are cancelled, and everything that is stored for it is removed. This cannot be undone.",
    closeType: "The account's id, to be sure", closeDiffers: "This is not the id of the account.", closedNow: "The account was closed.",
    keys: "API keys", noKeys: "No keys", acts: "What operators did", noActs: "Nothing yet.",
    usage: "The last 30 days", noUsage: "Nothing was done in the last 30 days.", day: "Day", submitted: "Submitted", rendered: "Rendered", failed: "Failed", spent: "Credits", minutes: "Minutes",
  },
  stuck: {
    title: "Stuck work", note: "What has failed ten times in a row for its own reasons. It is tried again all the same, at least once a minute.", none: "Nothing is stuck", reload: "Look again",
    retry: "Try anew", retryAll: "Try all anew", retried: (n: number) => plural(n, "piece of work is", "pieces of work are") + " tried within a minute.", drop: "Give up",
    retryAllTitle: (n: number) => `Try ${plural(n, "piece of work", "pieces of work")} anew?`, retryAllText: "Their failures are forgotten.",
    dropTitle: (subject: string) => `Give up ${subject}?`, dropText: "What it is about ends as failed: a movie with status error, its credits given back; a delivery or an item of a batch with an error. This cannot be undone.", dropped: "It was given up.",
    failures: (n: number) => plural(n, "failure", "failures"), since: "since", last: "last", account: "account", must: "It has to be done and cannot be given up.",
  },
  operators: {
    title: "Operators", note: "Each has a token of their own, and acts bear its name. Whoever has the token of the configuration is an owner and not listed.", add: "Add an operator",
    none: "Nobody has a token of their own", noneHint: "Add yourself as an owner, then keep the configured token for emergencies.", own: "this session", added: "added",
    renew: "Renew token", renewTitle: (name: string) => `Give ${name} another token?`, renewText: "The token that they have opens nothing any more, and their sessions end.",
    revoke: "Revoke", revokeTitle: (name: string) => `Revoke ${name}?`, revokeText: "Their token opens nothing any more, and their sessions end.", revokeOwn: "This is you: revoking your token signs you out.", revoked: "The operator was revoked.",
    name: "Name", nameHint: "Letters, digits, dots, @, - and _. It stands in the list of acts.", role: "Role", token: (name: string) => `The token of ${name}`, copy: "Copy the token",
    roleHints: { observer: "Reads.", operator: "Also acts: accounts, plans, credits, keys, stuck work, the library.", owner: "Also adds, renews and revokes operators." } as Record<string, string>,
  },
  sessions: {
    title: "Open sessions", note: "Who has signed in to this console, the newest first. A session ends after twelve hours, an hour without use, or by an owner.", none: "Nobody has signed in through this version of the service yet.",
    began: "began", end: "End", endTitle: (name: string) => `End the session of ${name}?`, endText: "It opens nothing from the next call on, in every process. Who may sign in stays as it is: revoke a token, or take the role away at the identity provider, too.", ended: "The session has ended.",
  },
  acts: {
    title: "Acts", note: "What operators have done, the newest first. Every act is recorded before it is done: one that was refused is here too.", on: "Only what was done to", onHint: "An account, a key, or a piece of work; its whole id.", filter: "Filter", clear: "Show all",
    none: "No acts yet", noneFound: "Nothing was done to it", by: "by", refused: "Refused",
  },
  queue: {
    title: "Queue", note: "What waits for a slot, and what is being done.", reload: "Look again", renders: "Renders", waiting: "Waiting", running: "Running", wanted: (n: number) => plural(n, "render slot", "render slots") + " could be used now.",
    oldest: "Oldest", kinds: "Kinds of work", kind: "Kind", role: "Done by", accounts: "Shares of accounts", account: "Account", share: "Share", idle: "Nothing waits and nothing runs", own: "the service itself",
    more: (n: number) => `and ${plural(n, "further share", "further shares")}`, shareOf: (account: string, percent: number) => `${account} has ${percent} % of it`, quiet: "All other kinds are idle.",
    kindNames: {
      fetch: "Fetch sources", render: "Render", preload: "Prepare assets", deliver: "Deliver", settle: "Settle credits", timeout: "Time out", stop: "Stop renders", abandon: "Close abandoned holds", expire: "Remove expired files",
      move: "Finish moves", media: "Remove media", confirm: "Confirm uploads", sweep: "Clear temporary media", batch: "Batches of preloads", complete: "Submit batches", zero: "Zero balances", purge: "Purge files", close: "Close accounts",
    } as Record<string, string>,
  },
  workers: {
    title: "Workers", note: "The processes of the installation, and what they do now.", reload: "Look again", none: "No process has been heard of", noneHint: "Processes say every ten seconds that they are there.", silent: "Silent", silentHint: "It has claimed work and was not heard of. The work goes to another process.",
    alive: "Alive", roles: "Roles", version: "Version", started: "Started", disk: "Free disk", slots: "Slots", doing: "Doing now", idle: "Nothing at the moment.", work: "Work", account: "Account", since: "Since", progress: "Progress", attempt: (n: number) => `attempt ${n}`,
    diskOf: (free: string, total: string) => `${free} of ${total}`, used: (n: number, of: number) => `${n} of ${of}`, sandbox: "Sandbox", program: "Program", layer: (name: string) => name.replaceAll("_", " "), noSandbox: "It renders nothing, and starts no program.",
    partly: "A program runs outside of a layer. The command moviola doctor says how to get it.", progressOf: (name: string) => `Progress of ${name}`,
  },
  storage: {
    title: "Storage", note: "What each process keeps, and the bounds of it.", place: "Place", kept: "Kept", files: "Files", forAll: "Most for all", forOne: "Most for an account", refused: "Refused", none: "no bound", unknown: "not counted",
    hint: "What is kept is counted where there is a bound for all accounts.", disk: "Disk", free: (free: string, total: string) => `${free} free of ${total}`, usedOf: (name: string) => `Used part of the disk of ${name}`,
    places: { files: "Media of accounts", renders: "Rendered files", sources: "Downloaded sources", parts: "Rendered parts", speech: "Spoken texts", images: "Generated images" } as Record<string, string>,
  },
  models: {
    title: "Read models", note: "What lists are answered from. They are folded from the log and can be made anew at any time.", reload: "Look again", upToDate: "Up to date", behind: "Behind", lag: "Lag", events: (n: number) => plural(n, "event", "events") + (n >= 10000 ? " or more" : ""),
    seconds: (n: number) => (n < 1 ? "less than a second" : plural(Math.round(n), "second", "seconds")), position: "Place in the log", of: (at: string, head: string) => `${at} of ${head}`, generation: "Generation", models: "Models", name: "Name", collection: "Collection", shape: "Shape", state: "State",
    building: "is being built", current: "current", failing: (why: string) => `The read models are not brought up to date: ${why}`, all: "Rebuild all", one: "Rebuild", oneOf: (name: string) => `Rebuild ${name}`,
    allTitle: "Make all read models again?", oneTitle: (name: string) => `Make ${name} again?`, text: "They are read from the log, beside those in use, by one process. Lists go on meanwhile. On a large installation it takes its time.", begun: "The rebuild has begun.",
    last: "Last rebuild", running: "Running", done: "Done", failed: "Failed", what: "What", everything: "all", started: "Started", ended: "Ended", progress: "Progress of the rebuild", behindShort: "Lag",
  },
  configuration: {
    title: "Configuration", note: (process: string, version: string) => `As it is in force in ${process}, version ${version}. Secrets are hidden.`, filter: "Filter settings", changed: "Only what is not the default", name: "Setting", value: "Value", source: "From", none: "No setting fits", empty: "empty",
  },
  plans: {
    title: "Plans", note: "Built in, or from the file that --plans names.", name: "Name", length: "Longest movie", pack: "with a pack", size: "Largest picture", movies: "Movies a month", drafts: "Drafts a month", email: "E-mails a day", previews: "Previews an hour", outputs: "Outputs", history: "Events in the log", installation: "as --history says", forever: "for ever", days: "days", hours: "hours", counted: "counted", credits: "by credits", no: "none",
  },
};
