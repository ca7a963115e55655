/* On narrow screens a row is a list of its cells: each cell then needs the head of its column. */
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll(".bd-article table")) {
    const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim());
    if (heads.length < 3 && table.scrollWidth <= table.clientWidth) continue;
    table.classList.add("wide");
    for (const row of table.querySelectorAll("tbody tr"))
      [...row.cells].forEach((cell, place) => (cell.dataset.head = heads[place] || ""));
  }
});
