// Public pages are complete without this: it decodes contacts, marks the contents, enlarges pictures and filters.
"use strict";
(() => {
  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
  const texts = $("main").dataset;
  const make = (name, properties) => Object.assign(document.createElement(name), properties);
  $(".query")?.classList.remove("waiting");
  const field = $("#q");
  if (field) addEventListener("keydown", event => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select")) return;
    event.preventDefault();
    field.select();
  });

  // Back to the search that somebody came from.
  const search = $(".to-search");
  const site = search && new URL("../", search.href.replace(/[^/]*$/, "")).href;
  const lastSearch = () => {
    try { return sessionStorage.getItem(`search ${site}`); } catch { return null; }
  };
  if (texts.back && lastSearch()?.startsWith(site)) {
    const link = make("a", { className: "back", href: lastSearch(), textContent: `← ${texts.back}` });
    $(".trail").parentElement.append(link);
  }

  // Where there is no page: a laboratory that was renamed is found by its number.
  const offer = $("[data-number]");
  const number = location.pathname.match(/\/(\d+)\/[^/]*\/?(?:index\.html)?$/)?.[1];
  if (offer && number) {
    offer.textContent = offer.dataset.number.replace("{number}", number);
    offer.href += number;
    offer.parentElement.hidden = false;
  }

  // Addresses and numbers are codes of characters, so that no file has them in plain form.
  const plain = codes => String.fromCodePoint(...codes.split(",").map(Number));
  for (const link of $$("[data-mail], [data-phone]")) {
    const { mail, phone } = link.dataset;
    const text = plain(mail ?? phone), at = text.lastIndexOf("@");
    link.replaceChildren(...mail ? [text.slice(0, at), document.createElement("wbr"), text.slice(at)] : [text]);
    link.href = mail ? `mailto:${text}` : `tel:${text.replace(/[^+\d]/g, "")}`;
    link.hidden = false;
  }

  // The contents mark the section in view.
  const entries = new Map($$(".contents a").map(link => [$(link.hash), link]).filter(([section]) => section));
  const bar = $(".contents");
  let marked;
  const mark = () => {
    const sections = [...entries.keys()];
    const seen = sections.filter(one => one.getBoundingClientRect().top < innerHeight / 3).pop() ?? sections[0];
    const link = entries.get(seen);
    if (!link || link === marked) return;
    marked?.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    marked = link;
    const left = link.getBoundingClientRect().left - bar.getBoundingClientRect().left;
    bar.scrollLeft += left - bar.clientWidth / 3;
  };
  if (entries.size) {
    addEventListener("scroll", mark, { passive: true });
    mark();
  }

  // A picture opens in a dialog; without this, its link does.
  const pictures = $$(".gallery a");
  if (pictures.length && window.HTMLDialogElement) {
    const dialog = make("dialog", { className: "lightbox" });
    const image = make("img", { alt: "" });
    let at = 0;
    const show = step => {
      at = (at + step + pictures.length) % pictures.length;
      image.src = pictures[at].href;
      image.alt = $("img", pictures[at]).alt;
    };
    const button = (className, text, act) => {
      const made = make("button", { type: "button", className });
      made.setAttribute("aria-label", text);
      made.addEventListener("click", act);
      return made;
    };
    const turns = pictures.length > 1
      ? [button("previous", texts.previous, () => show(-1)), button("next", texts.next, () => show(1))] : [];
    dialog.append(image, ...turns, button("close", texts.close, () => dialog.close()));
    dialog.addEventListener("click", event => { if (event.target === dialog) dialog.close(); });
    dialog.addEventListener("keydown", event => {
      if (event.key === "ArrowLeft") show(-1);
      else if (event.key === "ArrowRight") show(1);
    });
    document.body.append(dialog);
    pictures.forEach((link, place) => link.addEventListener("click", event => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      at = place;
      show(0);
      dialog.showModal();
    }));
  }

  // A filter for a long section: groups with a hit unfold, the others are hidden.
  const folded = text => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/ß/g, "ss");
  for (const box of $$(".sheet .filter")) {
    const [input, output, groups] = [$("input", box), $("output", box), $$("details", box.nextElementSibling)];
    const all = $$("li", box.nextElementSibling);
    let found;
    box.hidden = false;
    input.addEventListener("input", () => {
      found ??= all.map(one => folded(one.textContent));
      const words = folded(input.value).split(/\s+/).filter(Boolean);
      let count = 0;
      all.forEach((one, place) => {
        one.hidden = !words.every(word => found[place].includes(word));
        count += !one.hidden;
      });
      for (const group of groups) {
        group.dataset.open ??= group.open;
        group.hidden = !$("li:not([hidden])", group);
        group.open = words.length ? !group.hidden : group.dataset.open === "true";
      }
      const number = value => value.toLocaleString(document.documentElement.lang, { useGrouping: "always" });
      output.textContent = words.length
        ? texts.shown.replace("{shown}", number(count)).replace("{all}", number(all.length)) : "";
    });
  }

  // What is folded opens where its address leads.
  const unfold = () => {
    for (let one = location.hash && document.getElementById(location.hash.slice(1)); one; one = one.parentElement) {
      if (one.localName === "details") one.open = true;
    }
  };
  addEventListener("hashchange", unfold);
  unfold();
})();
