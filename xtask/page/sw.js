// Keeps the page working without a network after the first visit. Filled in and put beside index.html by
// `cargo xtask serve` and `cargo xtask dist`; `--dev` goes without it.
//
// The network comes first and the stored copy second, so whoever is online never sees an old release. A stored copy is
// always whole: every file of one release, each checked against its hash, or nothing.
"use strict";

const RELEASE = "@RELEASE@";
const FILES = [
  @FILES@
];

// Several copies of the page may live in folders of one origin, and an origin has one cache storage for all of them.
const PREFIX = `barrierscope ${self.registration.scope} `;
const CACHE = PREFIX + RELEASE;

self.addEventListener("install", (event) => event.waitUntil(store()));
self.addEventListener("activate", (event) => event.waitUntil(takeOver()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(self.registration.scope)) {
    event.respondWith(answer(request));
  }
});

async function store() {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES.map(([path, integrity]) => new Request(path, { integrity, cache: "no-cache" })));
  await self.skipWaiting();
}

async function takeOver() {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
  }
  await self.clients.claim();
}

async function answer(request) {
  let response;
  try {
    response = await fetch(request);
  } catch (error) {
    const kept = await stored(request);
    if (kept) return kept;
    throw error;
  }
  // A page that came from the store, or was open while a new release was put in place, asks for files of its own release
  // that the server no longer has: they bear their hash in their names, so a stored one is the right one.
  return response.status === 404 ? ((await stored(request)) ?? response) : response;
}

async function stored(request) {
  const cache = await caches.open(CACHE);
  // "index.html" is stored as the folder, because some servers answer the file's name with a redirect.
  const address = request.url.replace(/\/index\.html(?=[?#]|$)/, "/");
  return cache.match(address, { ignoreSearch: true, ignoreVary: true });
}
