// Comfort over pages that work without it: progress as it is told, filters, ticks of whole columns.
"use strict";

let stream = null;

function follow() {
  if (stream) stream.close();
  stream = null;
  const job = document.querySelector("[data-events]");
  if (!job) return;
  stream = new EventSource(job.dataset.events);
  const bar = job.querySelector("progress");
  stream.addEventListener("step", (event) => {
    const [share, times, words, ...rest] = event.data.split("|");
    if (share) {
      bar.value = Number(share);
    } else {
      bar.removeAttribute("value");
    }
    job.querySelector("[data-words]").textContent = words;
    job.querySelector("[data-sentence]").textContent = rest.join("|");
    job.querySelector("[data-seconds]").textContent = times;
  });
  stream.addEventListener("end", () => {
    stream.close();
    location.reload();
  });
  stream.addEventListener("error", () => tellDead(true));
  stream.addEventListener("open", () => tellDead(false));
}

// The server was ended: nothing that is pressed has an effect, and the page says so.
function tellDead(dead) {
  const told = document.querySelector("#gone");
  told.hidden = !dead;
  if (dead) told.focus();
}

function filter(input) {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of document.querySelectorAll(`${input.dataset.filter} tbody tr`)) {
    row.hidden = !words.every((word) => row.dataset.text.includes(word));
  }
}

// A slider and the field of its number say the same.
function slide(input) {
  const slider = input.matches("[data-slider]");
  const other = slider
    ? document.getElementById(input.dataset.slider)
    : document.querySelector(`[data-slider="${CSS.escape(input.id)}"]`);
  if (other && input.value !== "") other.value = input.value;
}

document.addEventListener("input", (event) => {
  if (event.target.matches("[data-filter]")) filter(event.target);
  slide(event.target);
});

document.addEventListener("change", (event) => {
  const one = event.target;
  if (one.matches("[data-submit]")) one.form.requestSubmit();
  if (one.matches("[data-all]")) {
    for (const box of document.querySelectorAll(`input[name="${one.dataset.all}"]`)) {
      if (!box.closest("tr").hidden) box.checked = one.checked;
    }
  }
});

// Values of a hierarchy are dragged into groups: a drop presses the button of the group.
document.addEventListener("dragstart", (event) => {
  const row = event.target.closest && event.target.closest("tr[draggable]");
  if (!row) return;
  const box = row.querySelector("input[name=value]");
  if (!box.checked) {
    for (const other of document.querySelectorAll("input[name=value]:checked")) other.checked = false;
    box.checked = true;
  }
  event.dataTransfer.setData("text/plain", "");
  event.dataTransfer.effectAllowed = "move";
});

for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    const cell = event.target.closest && event.target.closest("[data-into]");
    if (!cell) return;
    event.preventDefault();
    cell.classList.toggle("over", kind === "dragover");
    if (kind === "drop") cell.querySelector("button").click();
  });
}

document.addEventListener("keydown", (event) => {
  // A filter does not send the form that it stands in.
  if (event.key === "Enter" && event.target.matches("[data-filter]")) event.preventDefault();
});

// The focus stays where it was when a document takes the place of another one.
let focused = "";

function selectorOf(element) {
  const named = ["id", "name", "value", "href"].filter((name) => element.hasAttribute(name));
  const parts = named.map((name) => `[${name}="${CSS.escape(element.getAttribute(name))}"]`);
  return parts.length ? element.localName + parts.join("") : "";
}

function restoreFocus() {
  const again = focused && !document.querySelector("[autofocus]") && document.querySelector(focused);
  if (again) again.focus({ preventScroll: true });
  focused = "";
}

// On a narrow screen the steps are one line, which begins with the first: show where one is.
function showStep() {
  const here = document.querySelector(".frame > nav a[aria-current]");
  const list = here && here.closest("ol");
  if (list) list.scrollLeft = here.offsetLeft - list.clientWidth / 2;
}

// Who goes to another page waits for no end here: a reload would undo the click.
document.addEventListener("htmx:beforeRequest", (event) => {
  if (!event.detail.boosted) return;
  if (stream) stream.close();
  focused = selectorOf(document.activeElement);
});
document.addEventListener("htmx:sendError", () => {
  follow();
  tellDead(true);
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.xhr.status) tellDead(false);
});

document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target !== document.body) return;
  restoreFocus();
  follow();
  showStep();
});
document.addEventListener("DOMContentLoaded", () => {
  document.documentElement.classList.add("scripts");
  follow();
  showStep();
});
