// @ts-self-types="./labgen.d.ts"
// Reads a directory of laboratories: `directory(address)` returns an object with a function for each task, see
// labgen.d.ts beside this file and the reference of the site. Without an address, it reads the site that this file is from.
// It reads documents by their paths, so it reads each site with this API; names between @ are those of the site.
const API = "api/v1/laboratory/", DOCUMENT = "@DOCUMENT@", DIRECTORY = "@DIRECTORY@";

/** The sections of a laboratory on the site that this file is from, in their order. */
export const SECTIONS = @SECTIONS@;

/** An answer that is no document: `status` says why, and `detail` in the language of the site. */
export class DirectoryError extends Error {
  constructor(url, status, detail) {
    super(`${url}: HTTP ${status}${detail && `, ${detail}`}`);
    Object.assign(this, { name: "DirectoryError", url, status, detail });
  }
}

/** Returns the e-mail address or telephone number in `encoded_email` and `encoded_phone`, "" if there is none. */
export const decode = codes => codes ? String.fromCodePoint(...codes.split(",")) : "";

const mayPass = status => status === 429 || status >= 500;
const parsed = text => { try { return JSON.parse(text); } catch { return undefined; } };
const segment = (text, pattern, what) => {
  if (typeof text === "string" && pattern.test(text)) return text;
  throw new TypeError(`${JSON.stringify(text)} is not ${what}`);
};

/** Returns the reason in an error document: `{detail}`, or texts by the names of arguments. */
const detailOf = document => document?.detail
  ?? (typeof document === "object" ? Object.entries(document ?? {}).map(([name, texts]) => `${name}: ${[texts].flat().join(" ")}`).join("; ") : "");

const orMissing = error => { if (error.status !== 404) throw error; };

function pause(time, signal) {
  return new Promise((done, failed) => {
    signal?.throwIfAborted();
    const stop = () => { clearTimeout(timer); failed(signal.reason); };
    const timer = setTimeout(() => { signal?.removeEventListener("abort", stop); done(); }, time);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Ends with a promise, or as soon as the signal says so. */
async function until(promise, signal) {
  if (!signal) return promise;
  promise.catch(() => null);  // what fails after the signal is not told
  signal.throwIfAborted();
  let stop;
  const stopped = new Promise((_, failed) => signal.addEventListener("abort", stop = () => failed(signal.reason), { once: true }));
  return Promise.race([promise, stopped]).finally(() => signal.removeEventListener("abort", stop));
}

let failures = 0;

/** Imports a module. Where that fails, `read` waits for the host; then another address is imported, since browsers keep what failed, or the text, for node. */
async function imported(url, read) {
  const from = address => import(/* @vite-ignore */ /* webpackIgnore: true */ address);
  try {
    return await from(url);
  } catch {
    const text = await read();
    return from(`${url}?${++failures}`).catch(() => from("data:text/javascript," + encodeURIComponent(text))).catch(() => {
      throw new Error(`${url} cannot be imported here: save it, and give its \`searcher\` to directory()`);
    });
  }
}

function queryOf(query) {
  if (typeof query === "string" && /^[^=?/]+$/.test(query)) throw new TypeError(`${JSON.stringify(query)} has no parameter; words are { q: ${JSON.stringify(query)} }`);
  if (typeof query !== "object" || query instanceof URL || query instanceof URLSearchParams) return query;
  return new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]));
}

export function directory(site = new URL(/* @vite-ignore */ ".", import.meta.url), { fetch = globalThis.fetch, attempts = 3, wait = 200, searcher } = {}) {
  const root = new URL(site);
  root.search = root.hash = "";
  if (!root.pathname.endsWith("/")) root.pathname += "/";
  const address = path => new URL(path, root).href;

  /** Returns an answer and its text; asks again where a host failed or answered nothing. */
  async function ask(path, signal) {
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await fetch(address(path), { signal, headers: { Accept: "application/json" } });
        const body = await answer.text();
        if (attempt >= attempts || !mayPass(answer.status)) return [answer, body];
      } catch (error) {
        if (attempt >= attempts || signal?.aborted) throw error;
      }
      await pause(wait * 2 ** (attempt - 1), signal);
    }
  }

  async function text(path, signal) {
    const [answer, body] = await ask(path, signal);
    if (answer.ok) return body;
    throw new DirectoryError(answer.url || address(path), answer.status, detailOf(parsed(body)));
  }

  async function get(path, { signal } = {}) {
    const found = parsed(await text(path, signal));
    if (found === undefined) throw new DirectoryError(address(path), 200, "the answer is not JSON");
    return found;
  }

  const document = (path, options) => get(path + DOCUMENT, options);
  const folder = id => `${segment(id, /^[0-9]+$/, 'a display_id, a text of digits such as "00123"')}/`;
  const pathOf = id => `${API}laboratories/${folder(id)}`;
  const laboratory = async (id, options) => document(pathOf(id), options);
  const section = async (id, name, options) => document(`${pathOf(id)}${segment(name, /^\w+$/, "the name of a section")}/`, options);

  async function* listed(path, options) {
    while (path) {
      const page = await document(path, options);
      yield* page.results;
      path = page.next;
    }
  }

  async function entries(path, options) {
    const found = [];
    for await (const one of listed(path, options)) if (one.count) found.push(one);
    return found;
  }

  async function all(id, options) {
    const whole = DIRECTORY && await document(`${DIRECTORY}laboratories/${folder(id)}`, options).catch(orMissing);
    if (whole) return whole;
    const found = { laboratory: await laboratory(id, options) };
    const sections = await Promise.all(SECTIONS.map(async name => [name, await section(id, name, options)]));
    return Object.assign(found, Object.fromEntries(sections));
  }

  async function catalogue(name, options) {
    const own = segment(name, /^\w+$/, "the name of a catalogue");
    const found = DIRECTORY && await entries(`${DIRECTORY}${own}/`, options).catch(orMissing);
    if (found) return found;
    const values = await searched(run => run.values(own), options?.signal);
    if (!values) throw new DirectoryError(address("search/"), 404, `the site has no catalogue "${own}"`);
    const order = new Intl.Collator("de");
    return values.sort((a, b) => order.compare(a.title, b.title));
  }

  async function changes(before = {}, options) {
    const { parts } = await document(`${DIRECTORY}changes/`, options);
    const now = Object.fromEntries(await Promise.all(parts.map(async ({ path, digest }) => {
      if (before[path]?.digest === digest) return [path, before[path]];
      const { laboratories } = await document(path, options);
      return [path, { digest, laboratories: Object.fromEntries(laboratories.map(one => [one.display_id, one.digest])) }];
    })));
    const [had, has] = [before, now].map(some => Object.assign({}, ...Object.values(some).map(one => one.laboratories)));
    return { now, changed: Object.keys(has).filter(id => has[id] !== had[id]), gone: Object.keys(had).filter(id => !(id in has)) };
  }

  let searching, waiting = 0;
  const file = async name => {  // all searches share files: none is read that no search waits for
    if (waiting) return text(name);
    throw new Error("the search was ended");
  };

  /** Has work done by the client of the search. */
  async function searched(work, signal) {
    searching ??= (searcher ? Promise.resolve({ searcher }) : imported(address("search/client.js"), () => text("search/client.js")))
      .then(client => client.searcher(file));
    searching.catch(() => { searching = undefined; });
    waiting++;
    return until(searching.then(work), signal).finally(() => waiting--);
  }

  async function search(query = "", { signal } = {}) {
    const { status, document } = await searched(run => run(queryOf(query)), signal);
    if (status !== 200) throw new DirectoryError(address("search/"), status, detailOf(document));
    return document;
  }

  async function suggest(text, query = "", { signal, only = "" } = {}) {
    return (await searched(run => run.suggest(text, queryOf(query), only), signal)).suggestions;
  }

  return {
    address, laboratories: options => listed(`${API}laboratories/`, options), laboratory, section, all, catalogue, changes, search, suggest,
    newLaboratories: async options => document(`${API}laboratories/new/`, options),
    upgradeOptions: async options => document(`${API}upgrade-options/`, options),
    srcset: one => (one.logo_url ? [[one.logo_url, "1x"], [one.logo2x_url, "2x"]] : [[one.preview_url, "160w"], [one.large_url, "1600w"]])
      .map(([path, size]) => `${address(path)} ${size}`).join(", "),
  };
}
