// Marks a page that another website embeds (`?embed`) before it is painted: style.css leaves out its head and foot. Links open in the whole window.
"use strict";
if (new URLSearchParams(location.search).has("embed")) {
  document.documentElement.classList.add("embed");
  addEventListener("click", event => {
    const link = event.target.closest("a[href]");
    if (link && !link.getAttribute("href").startsWith("#")) link.target = "_top";
  }, true);
  addEventListener("submit", event => { event.target.target = "_top"; }, true);
}
