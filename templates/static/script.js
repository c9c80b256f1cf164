// The page is complete without this: it adds tabs that keep the place, a filter, folding, copying and decoding.
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
  for (const origin of $$(".origin")) if (!origin.textContent) origin.textContent = location.origin;

  // Copying.
  for (const button of $$("[data-copy]")) {
    button.hidden = false;
    const label = button.innerHTML;
    button.addEventListener("click", async () => {
      const text = document.getElementById(button.dataset.copy).textContent;
      const done = await write(text) ? texts.copied : texts.notCopied;
      button.textContent = done;
      announce(done);
      setTimeout(() => { button.innerHTML = label; }, 2000);
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
  const block = $("#json");
  const tools = $(".tools");
  tools.hidden = false;

  // Tabs: the address says which view is shown; the address of an entry leaves the view as it is.
  const tabs = $$(".tabs a");
  const views = new Set(tabs.map(tab => tab.hash));
  const show = () => {
    if (views.has(location.hash)) main.dataset.view = location.hash.slice(1);
    else if (!location.hash || !main.dataset.view) main.dataset.view = "json";
    for (const tab of tabs) {
      if (tab.hash === "#" + main.dataset.view) tab.setAttribute("aria-current", "true");
      else tab.removeAttribute("aria-current");
    }
  };
  for (const tab of tabs) {
    tab.addEventListener("click", event => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      if (location.hash !== tab.hash) history.pushState(null, "", tab.hash);
      show();
    });
  }
  addEventListener("hashchange", show);
  addEventListener("popstate", show);
  show();

  // Entries that were far away get their true height only when they are near: look again where one is.
  const settle = () => {
    const entry = /^#\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
    if (entry) requestAnimationFrame(() => { entry.scrollIntoView(); requestAnimationFrame(() => entry.scrollIntoView()); });
  };
  addEventListener("hashchange", settle);
  addEventListener("load", settle);

  // The number beside an entry is its address.
  block.addEventListener("click", event => {
    const entry = event.target.closest("[id]");
    if (entry !== block && event.target === entry && event.clientX < block.getBoundingClientRect().left + 44) {
      location.hash = entry.id;
    }
  });

  // Folding: a button before whatever stands in brackets, made when that comes near; one of them is in the
  // order of the Tab key, the arrow keys lead to the others.
  const rows = $$("tr[id]", block);
  const parts = rows.length ? rows : $$("pre#json span");
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
    if (rows.length) part.firstElementChild.prepend(button);
    else part.before(button);
    buttons.set(part, button);
    return button;
  };
  const fold = (part, open) => {
    part.classList.toggle("folded", !open);
    buttons.get(part)?.setAttribute("aria-expanded", open);
  };
  const near = new IntersectionObserver(found => {
    for (const { isIntersecting, target } of found) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      buttonOf(target);
    }
  }, { rootMargin: "600px" });
  for (const part of parts) near.observe(part);
  if (parts.length) buttonOf(parts[0]);
  const inner = parts.filter(part => part !== $("pre#json > span"));
  const all = $("[data-act=fold]");
  all.hidden = !inner.length;
  all.setAttribute("aria-expanded", "true");
  all.addEventListener("click", () => {
    const open = all.getAttribute("aria-expanded") === "false";
    for (const part of inner) fold(part, open);
    all.setAttribute("aria-expanded", open);
  });
  const partOf = button => rows.length ? button.closest("tr") : button.nextElementSibling;
  block.addEventListener("click", event => {
    const button = event.target.closest(".fold");
    if (button) fold(partOf(button), !isOpen(partOf(button)));
  });
  block.addEventListener("keydown", event => {
    if (!event.target.matches(".fold")) return;
    const part = partOf(event.target);
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") fold(part, event.key === "ArrowRight");
    else if (["ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) {
      const seen = parts.filter(one => !one.hidden && !one.parentElement.closest(".folded, [hidden]"));
      const now = seen.indexOf(part);
      const to = seen[{ ArrowUp: now - 1, ArrowDown: now + 1, Home: 0, End: seen.length - 1 }[event.key]];
      if (!to) return;
      event.target.tabIndex = -1;
      buttonOf(to).tabIndex = 0;
      buttonOf(to).focus();
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
  const decoder = (label, action) => {
    const button = make("button", { type: "button", className: "decode" }, { "aria-label": label });
    button.addEventListener("click", () => { announce(action()); button.remove(); });
    return button;
  };
  for (const place of $$("[data-codes]")) {
    const label = `${texts.decode}: ${place.previousElementSibling.textContent}`;
    const button = decoder(label, () => {
      const text = decode(place.dataset.codes);
      const link = make("a", { textContent: text, href: place.dataset.scheme + text.replace(/\s/g, "") });
      place.replaceChildren(link);
      link.focus();
      return text;
    });
    button.textContent = texts.decode;
    place.replaceChildren(button);
  }
  for (const key of $$("pre#json i")) {
    const name = key.textContent.slice(1, -1);
    const value = key.nextElementSibling;
    if (!name.startsWith("encoded_") || value?.textContent.length < 3) continue;
    value.after(decoder(texts.decode, () => {
      value.dataset.decoded = decode(JSON.parse(value.textContent));
      return value.dataset.decoded;
    }));
  }

  // The filter. A letter with two dots is found by the letter alone and by the letter with an e.
  const filter = $("#filter");
  if (!filter) return;
  const box = $(".filter");
  const output = $("output", box);
  box.hidden = false;
  const plain = text => text.toLowerCase().replace(/ß/g, "ss").normalize("NFD");
  const fold1 = text => plain(text).replace(/\p{M}/gu, "").replace(/ł/g, "l").replace(/ø/g, "o").replace(/æ/g, "ae").replace(/ı/g, "i");
  const fold2 = text => fold1(plain(text).replace(/([aou])\u0308/g, "$1e").replace(/å|a\u030a/g, "aa").replace(/ø/g, "oe"));
  const words = value => {
    if (typeof value === "string") return value.startsWith("/") ? "" : value.replace(/<\/?su[bp]>/g, "");
    if (value && typeof value === "object") return Object.values(value).map(words).join(" ");
    return typeof value === "number" ? String(value) : "";
  };
  const cards = $$(".cards > *");
  let entries;
  const read = () => {
    const found = JSON.parse(block.textContent);
    const items = Array.isArray(found) ? found : found.items;
    entries = items.map((item, at) => {
      const text = words(item);
      return { texts: [fold1(text), fold2(text)], shown: [document.getElementById(at + 1), cards[at]].filter(Boolean), isShown: true };
    });
  };
  let waiting;
  const apply = () => {
    entries ?? read();
    const wanted = filter.value.trim().split(/\s+/).filter(Boolean).map(word => [fold1(word), fold2(word)]);
    let count = 0;
    for (const entry of entries) {
      const isShown = wanted.every(forms => forms.some((form, at) => entry.texts[at].includes(form)));
      count += isShown;
      if (isShown === entry.isShown) continue;
      entry.isShown = isShown;
      for (const element of entry.shown) element.hidden = !isShown;
    }
    const number = value => value.toLocaleString(document.documentElement.lang);
    const text = wanted.length ? texts.shown : texts.all;
    output.textContent = text.replace("{shown}", number(count)).replace("{all}", number(entries.length));
    const address = new URL(location);
    if (wanted.length) address.searchParams.set("q", filter.value);
    else address.searchParams.delete("q");
    clearTimeout(waiting);
    waiting = setTimeout(() => { if (address.href !== location.href) history.replaceState(null, "", address); }, 200);
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
