// Preloaded before a client: its https calls to the service it was written for go to CLIENT_BASE instead. Its own files stay as they
// are. A call to anybody else is an error.
'use strict';

const http = require('http');
const https = require('https');

const base = new URL(process.env.CLIENT_BASE);

https.request = function (options, answered) {
  if (options.hostname !== 'api.json2video.com') {
    throw new Error(`a call to ${options.hostname}`);
  }
  return http.request({ ...options, hostname: base.hostname, port: base.port }, answered);
};
