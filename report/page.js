// The script of a page of `isolab report`: steps through proofs, searches, draws small histories as bars, changes the theme, sorts and
// filters tables. The page can be read without it. Names come from outside: they are only ever shown by textContent.
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

  // ---- what else touched the keys of an anomaly ----
  const KEYS = 4, NEAR = 4, NEAR_ROWS = 60;
  const keyOf = op => (op.match(/^(?:reads|writes) (.*?) = /) || op.match(/^appends .* to (.*)$/) || [null, null])[1];
  function neighbours(details, key, own) {
    const at = t => t[6] !== null ? BigInt(t[6]) : BigInt(t[4] !== null ? t[4] : t[0]);
    const ops = data.transactions.flatMap(t => t[9].filter(o => keyOf(o) === key).map(o => ({t, o, at: at(t)})));
    ops.sort((a, b) => a.at < b.at ? -1 : a.at > b.at ? 1 : a.t[0] - b.t[0]);
    const near = i => ops.slice(Math.max(0, i - NEAR), i + NEAR + 1).some(x => own.has(x.t[0]));
    const table = make("table"), frame = make("div", undefined, "wide");
    let left = 0, shown = 0;
    const row = (cells, cls) => { const r = make("tr", undefined, cls); cells.forEach(c => r.append(make("td", c[0], c[1]))); table.append(r); };
    ops.forEach((x, i) => {
      if (!near(i) || shown === NEAR_ROWS) { left++; return; }
      if (left) row([[left + " more", "muted"]]);
      left = 0;
      shown++;
      row([[x.t[1], "name"], [x.t[2], "name"], [x.o, "mono"], [place(x.t), "muted"]], own.has(x.t[0]) ? "hit" : "");
    });
    if (left) row([[left + " more", "muted"]]);
    frame.append(table);
    details.append(frame);
  }
  const closed = []; // tables that are made when they are opened
  function around(card, known) {
    const own = new Set(card.dataset.txns.split(" ").filter(x => x).map(Number)), count = new Map();
    own.forEach(n => new Set(known.has(n) ? known.get(n)[9].map(keyOf) : []).forEach(k => count.set(k, (count.get(k) || 0) + 1)));
    Array.from(count.keys()).filter(k => k !== null && count.get(k) >= Math.min(2, own.size)).slice(0, KEYS).forEach(key => {
      const details = make("details");
      let made = false;
      const fill = () => { if (!made) neighbours(details, key, own); made = true; };
      details.append(make("summary", "What else touched " + key + (data.all ? "" : ", of the transactions that this page has")));
      details.addEventListener("toggle", fill);
      closed.push(fill);
      card.append(details);
    });
  }
  if (data) {
    const known = new Map(data.transactions.map(t => [t[0], t]));
    all("article.anomaly").forEach(card => around(card, known));
  }

  // ---- time line ----
  // A small history has a bar for each transaction; every history has bars of notes, ticks and zoom.
  const BARS = 200, ROWS = 100, ROW = 22, NOTE_ROWS = 8, TICKS = 64;
  const least = list => list.reduce((a, b) => b < a ? b : a), most = list => list.reduce((a, b) => b > a ? b : a);
  function span(ns) {
    const [, unit, name] = [[1e3, 1, "ns"], [1e6, 1e3, "us"], [1e9, 1e6, "ms"], [120e9, 1e9, "s"], [7200e9, 60e9, "min"],
      [172800e9, 3600e9, "h"], [Infinity, 86400e9, "days"]].find(u => ns < u[0]);
    return Number((ns / unit).toPrecision(3)) + " " + name;
  }
  // The operations in few words: without the key, if there is only one.
  function shortly(t) {
    const one = data.keys === 1;
    return t[9].map(o => o.replace(/^reads (?:key )?/, "r ").replace(/^writes (?:key )?/, "w ").replace(/^appends /, "a "))
      .map(o => one ? o.replace(/^([rw]) .*? = /, "$1 ").replace(/^(a .*?) to .*/, "$1") : o.replace(" = ", " ").replace(" to key ", " to ")).join(", ");
  }
  // The transactions as {from, to, row, ...}; to is null: no end is known.
  function bars(by, names) {
    return data.transactions.map(t => {
      const at = {"line of the file": t[4], "number in the session": t[3]}[by], timed = at === undefined;
      const from = timed ? t[6] === null ? t[7] : t[6] : at, to = timed ? t[7] : at + 1;
      return {t, row: names.indexOf(t[2]), from: from === null ? null : BigInt(from), to: to === null ? null : BigInt(to)};
    }).filter(b => b.from !== null);
  }
  // The notes that have times, as {from, to, item}.
  function notes() {
    return all("ol.notes li").map(item => {
      const at = all("[data-at]", item).map(x => BigInt(x.textContent.match(/-?\d+/)[0]));
      return {item, from: at[0], to: at[at.length - 1]};
    }).filter(n => n.from !== undefined && n.to >= n.from);
  }
  function timeline(box) {
    const track = box.querySelector(".track"), scroller = box.querySelector(".scroller"), labels = box.querySelector(".names");
    const by = box.dataset.by, timed = by === "time" || by === "event", below = timed ? notes() : [];
    const names = data ? Array.from(new Set(data.transactions.map(t => t[2]))).sort((a, b) => a.localeCompare(b, "en", {numeric: true})) : [];
    const few = data && data.all && data.transactions.length <= BARS && names.length <= ROWS, shown = few ? bars(by, names) : [];
    let low = BigInt(box.dataset.least), high = BigInt(box.dataset.most), rows = few ? names.length : labels.children.length, hit = null;
    const zero = low;
    if (few) { // notes may be as long before and after the transactions as these last
      high = most(shown.map(b => b.to === null ? b.from : b.to).concat([high]));
      const [first, last] = [low - (high - low), high + (high - low)], ends = below.flatMap(n => [n.from, n.to]).map(x => x < first ? first : x > last ? last : x);
      [low, high] = [least(ends.concat([low])), most(ends.concat([high]))];
    }
    const near = x => x < low ? low : x > high ? high : x;
    const percent = x => Math.max(0, Math.min(100, 100 * Number(x - low) / Number(high - low + 1n)));
    function put(tag, cls, row, from, to, text) {
      const e = make(tag, text, cls);
      e.style.cssText = "top:" + ROW * row + "px;left:" + from + "%;width:" + (to - from) + "%";
      track.append(e);
      return e;
    }
    if (few) {
      track.replaceChildren();
      labels.replaceChildren(...names.map(n => make("div", n)));
      const cards = all("article.plain");
      shown.forEach(b => {
        const card = cards.find(c => c.dataset.txns.split(" ").includes(String(b.t[0]))), blamed = cards.some(c => c.dataset.read === String(b.t[0]));
        const e = put(card ? "a" : "span", "bar" + (card ? " hit" : "") + (blamed ? " blamed" : "") + (b.to === null ? " endless" : "") + (b.t[8] === 1 ? " aborted" : ""),
          b.row, percent(b.from), b.to === null ? 100 : percent(b.to), "");
        e.append(make("b", b.t[1]), " " + shortly(b.t));
        e.title = b.t[1] + ": " + b.t[9].join("; ");
        e.dataset.txn = b.t[0];
        if (card) e.href = "#" + card.id;
        else e.addEventListener("click", x => { if (x.detail < 2) find("#" + b.t[0]); });
        if (blamed || (card && !hit)) hit = e;
      });
      document.querySelector(".meaning").textContent = "A bar is a transaction, from its call to its return: r reads, w writes, a appends; red ones belong to an anomaly.";
    }
    if (labels.firstChild) labels.firstChild.prepend("session ");
    const end = [];
    below.forEach(n => {
      let lane = 0;
      while (lane < end.length && lane + 1 < NOTE_ROWS && n.from <= end[lane]) lane++;
      end[lane] = lane < end.length && end[lane] > n.to ? end[lane] : n.to;
      const from = percent(near(n.from)), to = percent(near(n.to) + 1n), number = n.item.id.slice(1);
      put("i", "over", 0, from, to);
      const e = put("a", "note", rows + lane, from, to, number);
      e.title = "note " + number + ": " + n.item.firstElementChild.textContent;
      e.href = "#" + n.item.id;
    });
    if (below.length) {
      labels.append(make("div", "notes"));
      document.querySelector(".meaning").append(" Bars with numbers, and the shade above them: notes, such as faults of the database; their list is below.");
    }
    rows += end.length;
    for (let i = 0; i <= TICKS; i++) { // times are 0 where the first transaction began, other positions as they are
      const at = Number(low - zero) + Number(high - low) * i / TICKS;
      const text = by !== "time" ? String(Math.round(Number(zero) + at)) : at === 0 ? "0" : (at < 0 ? "-" : "") + span(Math.abs(at));
      put("span", "tick" + (i % 16 === 0 ? "" : i % 4 === 0 ? " fine" : " finer"), rows, 100 * i / TICKS, 100 * i / TICKS, text);
    }
    track.style.height = ROW * (rows + 1) + "px";
    zooming(box, scroller, track, hit);
  }
  function zooming(box, scroller, track, hit) {
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
    const controls = make("div", undefined, "controls");
    [["Zoom in", "in", () => 2 * zoom], ["Zoom out", "out", () => zoom / 2], ["Whole", "whole", () => 1]].forEach(([text, cls, to]) => {
      const button = make("button", text, cls);
      button.addEventListener("click", () => show(to()));
      controls.append(button);
    });
    controls.append(make("span", "+ and - zoom, arrows move, 0 shows all; or Ctrl and the wheel", "muted"));
    box.prepend(controls);
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
  }
  all(".time").forEach(timeline);

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
  window.addEventListener("beforeprint", function () {
    closed.forEach(fill => fill());
    all("details").forEach(d => { d.open = true; });
  });
  document.documentElement.dataset.ready = "yes";
})();
