// The address of the site stands in index.html; the client comes from the site itself.
const { site } = document.documentElement.dataset;
const { directory, decode, DirectoryError } = await import(new URL("labgen.js", site));
const labs = directory(site);
const PAGE_SIZE = 20;

const form = document.querySelector("form"), main = document.querySelector("main");

/** Returns an element; texts become text, never markup. */
function element(name, attributes = {}, ...children) {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...children.filter(Boolean));
  return made;
}

/** Returns the laboratory, or the query, that the address names. */
function asked() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  return { id: path, query: new URLSearchParams(query) };
}

const place = one => [one.locality, one.country.name].filter(Boolean).join(", ");
const link = one => element("li", {},
  element("a", { href: `#/${one.display_id}` }, one.name), " ", element("span", { className: "note" }, place(one)));
const section = (title, items) => items.length > 0 && element("section", {},
  element("h2", {}, title), element("ul", {}, ...items));

/** Returns the first laboratories of the list: the loop ends when they are enough, so one document is read. */
async function first(signal) {
  const some = [];
  for await (const one of labs.laboratories({ signal })) {
    some.push(one);
    if (some.length === PAGE_SIZE) break;
  }
  return some;
}

async function showList(query, signal) {
  if (!query.toString()) {
    return [element("h1", {}, "Alle Labore"), element("ul", {}, ...(await first(signal)).map(link))];
  }
  const found = await labs.search(query, { signal });
  const instead = Object.entries(found.instead ?? {}).map(([word, others]) => `${word}: ${others.join(", ")}`);
  return [
    element("h1", {}, `${found.count} Labore`),
    instead.length > 0 && element("p", { className: "note" }, `Gesucht wurde stattdessen nach ${instead.join("; ")}.`),
    element("ul", {}, ...found.results.map(link)),
    turn(query, found),
  ];
}

/** Returns the links to the pages before and after: `next` is an address whose query is the page's own. */
function turn(query, found) {
  const to = (path, text) => path && element("a", { href: `#/?${new URL(labs.address(path)).searchParams}` }, text);
  return element("nav", {}, to(found.previous, "Zurück"), " ", to(found.next, "Weiter"));
}

function contact({ first_name, last_name, position, encoded_email, encoded_phone }) {
  const email = decode(encoded_email), phone = decode(encoded_phone);
  return [
    element("li", {}, [first_name, last_name].filter(Boolean).join(" "), position && `, ${position}`),
    email && element("li", {}, element("a", { href: `mailto:${email}` }, email)),
    phone && element("li", {}, element("a", { href: `tel:${phone.replace(/[^+0-9]/g, "")}` }, phone)),
  ].filter(one => one && one.textContent);
}

async function showLaboratory(id, signal) {
  const { laboratory, gallery, materials, accreditations } = await labs.all(id, { signal });
  const logo = { src: labs.address(laboratory.logo_url), srcset: labs.srcset(laboratory), width: 100, height: 80, alt: "" };
  const search = item => `#/?${new URLSearchParams({ [materials.search_arg]: item.search_val })}`;
  return [
    element("h1", {}, element("img", logo), laboratory.name),
    element("p", {}, [laboratory.address, laboratory.postal_code, place(laboratory)].filter(Boolean).join(", ")),
    laboratory.about && element("p", {}, laboratory.about),
    section("Kontakt", contact(laboratory.contact_person)),
    section("Bilder", gallery.map(one => element("li", {}, element("img", {
      src: labs.address(one.preview_url), width: 160, height: 160, alt: "", loading: "lazy",
    })))),
    section(materials.title, materials.items.map(item => element("li", {}, element("a", { href: search(item) }, item.title)))),
    section(accreditations.title, accreditations.items.map(item => element("li", {}, `${item.standard} (${item.number})`))),
  ];
}

/** Returns what is shown of an error: what the site says, or that nobody answered. */
function failure(error) {
  const said = error instanceof DirectoryError ? error.detail || `HTTP ${error.status}` : "Keine Verbindung.";
  return [element("h1", {}, said), element("p", {}, element("a", { href: "#/" }, "Alle Labore"))];
}

let running = new AbortController();

/** Shows what the address names; what is still read for an older address is given up. */
async function show() {
  running.abort();
  const { signal } = running = new AbortController();
  const { id, query } = asked();
  for (const name of ["q", "country"]) {
    if (form.elements[name] !== document.activeElement) form.elements[name].value = query.get(name) ?? "";
  }
  try {
    const shown = await (id ? showLaboratory(id, signal) : showList(query, signal));
    if (signal.aborted) return;
    main.replaceChildren(...shown.filter(Boolean));
  } catch (error) {
    if (!signal.aborted) main.replaceChildren(...failure(error));
  }
  document.title = main.querySelector("h1").textContent;
}

form.addEventListener("submit", event => event.preventDefault());
form.addEventListener("input", () => {
  const filled = [...new FormData(form)].filter(([, value]) => value);
  const hash = filled.length ? `#/?${new URLSearchParams(filled)}` : "#/";
  if (asked().id) location.hash = hash; else { history.replaceState(null, "", hash); show(); }
});
addEventListener("hashchange", show);

const filled = labs.catalogue("country").then(countries => {
  form.elements.country.append(...countries.map(({ search_val, title, count }) => element("option", { value: search_val }, `${title} (${count})`)));
}, () => form.elements.country.parentElement.remove());  // the site has no search
await filled;
await show();
