// Searches a site from its files, as labgen.search in Python: see client.d.ts, and labgen/search/README.md in labgen.
const VERSION = 9, MOST_VALUES = 8, FEW_IN_SAMPLE = 16, COUNTED_ONE_BY_ONE = 200, LONGEST_QUERY = 2000, MOST_BEGINNINGS = 3, MOST_ITEMS = 32, MOST_LEAVES = 16, MOST_AT_ONCE = 1000;
const MOST_WORDS = 32, MOST_NEAR = 8, LEAST_PART = 4, MOST_LETTERS = 64, LEAST_STEM = 5, LEAST_ALONE = 5;
const LEAST_FOR_SLIP = 5, MOST_FOR_HALVES = 8, LEAST_FOR_TWO_SLIPS = 9, MOST_ATOMS = 8, LONGEST_TAIL = 8, LONGEST_SYMBOL = 2, SHORT = 3;
const MOST_READ = 4, MOST_RANKED = 30, MOST_SHOWN = 3, MOST_SUGGESTED = 8, LONGEST_TITLE = 63, POPULARITIES = 8, ONLY = { matches: ["true", "false"], ordering: ["name", "-name", "rating", "-rating"] };
const OWN = ["q", "page", "facets", "matches", "ordering"];
const PART = "~", BEGIN = "*", LAST = "\uffff";
const LETTERS = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" };
const setOf = text => new Set(text.split(" "));
const STOP_WORDS = setOf("und oder der die das den dem des ein eine einer eines einem einen im in an am auf aus bei mit nach von " +
  "vom vor zu zum zur fuer fur ueber uber durch als ist sind wir sie ihr unser gemaess gemass the of and for to on by with from");
const PUBLISHERS = setOf("din en iso iec vde vdi cen cenelec etsi astm ansi asme api aws sae ieee bs nf uni une sn sia onorm oenorm gost jis gb mil un ece epa oecd cispr itu dvs dvgw dwa vdg vda iatf ul fda usp aatcc aoac nen csn pn sfs ss eu eg ec ewg eec asu lfgb avv eak ewc us aa aw eur pheur cas dguv afnor nace aisi laga cie hd jedec gbt bvl vw bmw mercedes daimler ford volvo renault");
const KINDS = setOf("ts tr pas spec std guide pwi np awi wd cd dis fdis prf dts dtr tg nr no nummer norm standard merkblatt richtlinie verordnung werkstoff werkstoffnummer wnr vo abfallschluessel abfallschlussel abfallcode abfallschluesselnummer abfallschlusselnummer asn method methode wst rl guideline arbeitsblatt information kapitel kap chapter pharm band regelung regulation mitteilung official gem laut acc according accordance isp dpas dguide pruefblatt prufblatt vorschrift werkstoffnr wkst entwurf normen vgl lt entspr entsprechend siehe bd regel mb tm test directive");
const SUPPLEMENTS = setOf("amd amendment anderung aenderung aend cor corr corrigendum berichtigung ber"), EDITIONS = setOf("rev revision ed edition ausgabe issue"), JOINTS = setOf("teil part blatt tl pt bl beiblatt beibl bbl abschnitt merkblatt " + [...EDITIONS].join(" "));
const SHORTENED = ["div division", "sec section", "gr grade", "cl class", "typ type", "kl klasse"], OPTIONAL = setOf([...KINDS, ...SHORTENED, ...JOINTS].join(" ") + " na ac stand mat material materialnummer materialnr januar februar marz maerz april mai juni juli august september oktober november dezember jan feb apr jun jul aug sep sept okt nov dez");
const FULL = new Map([...SHORTENED, "pheur eur", "gbt gb", "ec eg", "eec ewg"].map(pair => pair.split(" ")));
const CHAIN = /^(?:f?pr)?(?:din|en|iso|iec|vde|vdi|aw|us|epa|un|ece|mil|std)*(din|en|iso|iec|vde|vdi|aw|us|epa|un|ece|mil|std)(?:ts|tr|pas|f?dis|cd|spec)?$/, YEAR = /^(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])?$/;
const LUMP = /[\p{L}\p{N}]+/gu, INVISIBLE = /[\u00ad\u200b\u200c\u200d\u2060\ufeff]/g;
const SPACE = " \\t\\r\\n\u00a0\u2000-\u200a\u202f", SPACES = `[${SPACE}]{0,2}`;
const GLUE = new RegExp(`^(?:${SPACES}["”″]|\\)(?=:))?${SPACES}[-./:+&*()\\[\\]<>_"„“”\u2010-\u2015\u2212]?${SPACES}$`), BEFORE_PART = `${SPACES}[-.:,(]?${SPACES}`, IS_BEFORE_PART = new RegExp(`^${BEFORE_PART}$`);
/** A word such as `Teil` after a number, which separates nothing. */
const AFTER_NUMBER = new RegExp(`(?<=[0-9])${BEFORE_PART}(?:${[...JOINTS].join("|")})(?![\\p{L}\\p{N}])`, "giu");
const isWord = term => !/[0-9 -]/.test(term), isDigit = sign => sign >= "0" && sign <= "9", isNumber = text => /^[0-9]+$/.test(text);
const isLetter = atom => length(atom) === 1 && !isDigit(atom), isGlue = gap => GLUE.test(gap), isPublisher = word => PUBLISHERS.has(word) || KINDS.has(word) || CHAIN.test(word);
const stripped = gap => gap.replace(new RegExp(`^[${SPACE}]+|[${SPACE}]+$`, "g"), "");
const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
const unique = some => [...new Set(some)];
const length = text => [...text].length;

const withoutAccents = text => text.replace(/[ßæœøłđðþı]/g, letter => LETTERS[letter]).normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const visible = text => text.replace(INVISIBLE, "").normalize("NFC"), withTimes = text => text.replace(/([0-9])×|×(?=[ \u00a0\u2009\u202f]{0,2}[0-9])/g, (_, digit = "") => `${digit}x`);
const readable = text => withTimes(visible(text)).replace(/\p{M}/gu, "");

export function foldings(text) {
  const low = text.toLowerCase().normalize("NFC");
  return unique([withoutAccents(low), withoutAccents(low.replace(/[äöü]/g, "$&e"))]);
}

const cut = term => [...term].slice(0, MOST_LETTERS).join("");

export const queryWords = query => wordsOf(query).map(forms => [...forms, ...forms.flatMap(stems)]);

// The grammar of designations: see README.md, "Designations". An item is a word, or an atom: a letter alone, or a sign with digits.
function itemsOf(text) {
  const items = [];
  let last = 0;
  for (const { 0: lump, index: start } of text.matchAll(LUMP)) {
    const gap = text.slice(last, start), forms = foldings(lump);
    last = start + lump.length;
    const parts = forms.map(form => /^([^0-9]{2,})([0-9].*)$/su.exec(form)), rest = parts[0]?.[2];
    const word = parts[0]?.[1] ?? forms[0], supplement = word[0] + (rest ?? "");
    if (SUPPLEMENTS.has(word) && isGlue(gap) && isDigit(items.at(-1)?.text.at(-1))) items.push({ text: supplement, forms: [supplement], isAtom: true, gap: "+", start, end: last });
    else if (!rest) items.push({ text: forms[0], forms, isAtom: length(forms[0]) === 1 || /[0-9]/.test(forms[0]), gap, start, end: last });
    else {
      const heads = unique(parts.filter(Boolean).map(part => part[1])), signs = [...lump];
      const at = start + signs.slice(0, signs.findIndex(sign => /[0-9]/.test(foldings(sign)[0]))).join("").length;
      items.push({ text: heads[0], forms: heads, isAtom: false, gap, start, end: at }, { text: rest, forms: [rest], isAtom: true, gap: "", start: at, end: last });
    }
  }
  return items;
}

const canonical = atoms => atoms.reduce((text, one) => text + ((isDigit(one[0]) ? isDigit(text.at(-1)) : !/[0-9]/.test(text)) ? "-" : "") + one);

const groupText = (items, places) => canonical(places.map(place => items[place].text));

const isPart = (items, at, last) => JOINTS.has(items[at].text) && isDigit(last.at(-1)) && items[at + 1]?.isAtom
  && isGlue(items[at + 1].gap) && IS_BEFORE_PART.test(items[at].gap);

/** Returns the places of atoms that stand together. */
function groupAt(items, at) {
  const places = [at];
  for (let end = at + 1; end < items.length && places.length < MOST_ATOMS;) {
    const one = items[end], last = items[places.at(-1)].text;
    if (one.isAtom && (isGlue(one.gap) || one.gap === "," && isDigit(last.at(-1)) && isDigit(one.text[0]) || /^, ?$/.test(one.gap) && /s[1-3]d[0-2]$/.test(last + one.text))) places.push(end++);
    else if (isPart(items, end, last)) { places.push(end + 1); end += 2; } else break;
  }
  return places;
}

/** Returns a group with its short runs of digits joined: `170402`. */
function joinedDigits(items, places, least, most) {
  const parts = [];
  let afterRun = -1;
  for (const place of places) {
    const { text, gap } = items[place], isRun = isNumber(text) && text.length >= least && text.length <= most;
    parts.push(isRun && place === afterRun && !stripped(gap) ? parts.pop() + text : text);
    afterRun = isRun ? place + 1 : -1;
  }
  return canonical(parts);
}

/** Returns a group with short words, and a group, after it: [text, end]. */
function gradesOf(items, own, end) {
  const grades = [], words = [], mayEnd = isDigit(own.at(-1)) || /[0-9]/.test(own) && items[end]?.gap.includes("+");
  if (!mayEnd && !isDigit([...own].at(-2))) return grades;
  for (let at = end; at < Math.min(items.length, end + MOST_ATOMS); at++) {
    const { text, isAtom, gap } = items[at], longest = words.length && Math.max(length(words.at(-1)), length(text));
    if (isAtom || !isGlue(gap) || length(text) > LONGEST_TAIL || longest > LONGEST_SYMBOL || STOP_WORDS.has(text) || JOINTS.has(text) || PUBLISHERS.has(text)) break;
    words.push(text);
    if (mayEnd) grades.unshift([own + words.join(""), at + 1]);
  }
  const last = end + words.length, part = items[last], after = last + (JOINTS.has(part?.text) && isGlue(part.gap)), next = items[after];
  if (words.length && next?.isAtom && isGlue(next.gap)) {
    const places = groupAt(items, after), isAlone = isLetter(next.text) && places.length === 1;
    if (isDigit(next.text[0]) || length(items[after - 1].text) <= LONGEST_SYMBOL && !isAlone) grades.unshift([own + words.join("") + groupText(items, places), places.at(-1) + 1]);
  }
  return grades.flatMap(one => [...isDigit(one[0].at(-1)) ? gradesOf(items, ...one) : [], one]);
}

/** Returns a group with the word after it. */
function withTail(items, places) {
  const word = items[places.at(-1) + 1], atoms = places.map(place => items[place].text);
  if (!word || word.isAtom || STOP_WORDS.has(word.text) || PUBLISHERS.has(word.text)) return [];
  const groups = word.gap === "-" || word.gap && isGlue(word.gap) && isLetter(atoms.at(-1)) ? unique([canonical(atoms), atoms.join("")]) : [];
  return groups.flatMap(group => word.forms.map(form => cut(`${group} ${form}`)));
}

function shorter(items, places) {
  if (/^\D?\d\d \d\d \d\d$/.test(places.map(at => items[at].gap + items[at].text).join(""))) return [];
  for (let count = places.length - 1; count > 0; count--) {
    const { gap } = items[places[count]];
    const isTight = [...items[places[count + 1]]?.gap === "." ? "" : "-", ".", ":", ","].includes(stripped(gap));
    if (gap && !isTight && places[count] === places[count - 1] + 1) return places.slice(0, count);
  }
  return [];
}

const IN_NUMBER = new RegExp(`(?<=[0-9])(?:${[...JOINTS].join("|")})(?=[0-9])`, "g");
const withParts = ([first, ...others]) => canonical([first, ...others.map(one => one.replace(/^t([0-9]+)$/, "$1"))]).replace(IN_NUMBER, "-");
const beginsPart = item => !item.isAtom && isGlue(item.gap) && [...JOINTS].some(one => one.startsWith(item.text));

/** Returns how many atoms stand before years, and before their months, the last one first. */
const beforeYears = (items, places, atoms, isShort) => [...atoms.keys()].reverse().filter(at => YEAR.test(atoms[at]) || isShort && stripped(items[places[at]].gap) && /^[0-9]{1,2}(?:[a-z][0-9]?)?$/.test(atoms[at])
  || !items[places[at] + 1] && /^(?:[:(_][0-9]+|-(?:19|20)[0-9]?|\/0[0-9]?)$/.test(stripped(items.at(-1).gap) + atoms[at]))
  .flatMap(at => /^(?:0[1-9]|1[0-2])$/.test(atoms[at - 1]) ? [at, at - 1] : [at]).filter(at => /[0-9]/.test(atoms.slice(0, at)));

/** Returns whether these atoms stand after a space, and say something alone. */
const beginsOwn = (items, places) => {
  const { gap, text } = items[places[0]], own = groupText(items, places);
  return gap === " " && (/^[0-9]-[0-9]{2,4}$/.test(own) && items[places[1]].gap === "." || !isLetter(own) && !/^[0-9-]*$/.test(own) && !YEAR.test(text));
};

/** Returns how many atoms stand before supplements (`Rev. H`), the last one first. */
const beforeSupplements = (items, places) => [...places.keys()].reverse().filter(at => {
  const before = items[places[at] - 1]?.text;
  return at && (EDITIONS.has(before) || isDigit(before.at(-1)) && !isDigit(items[places[at]].text[0]) || beginsOwn(items, places.slice(at)));
});

/** Returns a head and a group: `IPX 4` and `IP X4`. */
function cutsOf(head, group, isKind) {
  const [first, ...rest] = group, letters = [...head], last = letters.pop(), found = [[head, group]], isOwn = isPublisher(head);
  if (head && isLetter(first) && isDigit(rest[0]) && (isKind || !isOwn)) found.push([isOwn ? head : head + first, rest.join("")]);
  if (letters.length > 1 && isDigit(first) && !isOwn) found.push([letters.join(""), last + group]);
  return found;
}

function readGroup(text, items, first, at, heads) {
  const found = [], keys = (...some) => unique(some.flatMap(one => (heads.length ? heads : [""]).flatMap(head => cutsOf(head, one, items[at].gap === "/"))).map(pair => cut(pair.join(" ").trim())));
  let places = groupAt(items, at);
  const before = items[at - 1], isTied = heads.length || standsAlone(items, at) || before && (isPublisher(before.text) || !before.isAtom && /^-?$/.test(items[at].gap));
  const whole = groupText(items, places), next = places.at(-1) + 1;
  for (const [grade, end] of gradesOf(items, whole, next)) found.push({ keys: keys(grade), end });
  const tails = heads.length ? [] : withTail(items, places);
  if (tails.length) found.push({ keys: tails, end: next + 1 });
  const spelt = some => [groupText(items, some), joinedDigits(items, some, 2, 3), withParts(some.map(place => items[place].text))];
  if (items[next]?.gap.includes("+")) found.push({ keys: keys(...spelt(places)), end: next + 1, meant: text.slice(items[first].start, items[next - 1].end) });
  for (; places.length; places = shorter(items, places)) {
    const atoms = places.map(place => items[place].text), own = canonical(atoms), last = items[places.at(-1)];
    let end = places.at(-1) + 1;
    if (end === items.length - 1 && beginsPart(items[end])) end++;
    const add = (some, meant, count) => found.push({ keys: keys(...some), end, ...meant && { meant: text.slice(items[first].start, meant[0]) + meant[1], isLast: places.some((_, at) => at >= count && beginsOwn(items, places.slice(at))) } });
    if (heads.length || atoms.length > 1 || !isLetter(atoms[0])) for (const some of [spelt(places), [joinedDigits(items, places, 1, 4)]]) add(some);
    const [, most, tail] = /^(.*[0-9]|.*(?=-))-?([^0-9-]+)$/su.exec(own) ?? [];
    if (tail) add([isPublisher(tail) ? most : `${most} ${tail}`]);
    const without = count => add(spelt(places.slice(0, count)), [items[places[count - 1]].end, ""], count);
    beforeYears(items, places, atoms, heads.some(one => /^(?:astm|ece)/.test(one)) || !heads.length && /^(?:[a-g][0-9]{3,4}m?|r[0-9]{1,3})$/.test(atoms[0])).forEach(without);
    if (!isTied) continue;
    for (const one of places.slice(1).some(place => /[+/]/.test(items[place].gap)) ? [] : spelt(places)) {
      const lettered = one.replace(/^([0-9]{3,})[a-z]([0-9-]+)$/, "$1-$2");
      if (lettered !== one) add([lettered], [items[places[0]].start, lettered], 1);
    }
    beforeSupplements(items, places).forEach(without);
    const revised = /^(.*[0-9]{3})[a-z]$/.exec(own)?.[1];
    if (revised) add([revised], [last.end - [...text.slice(last.start, last.end)].at(-1).length, ""], 1);
  }
  return found;
}

function originsOf(items, first, at) {
  const all = items.slice(first, at), own = all.filter(item => !KINDS.has(item.text));
  const chain = own.length ? own : all, found = [];
  for (let item = chain.pop(); item; item = stripped(item.gap) === "/" ? chain.pop() : null) found.push(...item.forms);
  return found.map(one => CHAIN.exec(one)?.[1] ?? FULL.get(one) ?? one);
}

function standsAlone(items, at) {
  const own = groupText(items, groupAt(items, at));
  return items[at].gap === " " && Math.min(length(own), length(items[at - 1]?.text ?? "")) >= LEAST_ALONE && !isNumber(own);
}

/** Returns what a query may mean from an item on, the likeliest first. */
function readingsOf(text, items, first) {
  const found = [];
  let at = first, end = first + 1;
  while (end < items.length && ["-", ".", ""].includes(items[end].gap)) end++;
  if (end > first + 1 && length(items[first].text) <= SHORT) found.push({ keys: [cut(items.slice(first, end).map(one => one.text).join("-"))], end });
  for (; at < items.length && !items[at].isAtom; at++) {
    const after = items[at + 1];
    if (!after || !isGlue(after.gap) || STOP_WORDS.has(items[at].text) && !["-", ""].includes(after.gap) || !(after.isAtom && !standsAlone(items, at + 1) || isPublisher(items[at].text))) return found;
  }
  if (at >= items.length || at > first && /^[a-z]-[a-z]+-[0-9]/i.test(text.slice(items[at].start))) return found;
  const heads = originsOf(items, first, at);
  found.push(...readGroup(text, items, first, at, heads));
  if (items.slice(first, at).some(one => isPublisher(one.text)))
    found.push(...readGroup(text, items, at, at, []).filter(one => length(one.keys[0]) >= SHORT).map(one => ({ ...one, meant: one.meant ?? text.slice(items[at].start, items[one.end - 1].end) })));
  return found.sort((a, b) => b.end - a.end);
}

const SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", MORE = 32;
const VALUES = new Map([...SIGNS].map((sign, value) => [sign, value]));

function numbersIn(signs) {
  const numbers = [];
  let number = 0, factor = 1;
  for (const sign of signs) {
    const value = VALUES.get(sign);
    number += value % MORE * factor;
    factor *= MORE;
    if (value < MORE) { numbers.push(number); number = 0; factor = 1; }
  }
  return numbers;
}

function numbersInBits(size, bytes) {
  const numbers = [], part = 2 ** size;
  let number = 0, rest = 0, left = 0;
  for (let at = 0; at < bytes.length; at++)
    for (let byte = bytes.charCodeAt(at), bit = 0; bit < 8; bit++, byte >>= 1) {
      if (left) rest = 2 * rest + (byte & 1);
      else if (byte & 1) left = size + 1; else number += part;
      if (left && !--left) { numbers.push(number + rest); number = rest = 0; }
    }
  return numbers;
}

/** Returns the slots of a list: see README.md, "Lists". Values are not packed. */
function unpack(packed = "") {
  if (Array.isArray(packed)) return packed;
  if (packed[0] === "!") {
    const marks = marksOf([unpack(packed.slice(1))]);
    return [...marks.keys()].filter(slot => !marks[slot]);
  }
  let end = 0;
  return (packed[0] === "=" ? numbersInBits(VALUES.get(packed[1]), atob(packed.slice(2))) : numbersIn(packed)).map(gap => (end += gap + 1) - 1);
}

/** Returns a 1 at each slot of lists. */
function marksOf(lists) {
  const marks = new Uint8Array(Math.max(...lists.map(list => list.at(-1) ?? -1)) + 1);
  for (const list of lists) for (const slot of list) marks[slot] = 1;
  return marks;
}

const countIn = (marks, packed) => unpack(packed).filter(slot => marks[slot]).length;

function union(lists) {
  const some = lists.filter(list => list.length);
  if (some.length < 2) return some[0] ?? [];
  const marks = marksOf(some), slots = [];
  for (let slot = marks.indexOf(1); slot >= 0; slot = marks.indexOf(1, slot + 1)) slots.push(slot);
  return slots;
}

const intersection = lists => [...lists].sort((a, b) => a.length - b.length).reduce((some, list) => {
  const marks = marksOf([list]);
  return some.filter(slot => marks[slot]);
});

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

class OtherBuild extends Error {}

const asValue = (map, value) => value === true ? { is_common: true } : typeof value === "string" ? { [map]: value } : value;

/** Reads the files of one build of an index, each once; what failed is read again. */
function filesOf(read, pause) {
  const known = new Map();
  const siteFile = name => {
    if (!known.has(name)) {
      const reading = Promise.resolve(name).then(read).then(JSON.parse);
      reading.catch(() => known.delete(name));
      known.set(name, reading);
    }
    return known.get(name);
  };
  const index = () => siteFile("search/index.json");
  const get = async name => {
    const file = `search/files/${name}.json`;
    await pause();
    const found = await siteFile(file).catch(cause => { throw new OtherBuild(file, { cause }); });
    if (found === null) throw new OtherBuild(file);
    return found;
  };
  const listed = async folder => {
    const root = (await index()).roots[folder];
    return typeof root === "string" ? get(`${folder}/${root}`) : root;
  };
  const leaf = async (map, number) => {
    const name = (await listed(map))[1][number];
    return name === undefined ? {} : get(`${map}/${name}`);
  };
  const place = async (map, key) => {
    const [firsts] = await listed(map);
    let low = 0, high = firsts.length;
    while (low < high) {
      const middle = low + high >> 1;
      if (firsts[middle] <= key) low = middle + 1; else high = middle;
    }
    return Math.max(0, low - 1);
  };
  const whole = (map, value) => value?.file ? get(`${map}/${value.file}`) : value;
  const find = async (map, key) => {
    const entries = await leaf(map, await place(map, key));
    return whole(map, Object.hasOwn(entries, key) ? entries[key] : null);
  };
  const between = async (map, low, high, take) => {
    const first = await place(map, low), last = Math.min(await place(map, high), first + MOST_LEAVES);
    const leaves = await Promise.all(Array.from({ length: last - first + 1 }, (_, number) => leaf(map, first + number)));
    return Promise.all(leaves.flatMap(one => Object.keys(one).filter(key => key >= low && key < high).sort(compare).map(key => take(key, one[key]))));
  };
  const entry = async ({ facet, id }) => {
    const [search_val, title, labs] = await find("entries", `${facet} ${id}`) ?? [];
    return { search_val, title, labs };
  };
  const valueOf = async (facet, value) => {
    const found = await find(`facets/${facet}`, value);
    return typeof found === "number" ? entry({ facet, id: found }) : found;
  };
  const keyOf = slot => slot.toString(16).padStart(6, "0");
  return {
    pause, index, find, keysBetween: (map, low, high) => between(map, low, high, key => key),
    valuesBetween: (map, low, high) => between(map, low, high, async (_, value) => asValue(map, await whole(map, value))),
    keys: async map => (await Promise.all((await listed(map))[1].map((_, number) => leaf(map, number)))).flatMap(Object.keys),
    foresee: async folders => { // read at once what is needed later
      const { roots } = await index();
      await Promise.all(folders.filter(folder => roots[folder]).map(folder => listed(folder).catch(() => null)));
    },
    counts: async facet => get(`counts/${(await listed("counts"))[facet]}`),
    order: async field => {
      const { labs, values } = await get(`orders/${(await listed("orders"))[field]}`);
      return labs.split(",").map((some, at) => [values?.[at], unpack(some)]);
    },
    valueOf, slots: async (facet, value) => unpack((await valueOf(facet, value))?.labs),
    has: async (facet, value) => await find(`facets/${facet}`, value) != null,
    entry,
    card: async slot => {
      const name = (await listed("cards"))[Math.floor(slot / (await index()).slots_per_card_file)];
      return name ? (await get(`cards/${name}`))[slot] : undefined;
    },
    owned: async slot => await find("owned", keyOf(slot)) ?? [],
  };
}

// `entries` are those with a word, by key, which a ranking completes; `having` and `inTexts` laboratories.
const NOTHING = { slots: [], named: [], isCommon: false, instead: [], entries: new Map(), having: [], inTexts: [], begun: [], whole: [] };

/** Takes each of many; a page draws frames meanwhile. */
async function each(files, many, act) {
  let at = 0;
  for (const one of many) {
    if (at % MOST_AT_ONCE === 0) await files.pause();
    act(one, at++);
  }
}

/** Returns the first of those that are wanted, in an order. */
async function firstOf(files, many, count, inOrder, isWanted) {
  const first = [];
  await each(files, many, one => {
    if (!isWanted(one) || first.length === count && inOrder(one, first.at(-1)) >= 0) return;
    first.splice(first.findLastIndex(other => inOrder(other, one) <= 0) + 1, 0, one);
    first.length = Math.min(first.length, count);
  });
  return first;
}

async function merge(files, values) {
  const found = values.filter(Boolean), { facets } = await files.index(), entries = new Map(), lists = { labs: [], whole: [], begun: [], inner: [], texts: [], numbers: [] };
  for (const one of found) {
    await files.pause();
    for (const name in lists) if (one[name]) lists[name].push(unpack(one[name]));
    const isListed = one.labs !== undefined || one.counts?.labs !== undefined;
    for (const [place, { name: facet }] of facets.entries()) if (one[place]) {
      const [ids, signs] = one[place].split("."), weights = numbersIn(signs);
      await each(files, unpack(ids), (id, at) => {
        const entry = { facet, id, popularity: weights[at] % POPULARITIES, length: LONGEST_TITLE - Math.floor(weights[at] / POPULARITIES), words: 0 };
        entries.set(`${place} ${id}`, entry);
        if (!isListed) lists.labs.push(ahead(files.entry(entry).then(({ labs }) => unpack(labs))));
      });
    }
  }
  const whole = union(lists.whole), begun = union([whole, ...lists.begun]), named = union([begun, ...lists.inner]), having = union(await Promise.all(lists.labs)), inTexts = union(lists.texts);
  return { ...NOTHING, slots: union([named, having, inTexts, ...lists.numbers]), named, isCommon: found.some(one => one.is_common), entries, having, inTexts, begun, whole };
}

/** Returns what continues a designation, but not a number with digits. */
async function continued(files, map, key) {
  if (map === "designations") {
    const value = await files.find(map, key) ?? await files.find(map, PART + key);
    if (value) return [value];
  }
  if (!isDigit(key.at(-1))) return files.valuesBetween(map, key, key + LAST);
  return (await Promise.all([files.valuesBetween(map, key, key + "0"), files.valuesBetween(map, key + ":", key + LAST)])).flat();
}

async function begun(files, map, key) {
  if (!isDigit(key.at(-1))) return [];
  const value = map === "designations" ? await files.find(map, PART + key + BEGIN) : null;
  return value ? [value] : files.valuesBetween(map, key + "0", key + ":");
}

async function designated(files, { keys, meant }, hasTexts, isBegun) {
  const maps = ["designations", "numbers", ...hasTexts ? ["texts"] : []], values = [];
  for (const way of [continued, begun])
    if (!values.length || isBegun) values.push(...(await Promise.all(maps.flatMap(map => keys.map(key => way(files, map, key))))).flat());
  return values.length ? { ...await merge(files, values), ...meant ? { instead: [meant] } : {} } : null;
}

const ENDINGS = ["en", "es", "e", "n", "s"];
const stems = form => ENDINGS.filter(end => form.endsWith(end)).map(end => form.slice(0, -end.length)).filter(stem => length(stem) >= LEAST_STEM);

/** Returns what a word of a query, in its foldings, finds: as `NOTHING`. */
async function lookUp(files, forms, hasTexts) {
  const withEnd = async ends => (await Promise.all(ends.map(async end => (await files.find("ends", end) ?? []).map(head => head + end)))).flat();
  const containing = async part => {
    if (length(part) < LEAST_PART) return [];
    const [begin, inside] = await Promise.all([files.keysBetween("words", part, part + LAST), files.keysBetween("ends", part, part + LAST).then(withEnd)]);
    const least = [];
    for (const key of unique([...begin, ...inside]).sort((a, b) => length(a) - length(b))) {
      if (least.length === MOST_WORDS) break;
      if (!least.some(one => length(one) >= LEAST_PART && key.includes(one))) least.push(key);
    }
    return least;
  };
  const find = some => Promise.all(some.map(word => files.find("words", word))), ofStems = forms.flatMap(stems);
  const inTexts = some => Promise.all(hasTexts ? some.map(begin => files.valuesBetween("texts", begin, begin + LAST)) : []);
  const [words, stemmed, texts, others] = await Promise.all([find(forms), find(ofStems), inTexts(forms), inTexts(ofStems)]);
  const more = [...texts, ...others.filter((_, at) => stemmed[at])].flat(), isFound = [...words, ...stemmed].some(Boolean);
  // It may be a slip.
  if (!isFound && !more.length && !files.isExact && !(await files.keysBetween("words", forms[0], forms[0] + LAST)).length) ahead(nearKeys(files, forms[0], withEnd));
  const [pieces, longer] = await Promise.all([find(forms.filter((_, at) => !words[at]).map(form => PART + form)), Promise.all(isFound ? [] : forms.map(containing))]);
  const values = [...words, ...pieces, ...stemmed];
  if (values.some(Boolean)) return merge(files, [...values, ...more]);
  const at = longer.findIndex(one => one.length);
  const parts = (longer[at] ?? []).map(async word => {
    const found = await merge(files, await find([word]));
    return { ...found, whole: [], begun: word.startsWith(forms[at]) ? found.begun : [] };
  });
  if (parts.length || more.length || files.isExact) return anyOf(await Promise.all([...parts, merge(files, more)]));
  for (const stem of ofStems) {
    const found = await lookUp({ ...files, isExact: true }, [stem], hasTexts);
    if (found.slots.length) return found;
  }
  for (const form of forms) {
    const near = await lookUpNear(files, form, hasTexts, withEnd);
    if (near !== NOTHING) return near;
  }
  return NOTHING;
}

async function nearKeys(files, form, withEnd) {
  const letters = [...form], many = letters.length, some = (from, to) => letters.slice(from, to).join(""), tried = [];
  for (let other = Math.max(LEAST_FOR_SLIP, many - 1); other <= Math.min(MOST_FOR_HALVES, many + 1); other++) {
    const half = other >> 1, begin = some(0, half), end = some(many - (other - half));
    tried.push(files.find("near", begin + "-").then(rests => (rests ?? []).map(rest => begin + rest)),
      files.find("near", "-" + end).then(heads => (heads ?? []).map(head => head + end)));
  }
  const half = many >> 1;
  if (half >= LEAST_FOR_SLIP - 1) tried.push(files.keysBetween("words", some(0, half), some(0, half) + LAST), withEnd([some(half)]));
  if (many >= LEAST_FOR_SLIP && letters[half] !== letters[half - 1]) {
    const swapped = some(0, half - 1) + letters[half] + letters[half - 1] + some(half + 1);
    tried.push(files.find("words", swapped).then(found => found ? [swapped] : []));
  }
  return unique((await Promise.all(tried)).flat());
}

/** Returns what is found for words with slips. */
async function lookUpNear(files, form, hasTexts, withEnd) {
  const keys = await nearKeys(files, form, withEnd);
  for (const most of length(form) >= LEAST_FOR_TWO_SLIPS ? [1, 2] : [1]) {
    const instead = keys.filter(key => isNear(key, form, most)).slice(0, MOST_NEAR);
    if (!instead.length) continue;
    return anyOf(await Promise.all(instead.map(word => lookUp(files, [word], hasTexts))), instead);
  }
  return NOTHING;
}

/** Finds what means the same as the longest phrase at a place. */
function synonymsOf(groups) {
  const byWord = new Map(), spellings = ({ forms }) => unique([...forms, ...forms.flatMap(stems)]);
  for (const group of groups) for (const text of group) {
    const phrase = itemsOf(readable(text)).map(({ forms }) => forms);
    for (const word of phrase[0] ?? []) byWord.set(word, [...byWord.get(word) ?? [], [phrase, group]]);
  }
  const isAt = (phrase, items, place) => phrase.every((words, at) => spellings(items[place + at]).some(word => words.includes(word)));
  return (items, place) => {
    let best = null;
    for (const word of byWord.size ? spellings(items[place]) : [])
      for (const [phrase, group] of byWord.get(word) ?? [])
        if (phrase.length > (best?.length ?? 0) && phrase.length <= items.length - place && isAt(phrase, items, place)) best = { group, length: phrase.length };
    return best;
  };
}

/** Returns what words find that are all wanted. */
function allOf(found) {
  const some = found.filter(one => !one.isCommon), narrow = some.length ? some : found.slice(0, 1);
  if (narrow.length === 1) return narrow[0];
  const [first, ...others] = narrow, shared = name => intersection(narrow.map(one => one[name]));
  return { ...NOTHING, slots: shared("slots"), named: shared("named"), instead: narrow.flatMap(one => one.instead), inTexts: shared("inTexts"), begun: shared("begun"), whole: shared("whole"),
    entries: new Map([...first.entries].filter(([key]) => others.every(one => one.entries.has(key)))) };
}

function anyOf(found, instead = unique(found.flatMap(one => one.instead))) {
  const joined = name => union(found.map(one => one[name]));
  return { slots: joined("slots"), named: joined("named"), isCommon: found.some(one => one.isCommon), instead,
    entries: new Map(found.flatMap(one => [...one.entries])), having: joined("having"), inTexts: joined("inTexts"), begun: joined("begun"), whole: joined("whole") };
}

/** Looks up a word or phrase, and what means the same. */
async function synonymous(files, text, items, group, hasTexts) {
  const typed = text.slice(items[0].start, items.at(-1).end);
  for (const isExact of [true, false]) {
    const meaning = unique([typed, ...group]).map(readable), sought = await Promise.all(meaning.map(one => lookUpItems({ ...files, isExact }, one, itemsOf(one).slice(0, MOST_ITEMS), hasTexts)));
    const all = sought.filter(some => some.length).map(some => allOf(some.map(one => one.found))), found = isExact ? all.filter(one => !one.instead.length) : all;
    if (!isExact || found.some(one => one.slots.length))
      return { found: anyOf(found), meaning, keys: unique(sought.flat().flatMap(one => one.forms)), text: items.length === 1 ? cut(items[0].text) : typed };
  }
}

/** Marks what may not be waited for: that it fails is then no fault. */
const ahead = promise => { promise.catch(() => null); return promise; };

/** Looks up words and designations, each once: [{text, found, forms}]. */
async function lookUpItems(files, text, items, hasTexts, isBegun = false, synonymsAt = () => null, isFirst = false) {
  const sought = new Map();
  const possible = items.map((_, at) => readingsOf(text, items, at).filter(one => !isFirst || !one.isLast));
  const meant = items.map((_, at) => synonymsAt(items, at));
  const words = items.map(({ forms, isAtom }, at) => meant[at] || possible[at].length || isAtom || isStopWord({ forms }) ? null : ahead(lookUp(files, unique(forms.map(cut)), hasTexts)));
  const seek = one => designated(files, one, hasTexts, isBegun && one.end === items.length && !one.meant);
  const reading = async at => {
    if (meant[at]) {
      const end = at + meant[at].length;
      return { end, ...await synonymous(files, text, items.slice(at, end), meant[at].group, hasTexts) };
    }
    const first = possible[at].slice(0, 2).map(one => ahead(seek(one)));
    for (const [number, one] of possible[at].entries()) {
      const found = await (first[number] ?? seek(one));
      if (found) return { end: one.end, text: text.slice(items[at].start, items[one.end - 1].end), found, keys: one.keys };
    }
    return null;
  };
  const started = [];
  // What a designation has that begins before it is seldom needed.
  for (let at = 0, covered = 0; at < items.length; at++) {
    if (at < covered) continue;
    started[at] = ahead(reading(at));
    if (!meant[at] && possible[at].length > 1 && (items[at].isAtom || isPublisher(items[at].text))) covered = possible[at][0].end;
  }
  for (let at = 0; at < items.length;) {
    const { text: key, forms, isAtom } = items[at], one = await (started[at] ?? reading(at)), own = forms.map(cut);
    const [name, found, keys] = one ? [one.text, one.found, one.keys] : isAtom ? [key, { ...NOTHING, isCommon: isLetter(key) }, []]
      : isStopWord(items[at]) ? [] : [cut(key), words[at] ?? ahead(lookUp(files, unique(own), hasTexts)), [...own, ...own.flatMap(stems)]];
    if (name !== undefined && !sought.has(name)) sought.set(name, [found, keys, !one, one?.meaning]);
    at = one ? one.end : at + 1;
  }
  return Promise.all([...sought].map(async ([text, [finding, keys, isWord, meaning]]) => {
    const found = await finding;
    return { text, found, meaning, forms: isWord ? [...keys, ...found.instead] : keys };
  }));
}

const ignored = ({ text }) => ({ text, found: { ...NOTHING, isCommon: true }, forms: [] });

/** Yields what a query may mean: its last word may not be complete. */
async function* lookUpAll(files, query, hasTexts) {
  const text = readable(query), items = itemsOf(text).slice(0, MOST_ITEMS), last = items.at(-1)?.text, synonymsAt = synonymsOf((await files.index()).synonyms ?? []);
  yield lookUpItems(files, text, items, hasTexts, false, synonymsAt, true);
  if (items.length > 1 && items.some(one => one.isAtom)) yield lookUpItems(files, text, items, hasTexts, true, synonymsAt);
  if (items.length > 1 && !items.at(-1).isAtom)
    yield (await Promise.all([items.slice(0, -1), items.slice(-1)].map(some => lookUpItems(files, text, some, hasTexts, false, synonymsAt)))).flat();
  const begun = items.slice(-1).filter(one => isLetter(last) || one.gap === "-" && !one.isAtom && length(last) < LEAST_PART || [...STOP_WORDS, ...OPTIONAL, ...PUBLISHERS, ...SUPPLEMENTS].some(word => word.startsWith(last)));
  const kinds = items.filter(one => OPTIONAL.has(one.text)), closed = text.replace(/(?<!\p{L})([A-Za-z]{1,2}) (?=[A-Za-z]{1,2}(?!\p{L}))/gu, "$1");
  if (closed !== text) yield lookUpItems(files, closed, itemsOf(closed).slice(0, MOST_ITEMS), hasTexts, false, synonymsAt); // `Al Mg Si`
  for (const [some, isBegun] of [[begun], [kinds], [begun.length && kinds.length ? [...begun, ...kinds] : []], [kinds, true]]) {
    const kept = some.length ? await lookUpItems(files, text, items.filter(one => !some.includes(one)), hasTexts, isBegun, synonymsAt) : [];
    if (kept.length && some === begun || !kept.every(one => one.found.isCommon)) yield [...kept, ...unique(some.map(one => one.text)).map(text => ignored({ text }))];
  }
}

const SIGN = /^[\p{L}\p{N}]/u;

const folded = new Map();
const foldingsOfSign = sign => folded.get(sign) ?? folded.set(sign, SIGN.test(sign) ? foldings(sign) : []).get(sign);

/** Returns the letters of a title in a folding, with places, and whether a word begins or ends. */
function lettersOf(signs, form) {
  const found = [];
  let wasSign = false;
  for (const [place, sign] of signs.entries()) {
    const forms = foldingsOfSign(sign);
    for (const [number, letter] of [...forms.at(form) ?? ""].entries()) found.push({ letter, place, begins: !number && !wasSign });
    if (forms.length || !/\p{M}/u.test(sign)) wasSign = forms.length > 0;
  }
  return found;
}

/** Returns where a form stands: first at the beginning of a word. */
function findIn(letters, plain) {
  let other = -1;
  for (let at = 0; at + plain.length <= letters.length; at++) {
    if (!plain.every((letter, number) => letters[at + number].letter === letter)) continue;
    const isEnd = letters[at + plain.length]?.begins ?? true, isLong = plain.length > 1;
    if (letters[at].begins && (isEnd || isLong)) return at;
    if (other < 0 && isLong && (isEnd || plain.length >= LEAST_PART)) other = at;
  }
  return other;
}

export function marked(title, words) {
  const shown = visible(title), signs = [...shown], plain = withTimes(shown), joined = plain.replace(AFTER_NUMBER, found => " ".repeat(found.length)), parts = [];
  const spelt = unique([plain, joined]).flatMap(one => foldings(one).map((_, form) => lettersOf([...one], -form)));
  const rangeOf = forms => {
    for (const form of [...forms, ...forms.filter(one => one.includes(" ")).map(one => one.slice(one.lastIndexOf(" ") + 1))]) {
      const plain = [...form.replace(/[^\p{L}\p{N}]+/gu, "")];
      for (const letters of plain.length ? spelt : []) {
        let at = findIn(letters, plain);
        if (at < 0) continue;
        const last = at + plain.length;
        while (form.includes(" ") && !letters[at].begins) at--; // of a designation, the head is a whole word
        const rest = letters.slice(last, letters.findIndex((one, place) => place >= last && one.begins) >>> 0);
        const isEnding = isWord(form) && ENDINGS.includes(rest.map(one => one.letter).join(""));
        let end = letters[last - 1 + isEnding * rest.length].place + 1;
        while (end < signs.length && /\p{M}/u.test(signs[end])) end++;
        return [letters[at].place, end];
      }
    }
    return null;
  };
  let last = 0;
  for (const [start, end] of words.map(rangeOf).filter(Boolean).sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    if (start < last) continue;
    parts.push(signs.slice(last, start).join(""), signs.slice(start, end).join(""));
    last = end;
  }
  return [...parts, signs.slice(last).join("")];
}

const lengthOf = text => Math.min(LONGEST_TITLE, (readable(text).match(LUMP) ?? []).flatMap(wordsOf).reduce((sum, [text]) => sum + length(text), 0));
const countBits = bits => { let count = 0; for (; bits; bits &= bits - 1) count++; return count; };

const isStopWord = ({ forms }) => forms.some(form => STOP_WORDS.has(form));
/** Returns the words and signs of a text, each in its foldings, without common words. */
const wordsOf = text => itemsOf(readable(text)).filter(item => !isStopWord(item)).map(({ forms }) => forms);
const areWords = (a, b) => a.length === b.length && a.every((forms, at) => forms.some(form => b[at].includes(form)));

/** Orders what a search found, and says why it was found; the words of a query are bits. */
async function rankingOf(files, facets, all, text) {
  const sought = all.filter(({ found }) => found.slots.length || found.entries.size).slice(0, MOST_RANKED), every = (1 << sought.length) - 1;
  const bitsOf = name => {
    const bits = new Int32Array(Math.max(...sought.map(({ found }) => found[name].at(-1) ?? 0), 0) + 1);
    for (const [at, { found }] of sought.entries()) for (const slot of found[name]) bits[slot] |= 1 << at;
    return bits;
  };
  const whole = bitsOf("whole"), begins = bitsOf("begun"), having = bitsOf("having"), places = new Map(facets.map(({ name }, place) => [name, place])), matches = new Map();
  for (const [at, { found }] of sought.entries()) await each(files, found.entries, ([key, entry]) => {
    const match = matches.get(key) ?? entry;
    match.words |= 1 << at;
    matches.set(key, match);
  });
  const withWords = words => sought.filter((_, at) => words & 1 << at), lengths = new Map();
  /** Returns the exactness of titles by length: 2 for that of these words, 1 of what means the same. */
  const lengthsOf = words => {
    const some = withWords(words), typed = some.reduce((sum, { text }) => sum + lengthOf(text), 0);
    const own = some.reduce((all, { text, meaning = [text] }) => all.flatMap(length => meaning.map(one => Math.min(length + lengthOf(one), LONGEST_TITLE))), [0]);
    return new Map([...own.map(length => [length, 1]), [Math.min(typed, LONGEST_TITLE), 2]]);
  };
  await each(files, matches.values(), match => {
    if (!lengths.has(match.words)) lengths.set(match.words, lengthsOf(match.words));
    match.count = countBits(match.words);
    match.exactness = lengths.get(match.words).get(match.length) ?? 0;
  });
  const begun = new Set(), inOrder = (a, b) => b.count - a.count || b.exactness - a.exactness || begun.has(b) - begun.has(a)
    || b.popularity - a.popularity || a.length - b.length || places.get(a.facet) - places.get(b.facet) || a.id - b.id;
  let beginning;
  /** Returns the first entries that are wanted, each with its title in parts, by words of the query. */
  const titled = async (bits, isWanted) => {
    const first = await firstOf(files, matches.values(), MOST_READ, inOrder, isWanted), titles = await Promise.all(first.map(files.entry));
    return first.map((match, at) => [match, marked(titles[at].title ?? "", withWords(match.words & bits).map(({ forms }) => forms))]);
  };
  /** Notes which of the first entries are not the query, and which begin with a designation of it. */
  const begin = () => beginning ??= (async () => {
    for (const [match, parts] of await titled(every, one => one.exactness && one.words === every)) if (parts.length === 1) match.exactness = 0;
    const bits = sought.reduce((some, { forms }, at) => some | !forms.every(isWord) << at, 0);
    for (const [match, [before, ...rest]] of await titled(bits, one => one.words & bits))
      if (rest.length && itemsOf(before).every(one => isPublisher(one.text))) begun.add(match);
  })().catch(error => { beginning = undefined; throw error; });
  // MOST_RANKED is below 32.
  const digits = (covered, together, exactness, isBegun) => ((covered * 32 + together) * 3 + exactness) * 2 + isBegun;
  const standing = (slot, match) => {
    const own = begins[slot] ?? 0, any = having[slot] ?? 0;
    return match ? digits(countBits(own | match.words), match.count, match.exactness, begun.has(match)) : digits(countBits(own) + (any & ~own ? 1 : 0), any ? 1 : 0, 0, 0);
  };
  const matchesOf = async slot => {
    if (!matches.size) return [];
    const [owned] = await Promise.all([files.owned(slot), begin()]);
    return owned.flatMap((some, place) => unpack(some).map(one => matches.get(`${place} ${one}`))).filter(Boolean).sort(inOrder);
  };
  const pairs = async (slots, size) => {
    await begin();
    const telling = await firstOf(files, matches.values(), MOST_READ + 1, inOrder, one => one.exactness || one.count > 1 || begun.has(one));
    const isEach = telling.length > MOST_READ || telling.length && sought.some(({ found }) => found.isCommon);
    if (isEach && slots.length <= size) return Promise.all(slots.map(async slot => [[slot], await matchesOf(slot)]));
    return Promise.all(telling.slice(0, MOST_READ).map(async match => [unpack((await files.entry(match)).labs), [match]]));
  };
  return {
    withWords, matchesOf,
    ranked: async (slots, verified, size) => {
      const best = new Map(), first = new Set(verified), hasAll = (bits, slot) => every === (bits[slot] ?? 0), all = slots.filter(slot => every && hasAll(whole, slot));
      for (const [some, ones] of await pairs(slots, size))
        for (const slot of some) for (const match of ones) best.set(slot, Math.max(best.get(slot) ?? standing(slot), standing(slot, match)));
      const ordered = exact => {
        // By a number that has what decides as digits.
        const equal = new Map();
        for (const slot of slots) {
          const isNamed = hasAll(whole, slot), own = isNamed ? 0 : best.get(slot) ?? standing(slot), hasEntry = own % 6 > 1 && (own / 6 & 31) === sought.length;
          const key = ((exact.has(slot) * 8 + isNamed * 4 + hasEntry * 2 + hasAll(begins, slot)) * 8192 + own) * 2 + first.has(slot);
          if (equal.has(key)) equal.get(key).push(slot); else equal.set(key, [slot]);
        }
        return [...equal.keys()].sort((a, b) => b - a).flatMap(key => equal.get(key));
      };
      const inAnyCase = ordered(new Set());
      if (all.length < 2 || all.length > size) return inAnyCase;
      for (const slot of inAnyCase.slice(0, size)) ahead(files.card(slot)); // the names are on the first page
      const cards = await Promise.all(all.map(files.card));
      return ordered(new Set(all.filter((_, at) => cards[at] && areWords(wordsOf(cards[at].name), wordsOf(text)))));
    },
    shown: async slot => {
      const shown = [];
      let missing = every;
      for (const match of await matchesOf(slot)) if (match.words & missing && shown.length < MOST_SHOWN) { shown.push(match); missing &= ~match.words; }
      return [shown, withWords(missing).filter(({ found }) => !found.named.includes(slot) && found.inTexts.includes(slot)).map(({ text }) => text)];
    },
    suggested: async names => {
      await begin();
      const last = 1 << sought.length >> 1, found = await firstOf(files, matches.values(), MOST_SUGGESTED, inOrder, one => one.words & last && names.includes(one.facet));
      return found.filter(one => one.count === found[0].count);
    },
    entry: async match => {
      const { name, title: section, search_arg } = facets[places.get(match.facet)], { search_val = "", title = "" } = await files.entry(match);
      return { name, section, search_arg, search_val, title, marked: marked(title, withWords(match.words).map(({ forms }) => forms)) };
    },
  };
}

const encode = text => encodeURIComponent(text).replace(/[!*'()]/g, sign => "%" + sign.charCodeAt().toString(16).toUpperCase())
  .replace(/%20/g, "+").replace(/%2C/g, ",");

export const toJson = document => JSON.stringify(document).replace(/[\u2028\u2029]/g, sign => "\\u" + sign.charCodeAt().toString(16));

const ADDRESS = /^(?:https?:\/)?\/[^?&=#]*(?:\?([^#]*))?(?:#[^\0]*)?$/i;
const queryOf = text => { const address = ADDRESS.exec(text); return address ? address[1] ?? "" : text.replace(/^\?/, ""); };
const parsed = query => [...new URLSearchParams(queryOf(`${query}`).slice(0, LONGEST_QUERY))];

export function searcher(read, pause = () => null) {
  let files = filesOf(read, pause), last = {};
  search.isAsked = async (query = "") => {
    const names = parsed(query).map(([name]) => name), index = names.length ? await files.index() : null;
    return Boolean(index) && [...index.facets.map(facet => facet.search_arg), ...OWN].some(name => names.includes(name));
  };
  search.prepare = () => begin(async mine => { if (await mine.index()) await mine.foresee(["words", "ends", "entries", "designations", "numbers", "near", "texts"]); });
  search.values = name => begin(mine => valuesOf(mine, name));
  search.count = (query = "") => begin(async files => {
    const index = await indexOf(files);
    if (!index) return null;
    const asked = await understand(files, index, query);
    return asked.invalid ? 0 : (await (await seek(files, index, asked)).selected(null)).length;
  });
  search.suggest = (text, query = "", only = "") => begin(mine => suggest(mine, text, query, only));
  return search;
  function search(query = "", soon = () => null) {
    return begin(mine => answer(mine, query, soon));
  }
  async function begin(work) {
    for (let left = MOST_BEGINNINGS; ; left--) {
      const mine = files;
      try {
        const found = await work(mine);
        await pause();
        return found;
      } catch (error) {
        if (!(error instanceof OtherBuild)) throw error;
        if (left === 1) throw error.cause ?? new Error(`the search index lacks ${error.message}`);
        if (files === mine) files = filesOf(read, pause);
      }
    }
  }
  async function indexOf(files) {
    const index = await files.index();
    if (index && index.version !== VERSION) throw new Error(`the search index has version ${index.version}; this client reads version ${VERSION}`);
    return index;
  }
  async function valuesOf(files, name) {
    const index = await indexOf(files);
    if (!index?.facets.some(facet => facet.name === name)) return null;
    return Promise.all((await files.keys(`facets/${name}`)).map(async search_val => {
      const { title, labs } = await files.valueOf(name, search_val);
      return { search_val, title, count: unpack(labs).length };
    }));
  }
  async function suggest(files, text, query, only) {
    const index = await indexOf(files);
    if (!index) return null;
    const [asked, { value: sought }] = await Promise.all([understand(files, index, query), lookUpAll(files, text.slice(0, LONGEST_QUERY), false).next()]);
    if (asked.invalid) return { suggestions: [] };
    const ranking = await rankingOf(files, index.facets, sought, text), names = only ? [only] : index.facets.map(({ name }) => name), others = {};
    const found = await Promise.all((await ranking.suggested(names)).map(async match => {
      const rest = ranking.withWords(~match.words).map(one => one.text).join(" ");
      const [entry, { labs }] = await Promise.all([ranking.entry(match), files.entry(match)]), argument = entry.search_arg;
      const marks = await (others[argument + rest] ??= seek(files, index, { ...asked, words: `${asked.words} ${rest}` }).then(async ({ selected }) => marksOf([await selected(argument)])));
      return { ...entry, count: countIn(marks, labs), rest };
    }));
    return { suggestions: found.filter(one => one.count) };
  }
  async function answer(files, query, soon) {
    const index = await indexOf(files);
    if (!index) return null;
    const asked = await understand(files, index, query);
    const { parameters, lastOf, chosen, counted, own: given, invalid } = asked;
    if (invalid) return { status: 400, document: invalid };
    const what = JSON.stringify([...chosen, asked.words, given.get("ordering")]);
    if (counted.length || given.has("matches")) files.foresee(["owned"]);
    if (last.files !== files || last.what !== what) {
      last = { files, what, finding: find(files, index, asked) };
      last.finding.catch(() => { last = {}; });
    }
    const { sought, selected, ranking, ranked, values } = await last.finding, size = index.page_size;
    const pages = Math.max(1, Math.ceil(ranked.length / size)), text = lastOf("page") || "1";
    const page = /^0*[1-9][0-9]{0,8}$/.test(text) ? Number(text) : 0;
    if (!page || page > pages) return { status: 404, document: { detail: index.invalid_page } };
    const address = number => {
      const others = [...parameters.filter(([name]) => name !== "page"), ...number > 1 ? [["page", `${number}`]] : []];
      return index.path + (others.length ? "?" + others.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&") : "");
    };
    const shown = ranked.slice((page - 1) * size, page * size);

    const mostFrequent = async (facet, slots) => {
      const { name } = facet, place = index.facets.indexOf(facet), counts = new Map(), owned = await Promise.all(slots.map(files.owned));
      for (const one of owned.flatMap(some => unpack(some[place]))) counts.set(one, (counts.get(one) ?? 0) + 1);
      const most = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a) || compare(a, b)).slice(0, MOST_VALUES);
      const found = await Promise.all(most.map(async one => typeof one === "string" ? { search_val: one, ...await files.valueOf(name, one) } : files.entry({ facet: name, id: one })));
      return new Map(found.map(one => [one.search_val, one]));
    };
    const facetOf = async facet => {
      const { name, title, search_arg } = facet, base = await selected(search_arg, true), own = chosen.get(search_arg) ?? [];
      const { below, values } = base.length ? await files.counts(name) : { values: [] }, sample = base.filter(slot => slot < below);
      const counted = (some, marks) => new Map(some.map(([value, one]) => [value, { title: one?.title ?? value, count: countIn(marks, one?.labs) }]));
      let known = counted(values.map(([value, title, labs]) => [value, { title, labs }]), marksOf([sample])), frequent = new Map();
      const isWhole = sample.length === base.length && values.length === facet.values, isFew = base.length <= COUNTED_ONE_BY_ONE;
      const is_exact = isWhole || isFew || facet.values <= MOST_VALUES;
      let best = [...known].filter(([, one]) => one.count).sort(([a, one], [b, other]) => other.count - one.count || compare(a, b)).map(([value]) => value);
      if (!isWhole && (isFew || sample.length < FEW_IN_SAMPLE)) best = [...(frequent = await mostFrequent(facet, base.slice(0, COUNTED_ONE_BY_ONE))).keys()];
      const shown = unique([...unique(is_exact ? best : [...best, ...known.keys()]).slice(0, MOST_VALUES), ...own]);
      if (!isWhole) known = counted(await Promise.all(shown.map(async value => [value, frequent.get(value) ?? await files.valueOf(name, value)])), marksOf([base]));
      for (const value of own) if (known.has(value)) known.get(value).count = countIn(marksOf([await selected(search_arg)]), await files.slots(name, value));
      const items = shown.map(value => ({ search_val: value, title: value, count: 0, ...known.get(value), is_selected: own.includes(value) }))
        .filter(one => one.count || one.is_selected).sort((a, b) => b.count - a.count || compare(a.search_val, b.search_val));
      return { name, title, search_arg, is_exact, items };
    };

    const notes = {}, results = [], ignored = sought.filter(({ found }) => found.isCommon).map(one => one.text);
    if (ignored.length) notes.ignored = ignored;
    const instead = sought.filter(({ found }) => found.instead.length).map(one => [one.text, one.found.instead]);
    if (instead.length) notes.instead = Object.fromEntries(instead);
    soon({ count: ranked.length, results, ...notes });
    for (const reading of shown.map(slot => ahead(files.card(slot)))) {
      const card = await reading;
      if (card) results.push(card);
      soon({ count: ranked.length, results, ...notes });
    }
    const document = {
      count: ranked.length,
      next: page < pages ? address(page + 1) : null,
      previous: page > 1 ? address(page - 1) : null,
      results,
    };
    if (given.get("matches") === "true") document.matches = await Promise.all(shown.map(async slot => {
      const [entries, texts] = await ranking.shown(slot);
      return { display_id: (await files.card(slot))?.display_id ?? "", entries: await Promise.all(entries.map(ranking.entry)), texts, ...values.get(slot) };
    }));
    if (counted.length) document.facets = await Promise.all(index.facets.filter(facet => counted.includes(facet.name)).map(facetOf));
    Object.assign(document, notes);
    const unknown = await Promise.all([...chosen].map(async ([name, values]) => {
      const facets = index.facets.filter(facet => facet.search_arg === name);
      const found = await Promise.all(values.map(async value => (await Promise.all(facets.map(facet => files.has(facet.name, value)))).some(Boolean)));
      return [name, values.filter((_, at) => !found[at])];
    }));
    const missed = unknown.filter(([, values]) => values.length);
    if (missed.length) document.unknown = Object.fromEntries(missed);
    return { status: 200, document };
  }
  async function find(files, index, asked) {
    const { sought, selected, verified } = await seek(files, index, asked);
    const ranking = await rankingOf(files, index.facets, sought, asked.words);
    const [ranked, values] = await inOrder(files, asked.own.get("ordering"), await selected(null), slots => ranking.ranked(slots, verified, index.page_size));
    return { sought, selected, ranking, ranked, values };
  }
  /** Returns slots in an order, and what they are ordered by, where no card has it. */
  async function inOrder(files, ordering, slots, bestFirst) {
    if (!ordering) return [await bestFirst(slots), new Map()];
    const field = ordering.replace("-", ""), groups = await files.order(field), marks = marksOf([slots]), values = new Map();
    if (field !== ordering) groups.reverse();
    for (const [value, group] of groups) if (value) for (const slot of group) values.set(slot, { [field]: value });
    return [groups.flatMap(([, group]) => group.filter(slot => marks[slot])), values];
  }
  /** Reads a query: what it chooses, and its words. */
  async function understand(files, index, query) {
    const parameters = parsed(query);
    const lastOf = name => parameters.findLast(([key]) => key === name)?.[1] ?? "";
    const given = async name => {
      const facets = index.facets.filter(facet => facet.search_arg === name), most = Math.max(0, ...facets.map(facet => facet.commas ?? 0)), values = [];
      for (const [key, text] of parameters) {
        if (key !== name) continue;
        const parts = text.split(",");
        for (let at = 0; at < parts.length;) { // a value of a facet may have commas itself
          let end = Math.min(at + most + 1, parts.length), value;
          for (;; end--) {
            value = parts.slice(at, end).join(",").replace(/^ +| +$/g, "");
            if (end === at + 1 || (await Promise.all(facets.map(facet => files.has(facet.name, value)))).some(Boolean)) break;
          }
          values.push(value);
          at = end;
        }
      }
      return values;
    };
    const chosen = new Map();
    for (const name of unique(index.facets.map(facet => facet.search_arg))) {
      const values = unique((await given(name)).filter(Boolean).map(value => name === "is_verified" ? value.toLowerCase() : value));
      if (values.length) chosen.set(name, values);
    }
    const own = new Map(parameters.filter(([name, text]) => Object.hasOwn(ONLY, name) && text));
    const wrong = [...index.facets.filter(facet => facet.only).map(({ search_arg, only }) => [search_arg, (chosen.get(search_arg) ?? []).filter(value => !only.includes(value))]),
      ...Object.entries(ONLY).map(([name, only]) => [name, own.has(name) && !only.includes(own.get(name)) ? [own.get(name)] : []])]
      .filter(([, values]) => values.length).map(([name, values]) => [name, values.map(value => index.invalid_value.replaceAll("{value}", () => value))]);
    if (wrong.length) return { invalid: Object.fromEntries(wrong) };
    return { parameters, lastOf, chosen, counted: await given("facets"), own, words: lastOf("q") };
  }
  /** Returns what words find, and whom that and what is chosen select. */
  async function seek(files, index, { chosen, words }) {
    const slotsOf = async (argument, values) => union(await Promise.all(index.facets.filter(facet => facet.search_arg === argument)
      .flatMap(facet => values.map(value => files.slots(facet.name, value)))));
    const meanings = lookUpAll(files, words, index.has_texts);
    const hasWords = itemsOf(readable(words)).some(({ text, isAtom }) => !isAtom && !isPublisher(text));
    files.foresee(["cards", ...hasWords ? ["words", "ends"] : [], ...words || chosen.size ? ["entries"] : []]);
    const [byArgument, verified, literal] = await Promise.all([
      Promise.all([...chosen].map(async ([name, values]) => [name, await slotsOf(name, values)])),
      files.slots("is_verified", "true"),
      meanings.next(),
    ]);
    let sought = literal.value;
    const tried = [];
    /** Returns whom all but one argument select: by the reading that is answered, or by the first that finds any. */
    const selected = async (without, isFirst) => {
      for (const some of isFirst ? tried : [sought]) {
        const byWord = some.filter(({ found }) => !found.isCommon).map(({ found }) => found.slots);
        const lists = [...byArgument.filter(([name]) => name !== without).map(([, slots]) => slots), ...byWord];
        const slots = lists.length ? intersection(lists) : union([verified, await files.slots("is_verified", "false")]);
        if (slots.length || some === sought) return slots;
      }
    };
    while (sought && tried.push(sought) && !(await selected(null)).length) sought = (await meanings.next()).value;
    sought ??= literal.value;
    return { sought, selected, verified };
  }
}
