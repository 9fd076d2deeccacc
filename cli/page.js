// The script of a page of `isolab report`: steps through proofs, searches, changes the theme, sorts and filters tables. The page is
// complete without it. Names come from outside: they are only ever shown by textContent.
"use strict";
(function () {
  const all = (selector, inside) => Array.from((inside || document).querySelectorAll(selector));
  function make(tag, text, cls) {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    if (cls) e.className = cls;
    return e;
  }

  // ---- theme ----
  const theme = document.getElementById("theme");
  if (theme) {
    const other = () => getComputedStyle(document.documentElement).colorScheme.includes("dark") ? "light" : "dark";
    const name = () => { theme.textContent = other() === "dark" ? "Dark" : "Light"; };
    theme.hidden = false;
    name();
    theme.addEventListener("click", function () {
      document.documentElement.dataset.theme = other();
      name();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  }

  // ---- steps of a proof ----
  function stepper(card) {
    const picture = card.querySelector("svg.pic"), items = all("ol.steps li", card), now = card.querySelector(".now");
    const controls = card.querySelector(".controls"), figure = card.querySelector(".figure");
    if (!items.length || !picture || !controls) return;
    const place = controls.querySelector(".place"), story = now.textContent;
    let at = -1; // -1: the whole picture
    function show(to) {
      at = Math.max(-1, Math.min(items.length - 1, to));
      const number = at < 0 ? null : items[at].dataset.step;
      picture.classList.toggle("stepping", at >= 0);
      items.forEach((li, i) => {
        li.classList.toggle("on", i === at);
        const button = li.querySelector("button");
        if (button) button.setAttribute("aria-pressed", String(i === at));
      });
      const involved = new Set();
      all(".arrow", picture).forEach(a => {
        const on = number !== null && a.dataset.step === number;
        a.classList.toggle("on", on);
        if (on) { involved.add(a.dataset.from); involved.add(a.dataset.to); }
      });
      if (at >= 0) (items[at].dataset.txns || "").split(" ").forEach(t => involved.add(t));
      all(".txn", picture).forEach(t => t.classList.toggle("on", involved.has(t.dataset.txn)));
      place.textContent = at < 0 ? "the whole picture, " + items.length + " steps" : "step " + (at + 1) + " of " + items.length;
      now.textContent = at < 0 ? story : items[at].querySelector(".num").textContent + " " + items[at].querySelector(".said").textContent;
    }
    controls.hidden = now.hidden = false;
    controls.querySelector(".next").addEventListener("click", () => show(at + 1));
    controls.querySelector(".back").addEventListener("click", () => show(at - 1));
    controls.querySelector(".whole").addEventListener("click", () => show(-1));
    figure.addEventListener("keydown", function (e) {
      const go = {ArrowRight: at + 1, ArrowDown: at + 1, n: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, p: at - 1, Home: 0,
        End: items.length - 1, Escape: -1}[e.key];
      if (go === undefined || e.ctrlKey || e.altKey || e.metaKey) return;
      e.preventDefault();
      show(go);
    });
    items.forEach((li, i) => {
      const number = li.querySelector(".num"), button = make("button", number.textContent, "num");
      button.setAttribute("aria-label", "show step " + number.textContent);
      button.addEventListener("click", () => show(at === i ? -1 : i));
      number.replaceWith(button);
    });
    all(".arrow", picture).forEach(a => {
      const i = items.findIndex(li => li.dataset.step === a.dataset.step);
      if (i >= 0) { a.style.cursor = "pointer"; a.addEventListener("click", () => show(i)); }
    });
    all(".txn", picture).forEach(t => {
      t.style.cursor = "pointer";
      t.addEventListener("click", () => find("#" + t.dataset.txn));
    });
    show(-1);
  }

  // ---- search ----
  const source = document.getElementById("data"), data = source ? JSON.parse(source.textContent) : null;
  const box = document.getElementById("query"), results = document.getElementById("results");
  const said = document.getElementById("found");
  const SHOWN = 100;
  // A transaction is [number, name, session, number in session, line, index, start, end, status, operations].
  function matches(t, words) {
    if (words.length === 1 && words[0].startsWith("#")) return String(t[0]) === words[0].slice(1);
    const own = (t[1] + " session " + t[2] + " line " + t[4] + " :index " + t[5]).toLowerCase();
    return words.every(w => own.includes(w) || t[9].some(o => o.toLowerCase().includes(w)));
  }
  function place(t) {
    return [t[4] === null ? null : "line " + t[4], t[5] === null ? null : ":index " + t[5]].filter(x => x !== null).join(", ") || "no. " + t[3];
  }
  function search() {
    const words = box.value.toLowerCase().split(/\s+/).filter(w => w);
    results.replaceChildren();
    if (!words.length) { said.textContent = ""; return; }
    const hits = data.transactions.filter(t => matches(t, words));
    said.textContent = hits.length + (hits.length === 1 ? " transaction" : " transactions") + (hits.length > SHOWN ? ", the first " + SHOWN + " shown" : "");
    const table = make("table"), head = make("tr");
    ["transaction", "session", "where", "time", "operations"].forEach(h => head.append(make("th", h)));
    table.append(head);
    hits.slice(0, SHOWN).forEach(t => {
      const row = make("tr"), time = t[6] === null && t[7] === null ? "" : (t[6] === null ? "" : t[6]) + " to " + (t[7] === null ? "" : t[7]);
      [t[1], t[2], place(t), time].forEach((c, i) => row.append(make("td", String(c), i < 2 ? "name" : "")));
      row.append(make("td", t[9].join("; ") + (t[8] === 0 ? "" : t[8] === 1 ? " (aborted)" : " (unknown)"), "mono"));
      table.append(row);
    });
    results.append(table);
  }
  function find(text) {
    if (!box) return;
    box.value = text;
    search();
    document.getElementById("search").scrollIntoView();
    box.focus();
  }
  if (box && data) {
    document.getElementById("search").hidden = false;
    box.addEventListener("input", search);
  }

  // ---- time line ----
  all(".time").forEach(box => {
    const scroller = box.querySelector(".scroller"), track = box.querySelector(".track"), hit = box.querySelector(".blamed") || box.querySelector(".hit");
    let zoom = 1;
    function show(to, at) { // at: what stays where it is, in pixels of the scroller
      if (at === undefined) {
        at = hit ? hit.offsetLeft + hit.offsetWidth / 2 - scroller.scrollLeft : -1;
        if (at < 0 || at > scroller.clientWidth) at = scroller.clientWidth / 2;
      }
      const part = (scroller.scrollLeft + at) / track.offsetWidth;
      zoom = Math.max(1, Math.min(4096, to));
      track.style.width = 100 * zoom + "%";
      scroller.dataset.zoom = zoom >= 16 ? "finer" : zoom >= 4 ? "fine" : "";
      scroller.scrollLeft = part * track.offsetWidth - at;
    }
    box.querySelector(".controls").hidden = false;
    box.querySelector(".in").addEventListener("click", () => show(2 * zoom));
    box.querySelector(".out").addEventListener("click", () => show(zoom / 2));
    box.querySelector(".whole").addEventListener("click", () => show(1));
    scroller.addEventListener("keydown", function (e) {
      const to = {"+": 2 * zoom, "=": 2 * zoom, "-": zoom / 2, "0": 1}[e.key];
      if (to === undefined || e.ctrlKey || e.altKey || e.metaKey) return;
      e.preventDefault();
      show(to);
    });
    const inside = e => e.clientX - scroller.getBoundingClientRect().left;
    scroller.addEventListener("wheel", function (e) {
      if (!e.ctrlKey) return;
      e.preventDefault();
      show(e.deltaY < 0 ? 1.5 * zoom : zoom / 1.5, inside(e));
    }, {passive: false});
    scroller.addEventListener("dblclick", e => show(2 * zoom, inside(e)));
    all("span.bar", track).forEach(bar => bar.addEventListener("click", e => { if (e.detail < 2) find("#" + bar.dataset.txn); }));
  });

  // ---- findings: a link opens what it leads to ----
  function open() {
    const to = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
    for (let e = to; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    if (to && to.closest("details")) to.scrollIntoView();
  }
  window.addEventListener("hashchange", open);
  open();

  // ---- tables ----
  all("table.sortable").forEach(table => {
    all("th", table).forEach((th, column) => {
      const button = make("button", th.textContent);
      th.replaceChildren(button);
      th.setAttribute("aria-sort", "none");
      button.addEventListener("click", function () {
        const up = th.getAttribute("aria-sort") !== "ascending", body = table.tBodies[0];
        all("th", table).forEach(x => x.setAttribute("aria-sort", "none"));
        th.setAttribute("aria-sort", up ? "ascending" : "descending");
        const key = row => { const c = row.cells[column]; return c.dataset.value !== undefined ? Number(c.dataset.value) : c.textContent; };
        Array.from(body.rows).sort((a, b) => {
          const x = key(a), y = key(b);
          return (up ? 1 : -1) * (typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y)));
        }).forEach(row => body.append(row));
      });
    });
  });

  all("p.filter").forEach(p => {
    const table = document.querySelector("table.filtered"), input = p.querySelector("input"), count = p.querySelector("span");
    if (!table) return;
    p.hidden = false;
    const rows = Array.from(table.tBodies[0].rows), texts = rows.map(row => row.textContent.toLowerCase());
    input.addEventListener("input", function () {
      const words = input.value.toLowerCase().split(/\s+/).filter(w => w);
      let shown = 0;
      rows.forEach((row, i) => { row.hidden = !words.every(w => texts[i].includes(w)); shown += !row.hidden; });
      count.textContent = words.length ? shown + " of " + rows.length : "";
    });
    window.addEventListener("hashchange", function () {
      const row = document.getElementById(location.hash.slice(1));
      if (row && row.hidden) { input.value = ""; input.dispatchEvent(new Event("input")); row.scrollIntoView(); }
    });
  });

  all("article.anomaly").forEach(stepper);
  window.addEventListener("beforeprint", () => all("details").forEach(d => { d.open = true; }));
  document.documentElement.dataset.ready = "yes";
})();
