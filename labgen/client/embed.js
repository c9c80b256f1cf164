// Shows laboratories of this directory on other websites: <labgen-laboratory id="00117"> and <labgen-search>. What stands
// inside of an element is shown until there is more to show, and where that fails. Names between @ are those of the site.
import { directory } from "./labgen.js";

const labs = directory(), TEXTS = @TEXTS@, LANGUAGE = "@LANGUAGE@", PUBLIC = "@PUBLIC@", SEARCH = "@SEARCH@";
const FEWEST = 2, MOST = 20, PAUSE = 200;

const style = new CSSStyleSheet();
style.replaceSync(`
:host { display: block; container-type: inline-size; max-width: 46rem; font: inherit; line-height: 1.4; overflow-wrap: anywhere; --accent: var(--labgen-colour, currentColor); --rule: color-mix(in srgb, currentColor 22%, transparent); }
:host([hidden]), [hidden] { display: none; }
* { box-sizing: border-box; margin: 0; padding: 0; }
ul { list-style: none; }
.card { position: relative; display: flex; gap: 1rem; align-items: center; padding: .9rem 1rem; border: 1px solid var(--rule); border-radius: .6rem; }
.card:hover { border-color: currentColor; }
img { flex: none; width: 5rem; height: 4rem; object-fit: contain; border-radius: .3rem; background: #fff; }
a { color: inherit; font-weight: 600; text-decoration: none; }
a::after { content: ""; position: absolute; inset: 0; border-radius: inherit; }
a:hover { text-decoration: underline; }
:is(a, button, input):focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .3rem; }
p { margin-top: .15rem; font-size: .875em; }
@container (max-width: 14rem) { .card { flex-direction: column; align-items: start; } }
.yes { color: var(--accent); font-weight: 600; }
label { display: contents; }
form { display: flex; flex-wrap: wrap; gap: .5rem; }
input, button { min-height: 2.75rem; padding: 0 1rem; border: 1px solid; border-radius: .4rem; font: inherit; }
input { flex: 1 1 12rem; min-width: 0; border-color: GrayText; background: Field; color: FieldText; }
button { border-color: var(--accent); background: transparent; color: var(--accent); font-weight: 600; cursor: pointer; }
li { position: relative; padding: .6rem .25rem; border-bottom: 1px solid var(--rule); }
.more { position: relative; padding: .6rem .25rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
`);

/** Makes an element; texts are texts, so that nothing in the data runs. */
function make(name, properties = {}, ...content) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...content);
  return made;
}

const pageOf = one => PUBLIC ? new URL(one.url, PUBLIC === "." ? labs.address("") : PUBLIC).href
  : labs.address(`api/v1/laboratory/laboratories/${one.display_id}/api.html`);
const placeOf = one => [one.locality, one.country.name].filter(Boolean).join(", ");
const counted = count => count === 1 ? TEXTS.one : TEXTS.many.replace("{count}", count.toLocaleString(LANGUAGE));
const linkOf = one => make("a", { href: pageOf(one), target: "_top" }, one.name);

class Embedded extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.attachShadow({ mode: "open" }).adoptedStyleSheets = [style];
    if (!this.shadowRoot.hasChildNodes()) this.shadowRoot.append(make("slot"));
    this.start();
  }

  show(...content) {
    this.shadowRoot.replaceChildren(...content);
  }
}

customElements.define("labgen-laboratory", class extends Embedded {
  static observedAttributes = ["id"];

  attributeChangedCallback() {
    if (this.isConnected && this.shadowRoot) this.start();
  }

  async start() {
    const { id } = this;
    const one = await labs.laboratory(id).catch(error => console.warn(`labgen-laboratory: ${error.message}`));
    if (id !== this.id) return;
    if (!one) return this.show(make("slot"));
    const facts = make("div", {}, linkOf(one), make("p", {}, placeOf(one)));
    const rating = Number(one.rating);
    if (rating) facts.append(make("p", {}, `★ ${rating.toLocaleString(LANGUAGE, { maximumFractionDigits: 2 })}`));
    if (one.is_verified) facts.append(make("p", { className: "yes" }, `✓ ${TEXTS.verified}`));
    const logo = make("img", { src: labs.address(one.logo_url), srcset: labs.srcset(one), width: 100, height: 80, alt: "" });
    this.show(make("div", { className: "card", lang: LANGUAGE }, logo, facts));
  }
});

customElements.define("labgen-search", class extends Embedded {
  start() {
    if (!SEARCH || this.shadowRoot.querySelector("form")) return;
    const input = make("input", { type: "search", name: "q", placeholder: TEXTS.hint, autocomplete: "off", maxLength: 500 });
    const label = make("label", {}, make("span", { className: "unseen" }, TEXTS.label), input);
    const form = make("form", { action: labs.address(SEARCH), target: "_top", lang: LANGUAGE }, label, make("button", {}, TEXTS.button));
    const found = make("div", { lang: LANGUAGE }), said = make("p", { className: "more", lang: LANGUAGE });
    said.setAttribute("role", "status");
    form.setAttribute("role", "search");
    form.addEventListener("formdata", ({ formData }) => this.chosen.forEach((value, name) => formData.append(name, value)));
    let timer;
    input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.search(input, found, said), PAUSE);
    });
    this.show(form, found, said);
  }

  /** What is searched beside the words: the attribute `query`, such as materials__in=2&country=de. */
  get chosen() {
    const query = new URLSearchParams(this.getAttribute("query") ?? "");
    query.delete("q");
    return query;
  }

  async search(input, found, said) {
    const words = input.value.trim(), query = this.chosen;
    query.set("q", words);
    if (words.length < FEWEST) return [found, said].forEach(one => one.replaceChildren());
    const answer = await labs.search(query).catch(error => console.warn(`labgen-search: ${error.message}`));
    if (words !== input.value.trim()) return;
    const most = Math.min(Math.max(parseInt(this.getAttribute("most")) || 5, 1), MOST);
    const cards = (answer?.results ?? []).slice(0, most);
    found.replaceChildren(make("ul", {}, ...cards.map(one => make("li", {}, linkOf(one), make("p", {}, placeOf(one))))));
    const all = make("a", { href: `${labs.address(SEARCH)}?${query}`, target: "_top" }, answer ? counted(answer.count) : TEXTS.button);
    said.replaceChildren(answer?.count === 0 ? TEXTS.none : all);
  }
});
