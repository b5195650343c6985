"use strict";

// A worker that all pages of a browser share: one connection, by which the server says what
// changed, however many boards are open. It ends with the last of these pages.
const pages = new BroadcastChannel(location.href);
let source = null;
let last = null;

function connect() {
  source = new EventSource(new URL("../events", location.href));
  source.onmessage = (event) => {
    last = event.data;
    pages.postMessage(last);
  };
  source.onerror = () => {
    // after an answer that is no stream, as of a proxy while the server starts, browsers give up
    if (source.readyState === EventSource.CLOSED) setTimeout(connect, 5000 + 5000 * Math.random());
  };
}

self.onconnect = ({ ports: [page] }) => {
  if (source === null) connect();
  if (last !== null) page.postMessage(last);
};
