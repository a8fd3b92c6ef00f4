// Looks at a page and gives what is wrong with it, a line each; called with the name of the screen.
const [name] = arguments;
const wrong = [];
const expect = (what, found) => found || wrong.push(`${name}: ${what}`);
const root = document.documentElement;
if (root.scrollWidth > root.clientWidth) {
  const wide = [...document.querySelectorAll("main *")].filter(
    (element) => !element.closest(".scroll") && element.getBoundingClientRect().right > root.clientWidth + 1
  );
  wrong.push(`${name}: ${root.scrollWidth} wide on ${root.clientWidth}: ${wide.slice(0, 3).map((element) => element.outerHTML.slice(0, 90))}`);
}
for (const text of document.querySelectorAll("svg.plot text")) {
  const [own, all] = [text.getBoundingClientRect(), text.closest("svg").getBoundingClientRect()];
  expect(`${text.textContent} leaves its plot`, own.right <= all.right + 1 && own.left >= all.left - 1);
}
for (const row of document.querySelectorAll(".result:has(.stack)")) {
  const [label, bar] = [".who", ".stack"].map((part) => row.querySelector(part).getBoundingClientRect());
  expect(`${row.textContent.trim()} is cut`, label.right <= bar.left || label.bottom <= bar.top + 1);
}
for (const drawing of document.querySelectorAll("svg")) {
  expect("a drawing has no number", !/NaN|Infinity/.test(drawing.outerHTML));
}
// Each fact is on the page of an analysis once.
const said = [...document.querySelectorAll("main.report :is(p, dd, figcaption, .meanings li, .troubles li, .note, .only)")];
const sentences = said.filter((element) => !element.closest("#viewer, .terms, .tree")).map((element) => element.textContent.trim().replace(/\s+/g, " ")).filter((text) => text.length > 24);
for (const text of sentences.filter((text, place) => sentences.indexOf(text) < place)) wrong.push(`${name}: twice: ${text}`);
const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
expect("names come twice", new Set(ids).size === ids.length);
for (const link of document.querySelectorAll("a[href^='#']")) {
  expect(`${link.hash} leads nowhere`, document.querySelector(link.hash));
}
expect("it has a heading", document.querySelectorAll("h1").length === 1);
const loaded = performance.getEntriesByType("navigation")[0].loadEventEnd;
return { wrong, loaded };
