// Movies to begin with, from the gallery, and pieces to put into one.
import hello from "../../docs/gallery/01-hello.json";
import settings from "../../docs/gallery/15-text-settings.json";
import scripts from "../../docs/gallery/16-scripts.json";
import settle from "../../docs/gallery/17-style-moviola-settle.json";
import type_ from "../../docs/gallery/17-style-moviola-type.json";
import counter from "../../docs/gallery/21-advanced-060.json";
import rating from "../../docs/gallery/21-advanced-070.json";
import card from "../../docs/gallery/21-basic-000.json";
import table from "../../docs/gallery/21-basic-125.json";
import page from "../../docs/gallery/31-page.json";
import animate from "../../docs/gallery/33-animate.json";
import repetition from "../../docs/gallery/39-repetition.json";
import transition from "../../docs/gallery/52-transition-duration.json";

export const examples: string[] = [hello, settings, scripts, settle, type_, counter, rating, card, table, page, animate, repetition, transition];

// titleOf is how an example says what it shows.
export const titleOf = (text: string): string => JSON.parse(text).comment ?? "";

export const blank = '{\n  "resolution": "full-hd",\n  "scenes": [\n    {\n      "duration": 4,\n      "background-color": "#1b1b3a",\n      "elements": [\n        {\n          "type": "text",\n          "text": "Hello"\n        }\n      ]\n    }\n  ]\n}\n';

export const snippets: [name: string, text: string][] = [
  ["scene", '{\n  "duration": 3,\n  "elements": []\n}'],
  ["text", '{\n  "type": "text",\n  "text": "Hello",\n  "settings": {\n    "font-size": "8vw"\n  }\n}'],
  ["image", '{\n  "type": "image",\n  "src": "https://"\n}'],
  ["video", '{\n  "type": "video",\n  "src": "https://"\n}'],
  ["audio", '{\n  "type": "audio",\n  "src": "https://",\n  "volume": 0.5\n}'],
  ["voice", '{\n  "type": "voice",\n  "text": "Hello and welcome."\n}'],
  ["webhook", '"exports": [\n  {\n    "destinations": [\n      {\n        "type": "webhook",\n        "endpoint": "https://"\n      }\n    ]\n  }\n]'],
];
