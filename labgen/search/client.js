// Searches the laboratories of a site from its files: `searcher(read)` returns an async function from a query string
// to {status, document}. `read` returns the text of a file by its name below the root of the site, or null where there
// is none. The files and the rules are described in README.md beside this file; labgen.search in Python is the same.
const VERSION = 1, MOST_VALUES = 8, FEW_IN_SAMPLE = 16, LONGEST_QUERY = 2000, MOST_QUERY_WORDS = 16;
const MOST_WORDS = 32, MOST_LEAVES = 8, MOST_NEAR = 4, LEAST_PART = 4, MOST_LETTERS = 64, LEAST_FOR_SLIP = 5, LEAST_FOR_TWO_SLIPS = 9;
const PART = "~";
const LETTERS = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" };
const UMLAUTS = { ä: "ae", ö: "oe", ü: "ue" };
const STOP_WORDS = new Set(("und oder der die das den dem des ein eine einer eines einem einen im in an am auf aus bei mit nach von " +
  "vom vor zu zum zur fuer fur ueber uber durch als ist sind wir sie ihr unser the of and for in to on by with from").split(" "));
const CHUNK = /[\p{L}\p{N}]+(?:[-./:+][\p{L}\p{N}]+)*/gu;
const PREFIXED = /(^|[^\p{L}\p{N}])([a-zäöüß]{2,})(?=[0-9]{3})/gu;
const INVISIBLE = /[\u00ad\u200b\u200c\u200d\u2060\ufeff]/g;
const isWord = term => !/[0-9]/.test(term);
const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
const unique = some => [...new Set(some)];
const length = text => [...text].length;

const withoutAccents = text => text.replace(/[ßæœøłđðþı]/g, letter => LETTERS[letter]).normalize("NFKD").replace(/\p{M}/gu, "");
const normal = text => text.replace(INVISIBLE, "").toLowerCase().normalize("NFC");

/** Returns a text in lower case without accents: with ä as a, and with ä as ae where that differs. */
export function foldings(text) {
  const low = text.toLowerCase().normalize("NFC");
  return unique([withoutAccents(low), withoutAccents(low.replace(/[äöü]/g, letter => UMLAUTS[letter]))]);
}

function cut(term) {
  const letters = [...term];
  if (letters.length <= MOST_LETTERS) return term;
  const begin = letters.slice(0, MOST_LETTERS + 1).join(""), joint = begin.lastIndexOf("-");
  return joint > 0 ? begin.slice(0, joint) : letters.slice(0, MOST_LETTERS).join("");
}

/** Returns the words of a query, each in its one or two foldings, without stop words and repetitions. */
export function queryWords(query) {
  const words = new Map();
  for (const [chunk] of normal(query).matchAll(CHUNK)) {
    for (const word of isWord(chunk) ? chunk.split(/[-./:+]/) : [chunk.replace(/[-./:+]/g, "-")]) {
      const forms = unique(foldings(word).map(cut));
      if (!forms.some(form => STOP_WORDS.has(form)) && !words.has(forms[0])) words.set(forms[0], forms);
    }
  }
  return [...words.values()];
}

const partsOfNumber = word => word.replace(PREFIXED, "$1$2-").split("-").filter(part => length(part) > 2);

function unpack(packed) {
  const slots = [];
  if (typeof packed === "string") {
    const bytes = atob(packed);
    for (let at = 0; at < bytes.length; at++)
      for (let byte = bytes.charCodeAt(at), bit = 0; byte; byte >>= 1, bit++) if (byte & 1) slots.push(8 * at + bit);
    return slots;
  }
  let slot = 0;
  for (const step of packed ?? []) slots.push(slot += step);
  return slots;
}

function union(lists) {
  const some = lists.filter(list => list.length);
  if (some.length < 2) return some[0] ?? [];
  const marks = new Uint8Array(Math.max(...some.map(list => list.at(-1))) + 1), slots = [];
  for (const list of some) for (const slot of list) marks[slot] = 1;
  for (let slot = marks.indexOf(1); slot >= 0; slot = marks.indexOf(1, slot + 1)) slots.push(slot);
  return slots;
}

function both(a, b) {
  const slots = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) { slots.push(a[i++]); j++; } else if (a[i] < b[j]) i++; else j++;
  }
  return slots;
}

const intersection = lists => [...lists].sort((a, b) => a.length - b.length).reduce(both);

function isNear(one, other, most) {
  const a = [...one], b = [...other];
  if (Math.abs(a.length - b.length) > most) return false;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j), before = null;
  for (let i = 1; i <= a.length; i++) {
    const now = [i];
    for (let j = 1; j <= b.length; j++) {
      now[j] = Math.min(row[j] + 1, now[j - 1] + 1, row[j - 1] + (a[i - 1] !== b[j - 1]));
      if (before && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) now[j] = Math.min(now[j], before[j - 2] + 1);
    }
    before = row; row = now;
    if (Math.min(...row) > most) return false;
  }
  return row[b.length] <= most;
}

/** Reads the files of an index, each once; one that could not be read is asked for again. */
function filesOf(read) {
  const known = new Map();
  const siteFile = name => {
    if (!known.has(name)) {
      const found = Promise.resolve(name).then(read).then(text => text === null ? null : JSON.parse(text));
      known.set(name, found);
      found.catch(() => known.delete(name));
    }
    return known.get(name);
  };
  const get = name => siteFile("search/" + name);
  const leavesOf = async map => await get(`${map}/_.json`) ?? [];
  const leaf = async (map, number) => {
    const first = (await leavesOf(map))[number];
    return first === undefined ? {} : await get(`${map}/${Array.isArray(first) ? first[1] : first}.json`) ?? {};
  };
  const place = async (map, key) => {
    const leaves = await leavesOf(map);
    let low = 0, high = leaves.length;
    while (low < high) {
      const middle = low + high >> 1, first = leaves[middle];
      if ((Array.isArray(first) ? first[0] : first) <= key) low = middle + 1; else high = middle;
    }
    return Math.max(0, low - 1);
  };
  const find = async (map, key) => {
    const entries = await leaf(map, await place(map, key));
    const value = Object.hasOwn(entries, key) ? entries[key] : null;
    if (!value?.file) return value;
    const own = await get(`${map}/${value.file}.json`);
    return own && typeof own === "object" && !Array.isArray(own) ? { ...value, ...own } : own;
  };
  const keysFrom = async (map, start, most = 3) => {
    const at = await place(map, start), keys = [];
    for (let number = at; number < at + most; number++) {
      const some = Object.keys(await leaf(map, number));
      keys.push(...some.filter(key => key.startsWith(start)).sort(compare));
      if (!some.length || some.some(key => key > start && !key.startsWith(start))) break;
    }
    return keys;
  };
  return {
    siteFile, get, find, keysFrom,
    slots: async (facet, value) => unpack((await find(`facets/${facet}`, value))?.labs),
    card: async (slot, perFile) => (await get(`cards/${Math.floor(slot / perFile)}.json`))?.[slot],
  };
}

/** Returns what a word of a query, in its foldings, finds: {slots, named, isCommon, instead}. */
async function lookUp(files, forms, hasTexts) {
  const nothing = { slots: [], named: [], isCommon: false, instead: [] };
  const merge = async values => {
    const found = values.filter(Boolean);
    const entries = found.flatMap(one => Object.entries(one.see ?? {}).flatMap(([facet, some]) => some.map(value => files.slots(facet, value))));
    const named = found.map(one => unpack(one.named));
    return { ...nothing, slots: union([...found.map(one => unpack(one.labs)), ...named, ...await Promise.all(entries)]),
      named: union(named), isCommon: found.some(one => one.is_common) };
  };
  const beginWith = async (map, form) => {
    const found = await Promise.all((await files.keysFrom(map, form, MOST_LEAVES)).map(key => files.find(map, key)));
    return found.map(one => one === true ? { is_common: true } : { labs: one });
  };
  const valueOf = async form => await files.find("words", form) ?? (isWord(form) ? files.find("words", PART + form) : null);
  const withEnd = async ends => (await Promise.all(ends.map(async end => (await files.find("ends", end) ?? []).map(head => head + end)))).flat();
  const containing = async part => {
    if (length(part) < LEAST_PART) return [];
    const [begin, inside] = await Promise.all([files.keysFrom("words", part), files.keysFrom("ends", part).then(withEnd)]);
    const least = [];
    for (const key of unique([...begin.filter(isWord), ...inside]).sort((a, b) => length(a) - length(b))) {
      if (least.length === MOST_WORDS) break;
      if (!least.some(one => length(one) >= LEAST_PART && key.includes(one))) least.push(key);
    }
    return least;
  };
  const number = !isWord(forms[0]);
  const [values, numbers, texts] = await Promise.all([
    Promise.all(forms.map(valueOf)),
    Promise.all(number ? forms.map(form => beginWith("numbers", form)) : []),
    Promise.all(hasTexts ? forms.map(form => beginWith("texts", form)) : []),
  ]);
  const more = [...numbers, ...texts].flat();
  if (values.some(Boolean)) return merge([...values, ...more]);
  for (const form of number ? [] : forms) {
    const words = await containing(form);
    if (words.length) return merge([...await Promise.all(words.map(word => files.find("words", word))), ...more]);
  }
  if (more.length) return merge(more);
  const form = forms[0];
  if (number) {
    const parts = partsOfNumber(form);
    if (parts.length < 2) return nothing;
    const found = await Promise.all(parts.map(part => lookUp(files, [part], hasTexts)));
    const narrow = found.filter(one => !one.isCommon).map(one => one.slots);
    return { ...nothing, slots: narrow.length ? intersection(narrow) : [], isCommon: !narrow.length };
  }
  const letters = [...form];
  if (letters.length < LEAST_FOR_SLIP) return nothing;
  const half = letters.length + 1 >> 1;
  const keys = unique((await Promise.all([files.keysFrom("words", letters.slice(0, half).join("")), withEnd([letters.slice(half).join("")])])).flat());
  for (const most of letters.length >= LEAST_FOR_TWO_SLIPS ? [1, 2] : [1]) {
    const instead = keys.filter(key => isNear(key, form, most)).slice(0, MOST_NEAR);
    if (!instead.length) continue;
    const found = await Promise.all(instead.map(word => lookUp(files, [word], hasTexts)));
    return { slots: union(found.map(one => one.slots)), named: union(found.map(one => one.named)), isCommon: found.some(one => one.isCommon), instead };
  }
  return nothing;
}

const encode = text => encodeURIComponent(text).replace(/[!*'()]/g, sign => "%" + sign.charCodeAt().toString(16).toUpperCase())
  .replace(/%20/g, "+").replace(/%2C/g, ",");

/** Returns the JSON of a document, byte for byte as labgen writes it. */
export const toJson = document => JSON.stringify(document).replace(/[\u2028\u2029]/g, sign => "\\u" + sign.charCodeAt().toString(16));

const ADDRESS = /^(?:https?:\/)?\/[^?&=#]*(?:\?([^#]*))?(?:#[^\0]*)?$/i;
const queryOf = text => { const address = ADDRESS.exec(text); return address ? address[1] ?? "" : text.replace(/^\?/, ""); };
const parsed = query => [...new URLSearchParams(queryOf(`${query}`).slice(0, LONGEST_QUERY))];

/** Returns an async function from a query, or an address with one (such as that of the next page), to {status, document};
 * null where the site has no search index. A query is a text, a URL or URLSearchParams.
 * Its `isAsked` says whether a query has a parameter of the search; else the address is that of the whole list. */
export function searcher(read) {
  const files = filesOf(read);
  search.isAsked = async (query = "") => {
    const names = parsed(query).map(([name]) => name), index = names.length ? await files.get("index.json") : null;
    return Boolean(index) && [...index.facets.map(facet => facet.search_arg), "q", "page", "facets"].some(name => names.includes(name));
  };
  return search;
  async function search(query = "") {
    const index = await files.get("index.json");
    if (!index) return null;
    if (index.version !== VERSION) throw new Error(`the search index has version ${index.version}; this client reads version ${VERSION}`);
    const parameters = parsed(query);
    const lastOf = (name, otherwise) => parameters.findLast(([key]) => key === name)?.[1] ?? otherwise;
    const given = name => parameters.filter(([key]) => key === name).flatMap(([, text]) => text.split(",").map(one => one.replace(/^ +| +$/g, "")));
    const chosen = new Map();
    for (const name of unique(index.facets.map(facet => facet.search_arg))) {
      const values = unique(given(name).filter(Boolean).map(value => name === "is_verified" ? value.toLowerCase() : value));
      if (values.length) chosen.set(name, values);
    }
    const words = queryWords(lastOf("q", "")).slice(0, MOST_QUERY_WORDS);
    const counted = given("facets");
    const slotsOf = async (argument, values) => union(await Promise.all(index.facets.filter(facet => facet.search_arg === argument)
      .flatMap(facet => values.map(value => files.slots(facet.name, value)))));
    const [byArgument, found, verified] = await Promise.all([
      Promise.all([...chosen].map(async ([name, values]) => [name, await slotsOf(name, values)])),
      Promise.all(words.map(forms => lookUp(files, forms, index.has_texts))),
      files.slots("is_verified", "true"),
    ]);
    const byWord = found.filter(one => !one.isCommon).map(one => one.slots);
    const selected = async without => {
      const lists = [...byArgument.filter(([name]) => name !== without).map(([, slots]) => slots), ...byWord];
      return lists.length ? intersection(lists) : union([verified, await files.slots("is_verified", "false")]);
    };

    const points = new Map(verified.map(slot => [slot, 1]));
    for (const one of found) for (const slot of one.named) points.set(slot, (points.get(slot) ?? 0) + 2);
    const ranked = [...await selected(null)].sort((a, b) => (points.get(b) ?? 0) - (points.get(a) ?? 0) || a - b);
    const size = index.page_size, last = Math.max(1, Math.ceil(ranked.length / size)), text = lastOf("page", "1");
    const page = /^0*[1-9][0-9]{0,8}$/.test(text) ? Number(text) : 0;
    if (!page || page > last) return { status: 404, document: { detail: index.invalid_page } };
    const address = number => {
      const others = [...parameters.filter(([name]) => name !== "page"), ...number > 1 ? [["page", `${number}`]] : []];
      return index.path + (others.length ? "?" + others.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&") : "");
    };
    const cards = async slots => (await Promise.all(slots.map(slot => files.card(slot, index.slots_per_card_file)))).filter(Boolean);

    const section = async (slot, name) => {
      const card = await files.card(slot, index.slots_per_card_file);
      const found = card ? await files.siteFile(index.section.replace("{}", () => card.display_id).replace("{}", () => name)) : null;
      return new Map((found?.items ?? []).map(item => [item.search_val, item.title]));
    };
    const facetOf = async facet => {
      const { name, title, search_arg } = facet, base = await selected(search_arg), own = chosen.get(search_arg) ?? [];
      const { below, values } = await files.get(`counts/${name}.json`);
      const titles = new Map(values.map(([value, of]) => [value, of])), sample = new Set(base.filter(slot => slot < below));
      let numbers = new Map(values.map(([value, , some]) => [value, unpack(some).filter(slot => sample.has(slot)).length]));
      let is_exact = sample.size === base.length && values.length === facet.values;
      const common = is_exact ? [] : [...titles.keys()];
      if (facet.is_section && !is_exact && sample.size < FEW_IN_SAMPLE) {
        is_exact = base.length <= MOST_VALUES;
        const first = is_exact || own.length ? base : ranked;
        numbers = new Map();
        for (const some of await Promise.all(first.slice(0, MOST_VALUES).map(slot => section(slot, name))))
          for (const [value, of] of some) { numbers.set(value, (numbers.get(value) ?? 0) + 1); titles.set(value, of); }
      }
      const most = [...numbers.keys()].filter(value => numbers.get(value)).sort((a, b) => numbers.get(b) - numbers.get(a) || compare(a, b));
      const shown = unique([...unique(is_exact ? most : [...most, ...common]).slice(0, MOST_VALUES), ...own]);
      if (!is_exact) {
        is_exact = facet.values <= MOST_VALUES;
        const everyone = new Set(base);
        numbers = new Map();
        for (const [value, one] of await Promise.all(shown.map(async value => [value, await files.find(`facets/${name}`, value)]))) {
          titles.set(value, one?.title ?? value);
          numbers.set(value, unpack(one?.labs).filter(slot => everyone.has(slot)).length);
        }
      }
      const items = shown.filter(value => numbers.get(value) || own.includes(value))
        .map(value => ({ search_val: value, title: titles.get(value) ?? value, count: numbers.get(value) ?? 0, is_selected: own.includes(value) }))
        .sort((a, b) => b.count - a.count || compare(a.search_val, b.search_val));
      return { name, title, search_arg, is_exact, items };
    };

    const document = {
      count: ranked.length,
      next: page < last ? address(page + 1) : null,
      previous: page > 1 ? address(page - 1) : null,
      results: await cards(ranked.slice((page - 1) * size, page * size)),
    };
    if (counted.length) document.facets = await Promise.all(index.facets.filter(facet => counted.includes(facet.name)).map(facetOf));
    const ignored = words.filter((_, at) => found[at].isCommon).map(forms => forms[0]);
    if (ignored.length) document.ignored = ignored;
    const instead = words.flatMap((forms, at) => found[at].instead.length ? [[forms[0], found[at].instead]] : []);
    if (instead.length) document.instead = Object.fromEntries(instead);
    return { status: 200, document };
  }
}
