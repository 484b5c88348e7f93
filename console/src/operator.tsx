// Begins the console of operators: it draws the app into the page.
import { render } from "preact";
import { App } from "./operator/app";

render(<App />, document.getElementById("app")!);
