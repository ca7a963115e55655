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
    const [seconds, share, ...sentence] = event.data.split("|");
    let left = "";
    if (share) {
      bar.value = Number(share);
      if (share > 0.05) left = ` (−${Math.round((seconds * (1 - share)) / share)} s)`;
    } else {
      bar.removeAttribute("value");
    }
    job.querySelector("[data-sentence]").textContent = sentence.join("|");
    job.querySelector("[data-seconds]").textContent = `${seconds} s${left}`;
  });
  stream.addEventListener("end", () => {
    stream.close();
    location.reload();
  });
}

function filter(input) {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of document.querySelectorAll(`${input.dataset.filter} tbody tr`)) {
    row.hidden = !words.every((word) => row.dataset.text.includes(word));
  }
}

document.addEventListener("input", (event) => {
  if (event.target.matches("[data-filter]")) filter(event.target);
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

document.addEventListener("keydown", (event) => {
  // A filter does not send the form that it stands in.
  if (event.key === "Enter" && event.target.matches("[data-filter]")) event.preventDefault();
});

document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target === document.body) follow();
});
document.addEventListener("DOMContentLoaded", () => {
  document.documentElement.classList.add("scripts");
  follow();
});
