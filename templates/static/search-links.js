// Links to the search: from an entry of a section to the laboratories with it, and back to the search one came from.
"use strict";
(() => {
  const link = document.querySelector(".to-search"), trail = document.querySelector(".trail"), table = document.querySelector("table#json");
  if (!link) return;
  const site = new URL("../", link.href.replace(/[^/]*$/, "")).href;

  const last = sessionStorage.getItem(`search ${site}`);
  if (trail && document.querySelector(".sections") && last?.startsWith(site)) {
    const back = Object.assign(document.createElement("a"), { className: "back", href: last, textContent: `← ${link.dataset.back}` });
    trail.append(back);
  }

  if (!table) return;
  let section;
  const observer = new IntersectionObserver(changes => {
    for (const { isIntersecting, target } of changes) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      section ??= JSON.parse(table.textContent);
      for (const row of target.querySelectorAll("tr[id]")) {
        const { search_val: value, title } = section.items[row.id - 1];
        const found = Object.assign(document.createElement("a"), { className: "find", href: `${link.href}?${new URLSearchParams([[section.search_arg, value]])}` });
        found.setAttribute("aria-label", `${link.dataset.with}: ${title}`);
        row.firstElementChild.append(found);
      }
    }
  }, { rootMargin: "600px" });
  for (const group of table.tBodies) observer.observe(group);
})();
