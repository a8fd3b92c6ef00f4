"use strict";
(() => {
  // Tables: a click on a heading sorts, words in the box filter.
  const key = (row, column) => {
    const field = row.cells[column];
    return field.dataset.sort === undefined ? field.textContent.trim() : Number(field.dataset.sort);
  };
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    // Fields without a number come last.
    if (typeof a === "number") return 1;
    if (typeof b === "number") return -1;
    return a < b ? -1 : a > b ? 1 : 0;
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      head.querySelector("button").addEventListener("click", () => {
        const numeric = head.classList.contains("number");
        const before = head.getAttribute("aria-sort");
        const down = before ? before === "ascending" : numeric;
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...table.tBodies[0].rows].map((row) => [key(row, column), row]);
        rows.sort((a, b) => (down ? -1 : 1) * compare(a[0], b[0]));
        table.tBodies[0].append(...rows.map((pair) => pair[1]));
      });
    });
  }
  for (const box of document.querySelectorAll("input[data-filter]")) {
    const rows = [...document.getElementById(box.dataset.filter).tBodies[0].rows];
    const count = box.closest(".tools").querySelector(".count");
    box.addEventListener("input", () => {
      const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        shown += row.hidden ? 0 : 1;
      }
      count.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
    });
  }

  // A folded part opens if an address names something in it, and before the page is printed.
  const reveal = () => {
    const named = /^#[\w-]+$/.test(location.hash) && document.querySelector(location.hash);
    for (let part = named && named.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    if (named) named.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((part) => (part.open = true)));

  // The viewer.
  const viewer = document.getElementById("viewer");
  if (!viewer) return;
  const data = JSON.parse(viewer.querySelector(".data").textContent);
  const last = data.states.length - 1;
  const one = (name) => viewer.querySelector(name);
  const all = (name) => [...viewer.querySelectorAll(name)];
  const range = one("input[type=range]");
  const boards = all("svg[data-board]");
  const plot = document.querySelector(".course svg.plot");
  const values = [...document.querySelectorAll(".values b")];
  const list = one(".moves ol");
  const moves = all(".moves button");
  const things = (board, state) => {
    const found = new Map();
    const list = data.states[state].b[board];
    for (let place = 0; place < list.length; place += 2) {
      const cell = list[place];
      found.set(cell, [...(found.get(cell) || []), list[place + 1]]);
    }
    return found;
  };
  const copy = (thing, [x, y], place, of) => {
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    const small = of > 1;
    const side = data.side * (small ? 0.55 : 1);
    const shift = data.side / 4.4;
    const at = Math.min(place, 3);
    const middle = small ? [x + (at % 2 ? shift : -shift), y + (at > 1 ? shift : -shift)] : [x, y];
    const set = { href: `#t${thing}`, x: middle[0] - side / 2, y: middle[1] - side / 2, width: side, height: side };
    Object.entries(set).forEach(([name, value]) => use.setAttribute(name, value));
    return use;
  };
  const ring = ([cx, cy]) => {
    const circle = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    Object.entries({ class: "deciding", cx, cy, r: data.side * 0.44 }).forEach(([name, value]) => circle.setAttribute(name, value));
    return circle;
  };
  let now = -1;
  const show = (wanted) => {
    const step = Math.max(0, Math.min(last, wanted));
    if (step === now) return;
    now = step;
    const state = data.states[step];
    boards.forEach((svg, board) => {
      const here = things(board, step);
      const before = step ? things(board, step - 1) : here;
      const cells = [...svg.querySelectorAll(".cell")];
      const discs = [];
      cells.forEach((cell, number) => {
        const list = here.get(number) || [];
        const old = before.get(number) || [];
        cell.classList.toggle("changed", String(list) !== String(old));
        list.forEach((thing, place) => discs.push(copy(thing, data.cells[board][number], place, list.length)));
      });
      if (step === last) data.deciding[board].forEach((cell) => discs.push(ring(data.cells[board][cell])));
      svg.querySelector(".things").replaceChildren(...discs);
    });
    all(".evaluation").forEach((bar) => {
      const roles = bar.dataset.roles.split(" ").map(Number);
      const known = roles.map((role) => (state.e || [])[role] ?? null);
      bar.querySelectorAll("b").forEach((bold, number) => (bold.textContent = known[number] ?? "–"));
      bar.querySelector("i").style.width = `${Math.max(0, Math.min(100, known[0] ?? (roles.length > 1 ? 50 : 0)))}%`;
    });
    all(".gauge").forEach((gauge, number) => {
      const values = data.gauges[number];
      const value = state.g[number];
      gauge.querySelector("b").textContent = value === null ? "–" : values[value];
      gauge.querySelector("i").style.width = `${value === null ? 0 : (100 * value) / Math.max(1, values.length - 1)}%`;
    });
    const rest = one(".rest");
    rest.hidden = state.r.length === 0;
    rest.querySelector("span").replaceChildren(
      ...state.r.flatMap((fact) => {
        const code = document.createElement("code");
        code.textContent = fact;
        return [code, " "];
      })
    );
    one(".moved").textContent = state.m ? `${state.m}.` : "The initial state.";
    one(".to-move").textContent = state.w ? `${state.w}.` : "";
    one("output").textContent = `step ${step} of ${last}`;
    range.value = step;
    all("[data-go]").forEach((button) => {
      const back = button.dataset.go === "first" || button.dataset.go === "back";
      const over = back ? step === 0 : step === last;
      // The viewer keeps the focus so that keys still work.
      if (over && button === document.activeElement) viewer.focus({ preventScroll: true });
      button.disabled = over;
    });
    // One move is in the order of the Tab key; the arrow keys reach the others.
    moves.forEach((button, number) => {
      button.tabIndex = number === Math.max(0, step - 1) ? 0 : -1;
      if (number === step - 1) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    if (list) {
      const [row, box] = [(moves[step - 1] || moves[0]).getBoundingClientRect(), list.getBoundingClientRect()];
      list.scrollTop += Math.max(0, row.bottom - box.bottom) - Math.max(0, box.top - row.top);
    }
    if (document.activeElement && document.activeElement.dataset.step) {
      (moves[step - 1] || viewer).focus({ preventScroll: true });
    }
    values.forEach((bold, number) => (bold.textContent = state.v[number] || ""));
    if (plot) {
      const x = Number(plot.dataset.first) + step * Number(plot.dataset.step);
      const cursor = plot.querySelector(".cursor");
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
    }
  };
  const go = { first: () => 0, back: () => now - 1, on: () => now + 1, last: () => last };
  all("[data-go]").forEach((button) => button.addEventListener("click", () => show(go[button.dataset.go]())));
  moves.forEach((button) => button.addEventListener("click", () => show(Number(button.dataset.step))));
  range.addEventListener("input", () => show(Number(range.value)));
  if (plot) {
    plot.addEventListener("click", (event) => {
      const box = plot.getBoundingClientRect();
      const x = ((event.clientX - box.left) * plot.viewBox.baseVal.width) / box.width;
      show(Math.round((x - Number(plot.dataset.first)) / Number(plot.dataset.step)));
    });
  }
  const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    const within = viewer.contains(event.target);
    const box = viewer.getBoundingClientRect();
    const seen = box.top < innerHeight * 0.75 && box.bottom > innerHeight * 0.25;
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target !== range;
    const scrolls = event.target.closest && event.target.closest(".scroll");
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey || typing || scrolls) return;
    // Home and End scroll the page unless the viewer has the focus.
    if (!within && (!seen || event.key === "Home" || event.key === "End")) return;
    event.preventDefault();
    show(go[keys[event.key]]());
  });
  // An address that ends in #step=12 opens the game at that step.
  const linked = () => {
    const found = /^#step=(\d+)$/.exec(location.hash);
    if (!found) return false;
    show(Number(found[1]));
    viewer.scrollIntoView();
    return true;
  };
  addEventListener("hashchange", linked);
  if (!linked()) show(Number(viewer.dataset.start));
})();
