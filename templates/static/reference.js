// The reference is complete without this: it adds a filter, one language for all samples, and requests that are sent.
"use strict";
(() => {
  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
  const reference = $(".reference");
  const make = (name, text = "", className = "") => Object.assign(document.createElement(name), { textContent: text, className });

  // A field that is folded away is unfolded when its address is opened.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    let isOpened = false;
    for (let one = target.closest("details"); one; one = one.parentElement.closest("details")) {
      isOpened ||= !one.open;
      one.open = true;
    }
    if (isOpened) target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();

  // The filter of the navigation: words of the links, and of what they lead to.
  const filter = $("#ref-filter");
  const plain = text => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
  const links = $$(".ref-nav li").map(item => ({ item, words: plain(`${item.textContent} ${item.dataset.words ?? ""}`) }));
  filter.parentElement.hidden = false;
  filter.addEventListener("input", () => {
    const wanted = plain(filter.value).split(/\s+/).filter(Boolean);
    for (const { item, words } of links) item.hidden = !wanted.every(word => words.includes(word));
    for (const list of $$(".ref-nav ul")) {
      list.previousElementSibling.hidden = list.hidden = ![...list.children].some(item => !item.hidden);
    }
  });
  filter.addEventListener("keydown", event => {
    if (event.key === "Enter") $$(".ref-nav li:not([hidden]) a")[0]?.click();
    if (event.key !== "Escape" || !filter.value) return;
    filter.value = "";
    filter.dispatchEvent(new Event("input"));
  });
  addEventListener("keydown", event => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.closest("input, textarea")) return;
    event.preventDefault();
    filter.focus();
  });

  // On a phone, the table of contents is folded until it is asked for.
  const contents = $(".ref-contents");
  const isWide = matchMedia("(min-width: 62rem)");
  const fold = () => {
    contents.open = isWide.matches;
    contents.classList.add("ready");
  };
  isWide.addEventListener("change", fold);
  fold();
  contents.addEventListener("click", event => {
    if (event.target.closest("a") && !isWide.matches) contents.open = false;
  });

  // Where the reader is.
  const here = new Map($$(".ref-nav a").map(link => [link.hash.slice(1), link]));
  const seen = new Set();
  let current = null;
  const observer = new IntersectionObserver(changes => {
    for (const { isIntersecting, target } of changes) {
      if (isIntersecting) seen.add(target);
      else seen.delete(target);
    }
    const first = parts.find(part => seen.has(part));
    const link = first && here.get(first.getAttribute("aria-labelledby"));
    if (!link || link === current) return;
    current?.removeAttribute("aria-current");
    current = link;
    link.setAttribute("aria-current", "true");
    const nav = $(".ref-nav");
    const { top, bottom } = link.getBoundingClientRect();
    if (getComputedStyle(nav).position === "sticky" && (top < 0 || bottom > innerHeight)) nav.scrollTop = link.offsetTop - innerHeight / 2;
  }, { rootMargin: "-10% 0px -60% 0px" });
  const parts = $$(".ref-part");
  for (const part of parts) observer.observe(part);

  // A reader wants one language: a choice holds for all samples, and for the next visit.
  const choose = language => {
    for (const input of $$(".ref-languages input")) if (input.value === language) input.checked = true;  // not each sample has it
  };
  const kept = (() => { try { return localStorage.getItem("sample"); } catch { return null; } })();
  if ($$(".ref-languages input").some(input => input.value === kept)) choose(kept);
  for (const input of $$(".ref-languages input")) {
    input.addEventListener("change", () => {
      const { top } = input.parentElement.getBoundingClientRect();
      choose(input.value);
      scrollBy({ top: input.parentElement.getBoundingClientRect().top - top, behavior: "instant" });
      try { localStorage.setItem("sample", input.value); } catch { /* the choice holds for this visit */ }
    });
  }

  // A request to the host of this page.
  const root = new URL(reference.dataset.root || "./", location.href);
  const address = (form, values) => {
    const paths = form.dataset.paths.trim().split(" ");
    const names = path => [...path.matchAll(/<(\w+)>/g)].map(found => found[1]);
    const usable = paths.filter(path => names(path).every(name => values[name])).at(-1) ?? paths[0];
    const path = usable.replace(/<(\w+)>/g, (_, name) => encodeURIComponent(values[name]));
    const url = new URL(path.slice(1), root);
    for (const [name, value] of Object.entries(values)) {
      if (value && !paths.some(one => names(one).includes(name))) url.searchParams.set(name, value);
    }
    return url;
  };
  const coloured = text => {
    const pre = Object.assign(make("pre", "", "ref-json"), { tabIndex: 0 });
    pre.setAttribute("role", "region");
    let end = 0;
    for (const found of text.matchAll(/("(?:[^"\\]|\\.)*")(:)?|(-?\d[\d.eE+-]*|true|false|null)/g)) {
      pre.append(text.slice(end, found.index), make(found[3] ? "u" : found[2] ? "i" : "b", found[3] ?? found[1]), found[2] ?? "");
      end = found.index + found[0].length;
    }
    pre.append(text.slice(end));
    return pre;
  };
  const MOST = 40_000;
  const show = async (form, url) => {
    const output = $(".ref-status", form);
    $("pre", form)?.remove();
    const started = performance.now();
    let answer, body;
    try {
      answer = await fetch(url, { headers: { Accept: "application/json" }, cache: "no-store" });
      body = await answer.text();
    } catch (error) {
      output.replaceChildren(make("span", `${reference.dataset.failed} ${error.message}`, "status"));
      return;
    }
    const time = `${Math.round(performance.now() - started)} ms · ${new TextEncoder().encode(body).length} B`;
    const fields = make("dl");
    for (const [name, value] of answer.headers) fields.append(make("dt", name), make("dd", value));
    output.replaceChildren(make("span", `${answer.status} ${answer.statusText}`, "status"), ` · ${time} · ${url.pathname}${url.search}`, fields);
    let text = body;
    try { text = JSON.stringify(JSON.parse(body), null, 2); } catch { /* it is shown as it came */ }
    const pre = coloured(text.length > MOST ? `${text.slice(0, MOST)}\n…` : text);
    pre.setAttribute("aria-label", url.pathname);
    form.append(pre);
  };
  for (const form of $$(".ref-try")) {
    $("button", form).disabled = false;
    form.addEventListener("submit", event => {
      event.preventDefault();
      const values = Object.fromEntries($$("input", form).map(input => [input.name, input.value.trim()]));
      show(form, address(form, values));
    });
  }
})();
