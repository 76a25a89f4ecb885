for (const table of document.querySelectorAll("table.sorts")) {
  table.querySelectorAll("th").forEach((head, column) => {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.onclick = () => {
      const isDescending = head.getAttribute("aria-sort") === "ascending";
      table.querySelectorAll("th").forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
      const key = row => row.cells[column].dataset.v ?? row.cells[column].textContent;
      const compare = (a, b) => {
        const [x, y] = [key(a), key(b)];
        return isNaN(x) || isNaN(y) || x === "" || y === "" ? x.localeCompare(y) : x - y;
      };
      const rows = [...table.tBodies[0].rows].sort((a, b) => isDescending ? compare(b, a) : compare(a, b));
      table.tBodies[0].append(...rows);
    };
  });
}
const filter = document.getElementById("filter");
if (filter) {
  filter.hidden = false;
  filter.oninput = () => {
    const words = filter.value.toLowerCase().split(/\s+/);
    for (const row of document.getElementById("all").tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
    }
  };
}
const openTarget = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
  target?.scrollIntoView();
};
addEventListener("hashchange", openTarget);
if (location.hash) openTarget();
