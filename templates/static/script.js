// The page is complete without this: it adds a filter, folding, copying and decoding.
"use strict";
(() => {
  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
  const texts = $("main").dataset;
  const announce = text => { $(".announce").textContent = text; };
  const make = (name, properties, attributes = {}) => {
    const element = Object.assign(document.createElement(name), properties);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };

  // Addresses begin with this host where the settings name none.
  for (const origin of $$(".origin:empty, .origin.here")) origin.textContent = location.origin;

  // The field of the search needs scripts; its place is kept, so that nothing moves.
  $(".query")?.classList.remove("waiting");

  // Copying.
  for (const button of $$("[data-copy]")) {
    button.hidden = false;
    const label = [...button.childNodes];
    button.addEventListener("click", async () => {
      const text = document.getElementById(button.dataset.copy).textContent;
      const done = await write(text) ? texts.copied : texts.notCopied;
      button.textContent = done;
      button.dataset.done = done === texts.copied ? "✓" : "✗";
      announce(done);
      setTimeout(() => {
        button.replaceChildren(...label);
        delete button.dataset.done;
      }, 2000);
    });
  }
  async function write(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = make("textarea", { value: text, className: "unseen" });
      const focused = document.activeElement;
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      focused?.focus();
      return done;
    }
  }

  const main = $(".page");
  if (!main) return;
  // A name that is cut can have the focus, and is whole then.
  const heading = $("h1");
  if (heading?.scrollHeight > heading?.clientHeight * 1.2) heading.tabIndex = 0;

  // The row of sections begins with what is shown, and fades where it goes on.
  const row = $(".sections");
  if (row) {
    const { offsetLeft, offsetWidth } = $("[aria-current]", row) ?? row;
    for (const count of $$("small", row)) count.parentElement.classList.toggle("empty", count.textContent === "0");
    const fade = () => row.classList.toggle("more", row.scrollLeft + row.clientWidth < row.scrollWidth - 1);
    row.scrollLeft = offsetLeft - (row.clientWidth - offsetWidth) / 2;
    row.addEventListener("scroll", fade, { passive: true });
    addEventListener("resize", fade);
    fade();
  }

  // What unfolds over the document folds again.
  const answer = $(".request details");
  addEventListener("click", event => { if (answer?.open && !answer.contains(event.target)) answer.open = false; });
  answer?.addEventListener("keydown", event => {
    if (event.key !== "Escape") return;
    answer.open = false;
    $("summary", answer).focus();
  });

  const block = $("#json");
  if (!block) return;
  $(".tools").hidden = false;

  // An entry has an address. Entries that were far away get their true height only when they are near: look again
  // where one is.
  const items = $$("[id]", block);
  const settle = () => {
    const entry = items.find(item => "#" + item.id === location.hash);
    if (entry) requestAnimationFrame(() => { entry.scrollIntoView(); requestAnimationFrame(() => entry.scrollIntoView()); });
  };
  addEventListener("hashchange", settle);
  addEventListener("load", settle);

  // What is near the window: groups of items, or single items of a list. All else is left alone.
  const near = new Set();
  const onNear = [];
  const observer = new IntersectionObserver(changes => {
    for (const { isIntersecting, target } of changes) {
      if (isIntersecting) near.add(target);
      else near.delete(target);
    }
    for (const look of onNear) look();
  }, { rootMargin: "600px" });
  const grouped = $$("code", block);
  for (const group of grouped.length ? grouped : items) observer.observe(group);
  const entriesOf = group => grouped.includes(group) ? [...group.children] : [group];

  // Folding: a button before whatever stands in brackets, made when that comes near. One of the buttons and one of
  // the links of entries are in the order of the Tab key, and the arrow keys lead to the others.
  const links = $$("[id] > a[href^='#']", block);
  links.forEach((link, at) => { link.tabIndex = at ? -1 : 0; });
  const parts = $$("span", block);
  const inner = items.length ? $$("span[id], span[id] span", block) : parts.slice(1);
  const buttons = new Map();
  const isOpen = part => !part.classList.contains("folded");
  const label = part => {
    const key = part.previousElementSibling?.matches("i") ? part.previousElementSibling.textContent : "";
    return `${texts.fold} ${part.id || key}`.trim();
  };
  const buttonOf = part => {
    if (buttons.has(part)) return buttons.get(part);
    const button = make("button", { type: "button", className: "fold", tabIndex: part === parts[0] ? 0 : -1 },
      { "aria-label": label(part), "aria-expanded": isOpen(part) });
    part.before(button);
    buttons.set(part, button);
    return button;
  };
  const fold = (part, open) => {
    part.classList.toggle("folded", !open);
    buttons.get(part)?.setAttribute("aria-expanded", open);
  };
  // Lines of text without groups are laid out all at once, so what is put between them comes before that.
  for (const part of grouped.length ? $$("span:not(code span)", block) : parts) buttonOf(part);
  if (grouped.length) onNear.push(() => {
    for (const group of near) for (const part of $$("span", group)) buttonOf(part);
  });
  const all = $("[data-act=fold]");
  all.hidden = !inner.length;
  all.setAttribute("aria-expanded", "true");
  all.addEventListener("click", () => {
    const open = all.getAttribute("aria-expanded") === "false";
    for (const part of inner) fold(part, open);
    all.setAttribute("aria-expanded", open);
  });
  block.addEventListener("click", event => {
    const part = event.target.closest(".fold")?.nextElementSibling;
    if (part) fold(part, !isOpen(part));
  });
  const isSeen = part => !part.hidden && !part.parentElement.closest(".folded, [hidden]");
  const next = (all, from, step) => {
    let at = from + step;
    while (all[at] && !isSeen(all[at])) at += step;
    return all[at];
  };
  block.addEventListener("keydown", event => {
    const isFold = event.target.matches(".fold");
    if (!isFold && !links.includes(event.target)) return;
    const part = isFold ? event.target.nextElementSibling : event.target;
    const all = isFold ? parts : links;
    const now = all.indexOf(part);
    const moves = { ArrowUp: [now, -1], ArrowDown: [now, 1], Home: [-1, 1], End: [all.length, -1] };
    if (isFold && (event.key === "ArrowLeft" || event.key === "ArrowRight")) fold(part, event.key === "ArrowRight");
    else if (event.key in moves) {
      const found = next(all, ...moves[event.key]);
      if (!found) return;
      const to = isFold ? buttonOf(found) : found;
      event.target.tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
    } else return;
    event.preventDefault();
  });

  // Long lines.
  $("[data-act=wrap]").addEventListener("click", ({ currentTarget: button }) => {
    const isWrapped = !main.classList.toggle("unwrapped");
    button.setAttribute("aria-pressed", isWrapped);
  });

  // Encoded addresses and numbers are decoded here and only when somebody asks.
  const decode = codes => String.fromCodePoint(...codes.split(",").map(Number));
  const decoder = action => {
    const button = make("button", { type: "button", className: "decode", title: texts.decode }, { "aria-label": texts.decode });
    button.addEventListener("click", () => { announce(action()); button.remove(); });
    return button;
  };
  for (const key of $$("pre#json i")) {
    const name = key.textContent.slice(1, -1);
    const value = key.nextElementSibling;
    if (!name.startsWith("encoded_") || value?.textContent.length < 3) continue;
    key.before(decoder(() => {
      value.dataset.decoded = decode(JSON.parse(value.textContent));
      return value.dataset.decoded;
    }));
  }

  const filter = $("#filter");
  if (!filter) return;

  // Texts are compared without case, accents and what nobody sees. Of accents, those are kept that are also spelt
  // with a letter more: a, o and u with two dots (ae, oe, ue), and a with a ring (aa).
  const SPELT = { ß: "ss", æ: "ae", œ: "oe", ø: "o\u0308", ł: "l", đ: "d", ı: "i", ς: "σ" };
  const plain = text => text.normalize("NFKD").toLowerCase().replace(/[ßæœøłđıς]/g, letter => SPELT[letter])
    .replace(/([aou]\u0308|a\u030a)|[\p{M}\p{Cf}]/gu, (_, kept) => kept ?? "");

  // A word of the query finds itself anywhere: ö also as oe, o and oe also as ö, a long word also with hyphens.
  // Where its letters begin a word, spaces and names of bodies may stand before digits: ISO17025, ISO/IEC 17025.
  const GAP = "[^\\p{L}\\p{N}\\0]";
  const BODIES = `(?:(?:astm|cen|cispr|clc|din|en|etsi|iec|ieee|iso|nr|pas|spec|tr|ts|vde|vdi)${GAP}{1,3}){0,3}`;
  const BETWEEN = { LL: `${GAP}{0,3}`, NN: `${GAP}{1,3}`, NL: `${GAP}{0,3}`, LN: `${GAP}{0,3}${BODIES}` };
  const kindOf = run => /^\p{L}/u.test(run) ? "L" : /^\p{N}/u.test(run) ? "N" : /^[-‐–—/.,:;_·()'’]+$/.test(run) ? "gap" : "sign";
  const ofLetters = letters => {
    const hyphen = letters.length > 3 ? "[-‐–—/·]?" : "";
    const found = { "a\u030a": "a(?:\u030a|a)", aa: `a(?:\u030a|${hyphen}a)`, a: "a[\u0308\u030a]?", o: "o\u0308?", u: "u\u0308?" };
    for (const vowel of "aou") {
      found[vowel + "\u0308"] = `${vowel}(?:\u0308|e)`;
      found[vowel + "e"] = `${vowel}(?:${hyphen}e|\u0308e?)`;
    }
    return letters.match(/[aou]\u0308|a\u030a|[aou]e|aa|./gu).map(one => found[one] ?? one).join(hyphen);
  };
  const patternOf = word => {
    const runs = plain(word).match(/\p{L}[\p{L}\p{M}]*|\p{N}+|[^\p{L}\p{N}]+/gu) ?? [];
    let exact = "", loose = "", before = "";
    runs.forEach((run, at) => {
      const kind = kindOf(run);
      if (kind === "gap" && runs.length > 1) return;
      const gap = BETWEEN[before + kind] ?? "";
      const found = kind === "L" ? ofLetters(run) : run.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
      exact += (at && kindOf(runs[at - 1]) === "gap" ? gap : "") + found;
      loose += gap + (kind === "N" && run.length > 4 ? [...run].join("[ .]?") : found);
      before = kind;
    });
    return exact === loose ? exact : `(?:${exact}|(?<![\\p{L}\\p{N}])${loose})`;
  };

  // The entries: what each says, and the element that shows it.
  const words = value => {
    if (typeof value === "string") return value.startsWith("/") ? "" : value.replace(/<\/?su[bp]>/g, "");
    if (value && typeof value === "object") return Object.values(value).map(words).join("\0");
    return typeof value === "number" ? String(value) : "";
  };
  let entries;
  const read = () => {
    const found = JSON.parse(block.textContent);
    const listed = Array.isArray(found) ? found : Object.values(found).findLast(Array.isArray);
    entries = listed.map((item, at) => ({ text: plain(words(item)), element: items[at], isShown: true }));
  };

  // Hits are marked in what is near, and without an element for them: a text is made of the texts of a cell, those
  // of the page alone (JSON spells some that nobody reads), and each piece of what it is as plain text has a place.
  const hits = window.Highlight && new Highlight();
  if (hits) CSS.highlights.set("hit", hits);
  const textsIn = element => {
    const cells = new Map();
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const cell = node.parentElement.closest("b");
      if (!cell) continue;
      if (!cells.has(cell)) cells.set(cell, []);
      cells.get(cell).push(node);
    }
    return cells.values();
  };
  const markIn = (nodes, pattern) => {
    let text = "";
    const places = [];
    for (const node of nodes) {
      for (const { 0: letter, index } of node.data.matchAll(/\P{M}\p{M}*/gu)) {
        const found = plain(letter);
        for (let unit = 0; unit < found.length; unit++) places.push([node, index, index + letter.length]);
        text += found;
      }
    }
    for (const { 0: found, index } of text.matchAll(pattern)) {
      const [startContainer, startOffset] = places[index];
      const [endContainer, , endOffset] = places[index + found.length - 1];
      hits.add(new StaticRange({ startContainer, startOffset, endContainer, endOffset }));
    }
  };
  let wanted = [];
  const mark = () => {
    if (!hits) return;
    hits.clear();
    if (!wanted.length) return;
    const pattern = new RegExp(wanted.join("|"), "gu");
    for (const group of near) {
      for (const element of entriesOf(group)) {
        if (!element.hidden) for (const nodes of textsIn(element)) markIn(nodes, pattern);
      }
    }
  };
  onNear.push(mark);

  const box = $(".filter");
  const output = $("output", box);
  box.hidden = false;
  const groups = grouped.map(body => ({ body, rows: [...body.children].filter(one => one.localName !== "button") }));
  let waiting;
  const apply = () => {
    entries ?? read();
    wanted = filter.value.split(/\s+/).map(patternOf).filter(Boolean);
    const patterns = wanted.map(one => new RegExp(one, "u"));
    let count = 0;
    for (const entry of entries) {
      const isShown = patterns.every(pattern => pattern.test(entry.text));
      count += isShown;
      if (isShown === entry.isShown) continue;
      entry.isShown = isShown;
      entry.element.hidden = !isShown;
    }
    main.classList.toggle("filtered", wanted.length > 0);
    for (const { body, rows } of groups) {
      const shown = rows.filter(row => !row.hidden).length;
      body.hidden = !shown;
      body.style.setProperty("--rows", shown);
    }
    mark();
    const number = value => value.toLocaleString(document.documentElement.lang, { useGrouping: "always" });
    const text = wanted.length ? texts.shown : texts.all;
    output.textContent = text.replace("{shown}", number(count)).replace("{all}", number(entries.length));
    const address = new URL(location);
    if (wanted.length) address.searchParams.set("q", filter.value);
    else address.searchParams.delete("q");
    clearTimeout(waiting);
    waiting = setTimeout(() => { if (address.href !== location.href) history.replaceState(history.state, "", address); }, 200);
  };
  filter.addEventListener("input", apply);
  const clear = () => { filter.value = ""; apply(); };
  addEventListener("keydown", event => {
    const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      filter.focus();
      filter.select();
    } else if (event.key === "Escape" && filter.value) {
      event.preventDefault();
      clear();
    }
  });
  const asked = new URLSearchParams(location.search).get("q");
  if (asked) {
    filter.value = asked;
    apply();
  }
})();
