/* How the results of a search are ordered: pages that answer first, lists and records last. */
const first = ["faq", "recipes", "start", "sign"];
const last = ["decisions/", "reference/", "es/", "stories/", "changelog", "contributing", "benchmarks"];

var Scorer = {
  score: ([page, , , , score]) =>
    score + (first.includes(page) ? 6 : 0) - (last.some((name) => page.startsWith(name)) ? 12 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
