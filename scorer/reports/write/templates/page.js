"use strict";

// A table that has room needs no scrolling of its own, so that its headings stay on the screen.
const fitted = new ResizeObserver((boxes) => {
  for (const { target } of boxes) {
    target.classList.remove("whole");
    target.classList.toggle("whole", target.scrollWidth <= target.clientWidth);
  }
});

// What of a page, or of a part that is put in later, does something.
function wire(part) {
  part.querySelectorAll(".scroll").forEach((box) => fitted.observe(box));

  // A column's button sorts the rows; rows without a value stay last.
  for (const button of part.querySelectorAll("th button")) {
    button.addEventListener("click", () => {
      const head = button.closest("th");
      const table = head.closest("table");
      const now = head.getAttribute("aria-sort");
      const order =
        now === "none" ? head.dataset.first : now === "ascending" ? "descending" : "ascending";
      const sign = order === "ascending" ? 1 : -1;
      const key = (row) => row.cells[head.cellIndex]?.dataset.sort ?? "";
      const compare = (a, b) =>
        head.dataset.kind === "text" ? a.localeCompare(b) : Number(a) - Number(b);
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => {
        const [left, right] = [key(a), key(b)];
        if (left === "" || right === "") return (left === "") - (right === "");
        return sign * compare(left, right);
      });
      for (const other of head.parentNode.cells) {
        if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
      }
      head.setAttribute("aria-sort", order);
      table.classList.toggle("ranked", head.dataset.kind === "rank" && sign === 1);
      table.tBodies[0].append(...rows);
    });
  }

  // What is typed keeps the rows, and the sections below, whose names hold it.
  for (const box of part.querySelectorAll(".filter")) {
    const input = box.querySelector("input");
    const count = box.querySelector("output");
    const table = document.getElementById(input.getAttribute("aria-controls"));
    const named = [
      ...[...table.tBodies[0].rows].map((row) => [row, row.querySelector("th")]),
      ...[...document.querySelectorAll(".submissions > details")].map((each) => [
        each, each.querySelector("h3"),
      ]),
    ];
    const filter = () => {
      const wanted = input.value.trim().toLowerCase();
      for (const [each, name] of named) {
        const text = name?.title || name?.textContent; // a rule between rows has no name
        each.hidden = name ? !text.toLowerCase().includes(wanted) : wanted !== "";
      }
      const rows = [...table.tBodies[0].rows].filter((row) => row.querySelector("th"));
      const kept = rows.filter((row) => !row.hidden).length;
      count.textContent = wanted ? `${kept} of ${rows.length}` : "";
    };
    input.addEventListener("input", filter);
    box.hidden = false;
  }
}
wire(document);

// A link to a folded part opens it.
function open() {
  const target = document.getElementById(location.hash.slice(1));
  const folded = target?.querySelector(":scope > details"); // of a section
  if (folded) folded.open = true;
  for (let part = target; part; part = part.parentElement) {
    if (part instanceof HTMLDetailsElement) part.open = true;
  }
  if (target instanceof HTMLDetailsElement) target.querySelector("summary").focus();
  target?.scrollIntoView();
}
window.addEventListener("hashchange", open);
open();
