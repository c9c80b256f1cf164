// The page that searches. The address says what is searched for; the client of the index (client.js) finds it.
"use strict";
(() => {
  const page = document.querySelector(".search");
  const $ = selector => page.querySelector(selector);
  const { root, laboratories, pages, index, client } = page.dataset;
  const texts = JSON.parse(page.dataset.texts);
  const language = document.documentElement.lang;
  const field = $("#q"), heading = $("#count"), notes = $(".notes"), problem = $(".problem"), chips = $(".chosen");
  const found = $(".found"), turns = $(".turn"), filters = $(".filters"), results = $(".results"), order = $(".order select");
  const site = new URL(root, location).href;
  const title = document.title, isFile = location.protocol === "file:";
  const WAIT = 100, LOADING = 300, SLOW = 1000, SLICE = 10, MOST_COMMAS = 32, MOST_TRIED = 16, NO_RATING = "0.00";
  const titles = new Map();
  const keyOf = (argument, value) => `${argument}=${value}`;

  const number = new Intl.NumberFormat(language, { useGrouping: "always" }).format;
  const decimal = value => Number(value).toLocaleString(language, { minimumFractionDigits: 2 });
  const say = (text, values = {}) => texts[text].replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  // The address: parameters of the API, none empty but `embed`.
  const parameters = () => new URLSearchParams(location.search);
  const chosenIn = (all, argument) => all.getAll(argument).flatMap(text => {
    const parts = text.split(","), values = [], first = count => parts.slice(0, count).join(",").trim();
    while (parts.length) { // a value may have commas itself
      let count = Math.min(parts.length, MOST_COMMAS + 1);
      while (count > 1 && !titles.has(keyOf(argument, first(count)))) count--;
      values.push(first(count));
      parts.splice(0, count);
    }
    return [...new Set(values.filter(Boolean).map(value => argument === "is_verified" ? value.toLowerCase() : value))];
  });
  const addressOf = all => {
    for (const [name, value] of [...all]) if (!value.trim() && name !== "embed") all.delete(name);
    const query = `${all}`.replaceAll("%2C", ",");
    return location.pathname + (query && `?${query}`);
  };
  const go = (change, isReplaced = false) => {
    const all = parameters();
    all.delete("page");
    change(all);
    const address = addressOf(all);
    if (address !== location.pathname + location.search) history[isReplaced ? "replaceState" : "pushState"](null, "", address);
    return show();
  };

  // At first, the page has the counts of all laboratories.
  const itemsOf = facet => [...facet.querySelectorAll("[data-value]")].map(link => ({
    search_val: link.dataset.value, title: link.firstElementChild.textContent, count: Number(link.lastElementChild.textContent.replace(/\D/g, "")),
  }));
  const facets = [...page.querySelectorAll(".facet")].map(element => {
    const { name, arg } = element.dataset, [list, note, within] = ["ul", ".selection", ".within"].map(one => element.querySelector(one));
    return { name, arg, element, items: itemsOf(element), list, note, within, rows: new Map(), shown: null, opened: null };
  });
  const learn = (facet, items) => {
    for (const { search_val: value, title } of items) {
      if (title !== value || !titles.has(keyOf(facet.arg, value))) titles.set(keyOf(facet.arg, value), title);
    }
  };
  for (const facet of facets) learn(facet, facet.items);
  const names = [...new Set(facets.map(({ arg }) => arg))];
  const choose = (argument, value, isChosen) => go(all => {
    const others = chosenIn(all, argument).filter(one => one !== value);
    all.set(argument, (isChosen ? [...others, value] : others).join(","));
  });
  const rowOf = (facet, value) => {
    if (!facet.rows.has(value)) {
      const box = make("input", { type: "checkbox" });
      box.addEventListener("change", () => choose(facet.arg, value, box.checked));
      const name = make("span", { dir: "auto" }), count = make("small");
      const row = make("li", {}, make("label", { className: "value" }, box, name, count));
      facet.rows.set(value, { row, box, name, count });
    }
    return facet.rows.get(value);
  };
  const showFacet = (facet, items, chosen, isExact = true) => {
    learn(facet, items);
    facet.note.hidden = isExact && items.length;
    facet.note.textContent = items.length ? texts.a_selection : texts.no_values;
    const rows = items.map(item => {
      const { row, box, name, count } = rowOf(facet, item.search_val);
      box.checked = chosen.includes(item.search_val);
      name.textContent = item.title;
      count.textContent = number(item.count);
      return row;
    });
    const focused = document.activeElement, isInside = facet.list.contains(focused);
    facet.list.ariaBusy = "false";
    facet.element.hidden = !rows.length && !facet.within?.value && facet.opened !== turn;
    const isUsed = $("#facets").matches(":hover, :focus-within"); // what is below stays where it is
    facet.list.style.minHeight = isUsed ? `${facet.list.offsetHeight}px` : "";
    facet.list.replaceChildren(...rows);
    if (isInside) (facet.list.contains(focused) ? focused : facet.element.querySelector("summary")).focus({ preventScroll: true });
  };
  const isNarrow = all => all.has("q") || facets.some(({ arg }) => all.has(arg));
  const narrowing = () => {
    const all = parameters();
    for (const name of ["page", "facets", "ordering"]) all.delete(name);
    return all;
  };
  const within = facet => facet.within?.value.trim() ?? "";
  const isShown = (facet, all) => facet.shown === `${all} ${within(facet)}`;
  const countFacets = async (all, mine) => {
    const isHidden = getComputedStyle($("#facets")).display === "none";
    const isUnknown = ({ arg }) => chosenIn(all, arg).some(value => !titles.has(keyOf(arg, value)));
    await Promise.all(facets.filter(facet => isHidden ? isUnknown(facet) : facet.element.open && !isShown(facet, all)).map(async facet => {
      const text = within(facet);
      let items = facet.items, isExact = true;
      if (text) {
        items = (await search.suggest(text, `${changed(all, facet.arg, "")}`, facet.name)).suggestions;
      } else if (isNarrow(all)) {
        const { document: { facets: [counted] = [] } } = await search(`${all}&facets=${encodeURIComponent(facet.name)}`);
        items = counted?.items ?? [];
        isExact = counted?.is_exact ?? true;
      }
      if (mine !== turn || text !== within(facet)) return;
      facet.shown = `${all} ${text}`;
      showFacet(facet, items, chosenIn(all, facet.arg), isExact);
      showChosen(all);
    }));
  };
  const showChosen = all => {
    const chosen = names.flatMap(arg => chosenIn(all, arg).map(value => [arg, value]));
    chips.replaceChildren(...chosen.map(([argument, value]) => {
      const title = titles.get(keyOf(argument, value)) ?? value;
      const text = argument === "is_verified" ? `${say("entry", { section: $(`[data-arg=${argument}] summary`).textContent })} ${title}` : title;
      const button = make("button", { type: "button", textContent: text, dir: "auto", ariaLabel: say("remove", { value: text }) });
      button.addEventListener("click", () => { choose(argument, value, false); heading.focus(); });
      return make("li", {}, button);
    }));
    chips.hidden = !chosen.length;
    filters.textContent = texts.filters + (chosen.length ? ` (${number(chosen.length)})` : "");
  };

  const initials = name => name.match(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu)?.slice(0, 2).join("").toUpperCase();
  // Why a laboratory was found. It takes its place before it is known.
  const parts = some => some.map((text, at) => at % 2 ? make("mark", { textContent: text }) : text);
  const explain = async (all, mine) => {
    if (!found.querySelector(".why")) return;
    const { document: { matches = [] } } = await search(`${all}&matches=true`);
    if (mine === turn) for (const { display_id, entries, texts: words, rating } of matches) {
      const why = found.querySelector(`[data-id="${display_id}"] .why`);
      const reasons = entries.map(({ section, marked: title }) => [say("entry", { section }), " ", make("bdi", {}, ...parts(title))]);
      if (rating) reasons.unshift([rating === NO_RATING ? texts.no_rating : say("rated", { rating: decimal(rating) })]);
      if (words.length) reasons.push([say("entry", { section: texts.in_text }), " ", make("mark", { textContent: words.join(", ") })]);
      why?.replaceChildren(...reasons.map(one => make("span", {}, ...one)));
    }
  };
  const card = (item, words, isRated) => {
    const { display_id, name, image_url, locality, country, url } = item;
    const picture = image_url ? make("img", { src: image_url, width: 60, height: 84, loading: "lazy", alt: "" })
      : make("span", { className: "letters", ariaHidden: "true", textContent: initials(name) });
    const link = make("a", { href: pages === undefined ? `${laboratories}${display_id}/api.html` : pages + url + index }, ...parts(module.marked(name, words)));
    const place = locality ? [make("bdi", {}, ...parts(module.marked(locality, words))), ", "] : [];
    const why = words.length || isRated ? make("p", { className: "why" }) : "", hit = make("article", { className: "hit" }, picture,
      make("div", {}, make("h3", { dir: "auto" }, link), make("p", {}, ...place, country.name), why, make("p", { className: "id", textContent: display_id })));
    hit.dataset.id = display_id;
    return make("li", {}, hit);
  };
  const quoted = words => words.map(word => say("quoted", { word })).join(", ");
  const asTyped = (text, words) => {
    const typed = new Map(text.split(/\s+/).map(word => [module.foldings(word)[0], word]));
    return words.map(word => typed.get(word) ?? word);
  };
  const showNotes = ({ count, ignored = [], instead = {} }, all) => {
    const shown = words => quoted(asTyped(all.get("q") ?? "", words));
    const lines = Object.entries(instead).map(([word, others]) => say("instead", { word: shown([word]), others: shown(others) }));
    if (ignored.length) lines.push(say("ignored", { words: shown(ignored) }));
    if (!count) lines.push(say(all.has("q") ? "try_words" : "try_filters"));
    notes.replaceChildren(...lines.map(textContent => make("p", { textContent })));
  };
  const countText = count => count > 1 ? say("many", { count: number(count) }) : count ? texts.one : texts.none;
  const linkTo = (target, properties) => {
    const link = make("a", { href: addressOf(target), ...properties });
    link.addEventListener("click", event => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      history.pushState(null, "", link.href);
      show().then(() => { heading.focus({ preventScroll: true }); heading.scrollIntoView(); });
    });
    return link;
  };
  const turnTo = (all, to, textContent, rel) => linkTo(changed(all, "page", to > 1 ? to : ""), { rel, textContent });
  const changed = (all, name, value) => {
    const target = new URLSearchParams(all);
    target.delete("page");
    target.set(name, value);
    return target;
  };
  const offerLess = async (all, mine) => {
    const words = (all.get("q") ?? "").split(/\s+/).filter(Boolean);
    if (words.length > MOST_TRIED) return;
    const alone = await Promise.all(words.map(word => search.count(new URLSearchParams({ q: word }))));
    const nowhere = words.filter((_, at) => !alone[at]);
    const without = some => changed(all, "q", words.filter((word, at) => !some(word, at)).join(" "));
    const tries = nowhere.length ? [[quoted(nowhere), without(word => nowhere.includes(word))]] : [
      ...words.map((word, at) => [quoted([word]), without((_, other) => other === at)]),
      ...names.filter(arg => all.get(arg)).map(arg => [quoted(chosenIn(all, arg).map(value => titles.get(keyOf(arg, value)) ?? value)), changed(all, arg, "")]),
    ];
    const some = tries.filter(([, target]) => /[?&](?!embed=)/.test(addressOf(target)));
    const counts = await Promise.all(some.map(([, target]) => search.count(target)));
    if (mine !== turn) return;
    if (nowhere.length) notes.lastChild.textContent = say("nowhere", { words: quoted(nowhere) });
    some.forEach(([what, target], at) => {
      if (counts[at]) notes.append(make("p", {}, linkTo(target, { textContent: say("without", { what, found: countText(counts[at]) }) })));
    });
  };
  const showTurns = ({ count, next, previous, results: { length } }, all) => {
    const now = Number(all.get("page") || 1);
    const last = next ? Math.ceil(count / length) : now;
    const place = say("page", { page: number(now), last: number(last) });
    turns.hidden = last < 2;
    if (now > 1) {
      entitle(`${heading.textContent}, ${place}`);
      document.title = `${heading.textContent} – ${document.title}`;
    }
    turns.replaceChildren(
      previous ? turnTo(all, now - 1, `← ${texts.previous}`, "prev") : "",
      make("span", { textContent: place }),
      next ? turnTo(all, now + 1, `${texts.next} →`, "next") : "",
    );
  };
  const entitle = text => { heading.textContent = text || title; heading.hidden = !text; filters.dataset.count = text; }; // a hidden heading names the results, too
  const blank = text => {
    for (const part of [notes, found, turns]) part.replaceChildren();
    entitle(text);
  };
  const showAnswer = ({ status, document }, all, mine) => {
    const answer = status === 400 ? { count: 0, results: [], next: null } : document;
    if (status === 404) {
      blank(texts.no_page);
      turns.append(turnTo(all, 1, texts.first_page, "prev"));
      turns.hidden = false;
      return;
    }
    const { count, results: items, instead = {} } = answer, meant = Object.values(instead).map(others => others.flatMap(module.foldings));
    const words = [...module.queryWords(all.get("q") ?? ""), ...meant];
    entitle(countText(count));
    showNotes(answer, all);
    if (count) page.classList.remove("uncounted");
    else { close(); offerLess(all, mine).catch(fail); }
    for (const { element, arg } of facets) if (!element.open) element.hidden = !count && !all.get(arg);
    if (mine !== last || items.length < found.children.length) found.replaceChildren();
    last = mine;
    found.append(...items.slice(found.children.length).map(item => card(item, words, /rating$/.test(all.get("ordering")))));
    if ("next" in answer) showTurns(answer, all);
  };

  // The client is loaded with the first search.
  class Missing extends Error {}
  let module, search, turn = 0, last, wait = WAIT;
  const read = async name => {
    const answer = await fetch(site + name.split("/").map(encodeURIComponent).join("/"));
    const text = await answer.text();
    if (!answer.ok || text[0] === "<") throw new Missing(name); // a page in place of a file is a portal's, or an error
    return text;
  };
  let paused = 0, before = Promise.resolve();
  const pause = () => before = before.then(() => performance.now() < paused + SLICE || new Promise(resolve => { // keys and frames come first; all share slices
    setTimeout(() => { paused = performance.now(); resolve(); });
  }));
  const load = async () => {
    try {
      module ??= await import(new URL(client, location).href);
    } catch (error) {
      throw navigator.onLine ? new Missing(client.replace(root, "")) : error;
    }
    search ??= module.searcher(read, pause);
  };
  const fail = error => {
    results.ariaBusy = "false";
    const again = make("button", { type: "button", textContent: texts.again });
    const isOffline = error instanceof TypeError, isKnown = isOffline || error instanceof Missing;
    again.addEventListener("click", () => { if (module && isKnown) show(); else location.reload(); field.focus(); });
    const text = isFile ? texts.from_file : isOffline ? texts.offline : say("missing", { file: error.message });
    problem.replaceChildren(text, " ", isFile ? "" : again);
    problem.hidden = false;
    search = null;
    if (!isKnown) throw error;
  };
  const show = async () => {
    const mine = ++turn, began = performance.now(), all = parameters(), text = (all.get("q") ?? "").replace(/\s+/g, " ");
    all.delete("facets");
    if (!waiting && field.value.trim() !== text) field.value = text;
    for (const facet of facets) facet.list.ariaBusy = !isShown(facet, narrowing()); // numbers of another search
    document.title = (text && `${text} – `) + title;
    order.value = all.get("ordering") ?? "";
    if (order.selectedIndex < 0) {
      order.value = "";
      all.delete("ordering");
    }
    showChosen(all);
    const slow = setTimeout(() => { results.ariaBusy = "true"; if (mine === turn) entitle(texts.loading); }, LOADING);
    try {
      await load();
      const answer = await search(`${all}`, document => { // on a slow line, cards as they come
        if (mine !== turn) throw new Missing(); // nobody waits
        if (results.ariaBusy === "true" && document.results[0]) showAnswer({ document }, all, mine);
      });
      wait = performance.now() - began > SLOW ? LOADING : WAIT; // on a slow line, few of many keys
      if (mine !== turn) return;
      problem.hidden = true;
      showAnswer(answer, all, mine);
      document.querySelector(".announce").textContent = [heading, ...notes.children].map(one => one.textContent).join(" ");
      try { sessionStorage.setItem(`search ${site}`, location.href.replace(/(?<=[?&])embed(=[^&]*)?(&|$)/, "")); } catch {} // back to it in the whole window
      explain(all, mine).then(() => countFacets(narrowing(), mine)).finally(() => page.classList.remove("uncounted")).then(() => search.prepare()).catch(fail);
    } catch (error) {
      if (mine !== turn) return;
      turns.hidden = true;
      blank("");
      fail(error);
    } finally {
      clearTimeout(slow);
      if (mine === turn) results.ariaBusy = "false";
    }
  };

  // Typing. The first key begins an entry of the history; the next change it.
  let waiting, isTyping = false;
  const apply = () => {
    clearTimeout(waiting);
    waiting = null;
    if (search && field.value.trim() === (parameters().get("q") ?? "")) return null;
    const isReplaced = isTyping;
    isTyping = true;
    return go(all => all.set("q", field.value.trim()), isReplaced);
  };
  field.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(async () => { const mine = asked; await apply(); if (!waiting && mine === asked) suggest().catch(fail); }, wait); });
  field.addEventListener("change", () => { isTyping = false; });
  $(".query").addEventListener("submit", async event => {
    event.preventDefault();
    close();
    await apply();
    isTyping = false;
    heading.focus();
  });
  addEventListener("keydown", event => {
    const isWriting = event.target.closest?.("input:not([type=checkbox]), textarea, select");
    if (event.key === "/" && !isWriting && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      field.focus();
      field.select();
    } else if (event.key === "Escape" && event.target === field && field.value) {
      event.preventDefault();
      field.value = "";
      apply();
    }
  });

  // Suggestions (WAI-ARIA: editable combobox with list autocomplete). A chosen one is a filter.
  const options = make("ul", { id: "suggestions", className: "suggestions", role: "listbox", ariaLabel: texts.suggestions, hidden: true });
  let suggested = [], active = -1, asked = 0;
  $(".query").append(options);
  Object.assign(field, { role: "combobox", ariaAutoComplete: "list", ariaExpanded: "false" }).setAttribute("aria-controls", options.id);
  const point = to => {
    active = to;
    for (const [at, option] of [...options.children].entries()) option.ariaSelected = at === to;
    if (to < 0) field.removeAttribute("aria-activedescendant");
    else {
      field.setAttribute("aria-activedescendant", options.children[to].id);
      options.children[to].scrollIntoView({ block: "nearest" });
    }
  };
  const offer = some => {
    suggested = some;
    options.replaceChildren(...some.map(({ section, count, marked: title }, at) => {
      const option = make("li", { id: `suggestion-${at}`, role: "option" }, make("span", { dir: "auto" }, ...parts(title)), " ", make("small", { textContent: `${section}, ${countText(count)}` }));
      option.addEventListener("mousedown", event => event.preventDefault());
      option.addEventListener("click", () => take(suggested[at]));
      return option;
    }));
    options.hidden = !some.length;
    field.ariaExpanded = some.length > 0;
    point(-1);
  };
  const close = () => { asked++; offer([]); };
  const settle = () => { clearTimeout(waiting); waiting = null; isTyping = false; close(); };
  const suggest = async () => {
    const mine = ++asked, text = field.value.trim();
    if (!text) { offer([]); return; }
    await load();
    const { suggestions } = await search.suggest(text, `${changed(narrowing(), "q", "")}`);
    if (mine === asked && document.activeElement === field && field.value.trim() === text) offer(suggestions);
  };
  const take = ({ search_arg: argument, search_val: value, title, rest }) => {
    settle();
    titles.set(keyOf(argument, value), title);
    field.value = asTyped(field.value, rest.split(" ")).join(" ");
    go(all => { all.set("q", field.value); all.set(argument, [...new Set([...chosenIn(all, argument), value])].join(",")); });
  };
  field.addEventListener("blur", close);
  field.addEventListener("keydown", event => {
    const count = suggested.length, step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && count) {
      event.preventDefault();
      point(active < 0 ? (step > 0 ? 0 : count - 1) : active + step >= count || active + step < 0 ? -1 : active + step);
    } else if (step > 0) {
      event.preventDefault();
      suggest().catch(fail);
    } else if (event.key === "Enter" && active >= 0) {
      event.preventDefault();
      take(suggested[active]);
    } else if (event.key === "Escape" && count) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  });

  // Open filters are counted; on a narrow page, a button shows them.
  const recount = () => { if (results.ariaBusy === "false") countFacets(narrowing(), turn).catch(fail); };
  const begin = () => {
    if (isNarrow(parameters())) {
      heading.textContent = "";
      page.classList.add("uncounted");
    }
    for (const facet of facets) {
      const { arg, element, items, within } = facet, chosen = chosenIn(parameters(), arg);
      if (chosen.length) element.open = true;
      showFacet(facet, items, chosen);
      if (within) {
        within.hidden = false;
        within.addEventListener("input", () => { clearTimeout(facet.waiting); facet.waiting = setTimeout(recount, WAIT); });
      }
      element.querySelector("summary").addEventListener("click", () => { facet.opened = turn; });
      element.addEventListener("toggle", recount);
    }
    if (document.activeElement === field && field.value !== field.defaultValue) field.dispatchEvent(new Event("input")); // typed before there was a script
    return show();
  };
  order.parentElement.hidden = false;
  order.addEventListener("change", () => go(all => all.set("ordering", order.value)));
  filters.hidden = false;
  filters.addEventListener("click", () => {
    const isOpen = page.classList.toggle("with-filters");
    filters.ariaExpanded = isOpen;
    recount();
  });

  // Back and forward; who comes back finds the place.
  addEventListener("popstate", () => { settle(); show(); });
  addEventListener("pagehide", () => history.replaceState({ top: scrollY }, ""));
  if (isFile) fail(new Missing(client));
  else begin().then(() => { if (history.state?.top) scrollTo(0, history.state.top); });
})();
