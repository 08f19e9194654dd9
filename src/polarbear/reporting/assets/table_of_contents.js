// The table of contents: a line of links, or on a narrow screen a list that opens.

function listContents() {
  const links = [...document.querySelectorAll("main > section")].map((section) => {
    const heading = section.querySelector("h2");
    return el("li", null, el("a", { href: `#${section.id}` }, heading.dataset.contents ?? heading.textContent));
  });
  byId("toc-list").replaceChildren(...links);
  const wide = matchMedia("(min-width: 52.01rem)"); // as in style.css
  const follow = () => (byId("toc").open = wide.matches);
  wide.addEventListener("change", follow);
  follow();
}
