// Begins the console: it draws the app into the page.
import { render } from "preact";
import { App } from "./app";

render(<App />, document.getElementById("app")!);
