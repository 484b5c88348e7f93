// Renders movies with the official Node SDK, json2video-sdk, the way its README shows, and looks at what comes of them.
'use strict';

const assert = require('assert');
const https = require('https');
const { Movie, Scene } = require('json2video-sdk');

function movie(key) {
  const scene = new Scene();
  scene.set('background_color', '#2060C0');
  scene.set('duration', 1.5);
  scene.addElement({ type: 'text', text: 'Rendered by a client', duration: 1 });
  scene.setTransition('fade', 0.2);
  const m = new Movie();
  m.setAPIKey(key);
  m.set('resolution', 'custom');
  m.set('width', 320);
  m.set('height', 180);
  m.set('quality', 'low');
  m.set('comment', 'x'.repeat(12000)); // the SDK takes the first TLS record for the whole answer: 16 KB, whoever sends it
  m.addScene(scene);
  return m;
}

function download(url) {
  return new Promise((resolve, reject) => {
    https.get(url, (res) => {
      const parts = [];
      res.on('data', (part) => parts.push(part));
      res.on('end', () => resolve({ status: res.statusCode, body: Buffer.concat(parts) }));
    }).on('error', reject);
  });
}

async function renders() {
  const m = movie(process.env.CLIENT_KEY);
  const accepted = await m.render();
  assert.strictEqual(accepted.success, true, JSON.stringify(accepted));
  assert.strictEqual(accepted.project.length, 16);
  const seen = [];
  const finished = await m.waitToFinish((answer) => seen.push(answer.movie.status));
  assert.strictEqual(finished.movie.status, 'done', finished.movie.message);
  assert.strictEqual(finished.movie.width, 320);
  assert.strictEqual(finished.movie.duration, 1.52); // 37.5 frames of 25 a second are 38
  const file = await download(finished.movie.url);
  assert.strictEqual(file.status, 200);
  assert.strictEqual(file.body.length, finished.movie.size);
  assert.strictEqual(file.body.toString('latin1', 4, 8), 'ftyp');
  // The SDK keeps the project in the movie, and sends it along when the same movie is rendered again.
  const again = await m.render();
  assert.strictEqual(again.success, true, JSON.stringify(again));
  assert.notStrictEqual(again.project, accepted.project);
  return `${accepted.project}: ${seen.join(', ')}; ${file.body.length} bytes`;
}

async function refuses() {
  const stranger = await movie('not a key').render();
  assert.deepStrictEqual([stranger.success, stranger.message], [false, 'Invalid or missing API key']);
  const empty = new Movie();
  empty.setAPIKey(process.env.CLIENT_KEY);
  const refused = await empty.render();
  assert.deepStrictEqual([refused.success, refused.code], [false, 'movie_json_invalid']);
}

(async () => {
  await refuses();
  console.log('json2video-sdk 2.0.0 rendered', await renders());
})().catch((err) => {
  console.error(err);
  process.exit(1);
});
