"use strict";
// Reads /sim/overview every two seconds and shows it; everything is set as text, nothing as markup.
const EVERY = 2000, KEPT = 120, SVG = "http://www.w3.org/2000/svg";
const history = new Map();
const number = (value) => value.toLocaleString("en", { maximumFractionDigits: 0 });
const element = (name, text, kind) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
};
const drawn = (name, attributes) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};

function remembered(world) {
  const points = history.get(world.id) || [];
  const last = points[points.length - 1];
  if (last && world.step < last.step) points.length = 0;
  if (!last || world.step !== last.step) points.push({ step: world.step, tickets: world.tickets, completed: world.orders.completed });
  if (points.length > KEPT) points.shift();
  history.set(world.id, points);
  return points;
}

function trend(points) {
  const most = Math.max(1, ...points.map((point) => point.tickets));
  const first = points[0].step, span = Math.max(1, points[points.length - 1].step - first);
  const line = points.map((point) => `${100 * (point.step - first) / span},${21 - 20 * point.tickets / most}`).join(" ");
  const svg = drawn("svg", { viewBox: "0 0 100 22", preserveAspectRatio: "none", role: "img", "aria-label": "open tickets lately" });
  svg.append(drawn("polyline", { points: line }));
  return svg;
}

function rate(points, perDay) {
  const first = points[0], last = points[points.length - 1];
  if (last.step - first.step < perDay / 4) return "";
  return `${((last.completed - first.completed) / (last.step - first.step) * perDay).toFixed(1)} a day`;
}

function stage(each, most) {
  const item = element("li", undefined, each.tickets ? "stopped" : "");
  const svg = drawn("svg", { class: "bar", viewBox: "0 0 100 4", preserveAspectRatio: "none", width: "100%", "aria-hidden": "true" });
  const going = 100 * each.orders / most, stopped = 100 * each.tickets / most;
  svg.append(drawn("rect", { x: 0, y: 0, width: going, height: 4 }), drawn("rect", { x: going, y: 0, width: stopped, height: 4 }));
  item.append(element("strong", each.name), svg, element("span", `${each.orders} going on`));
  if (each.tickets) {
    item.append(element("span", `${each.tickets} stopped`, "tickets"));
    item.append(element("span", `oldest ${each.oldest} steps`), element("span", `${number(each.blocked)} blocked`));
  }
  return item;
}

function action(each) {
  const row = element("tr"), call = element("td");
  call.append(element("code", `${each.method} ${each.path}`));
  if (!each.agent) call.append(element("span", " beside the agent", "sub"));
  row.append(element("td", number(each.step)), call, element("td", each.status, each.status < 400 ? "done" : "refused"));
  return row;
}

function shown(world) {
  const card = document.getElementById("world").content.cloneNode(true), points = remembered(world);
  const texts = {
    name: world.name, title: world.title, id: world.id,
    when: `step ${number(world.step)}, ${world.time.slice(0, 16).replace("T", " ")}${world.paused ? ", paused" : ""}`,
    tickets: number(world.tickets), inside: number(world.orders.inside), completed: number(world.orders.completed),
    rate: rate(points, world.stepsPerDay),
    signals: Object.entries(world.signals).map(([name, value]) => `${name} ${value.toFixed(2)}`).join(" · "), collected: number(world.money.collected),
    blocked: number(world.money.blocked), lost: number(world.money.lost),
  };
  for (const place of card.querySelectorAll("[data-text]")) place.textContent = texts[place.dataset.text];
  card.querySelector(".trend").append(trend(points));
  const most = Math.max(1, ...world.stages.map((each) => each.orders + each.tickets));
  card.querySelector(".stages").append(...world.stages.map((each) => stage(each, most)));
  const rows = world.actions.map(action);
  card.querySelector("tbody").append(...(rows.length ? rows : [element("tr")]));
  if (!rows.length) card.querySelector("details").replaceChildren(element("p", "No action yet.", "sub"));
  return card;
}

async function read() {
  const state = document.getElementById("state");
  try {
    const answer = await fetch("/sim/overview", { cache: "no-store" });
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    const { worlds } = (await answer.json()).data;
    const closed = new Set([...document.querySelectorAll("article")].filter((each) => each.querySelector("details:not([open])")).map((each) => each.dataset.world));
    document.getElementById("worlds").replaceChildren(...worlds.map((world) => {
      const card = shown(world), article = card.querySelector("article");
      article.dataset.world = world.id;
      if (closed.has(world.id)) article.querySelector("details").open = false;
      return card;
    }));
    state.className = "";
    state.textContent = worlds.length ? `${worlds.length} ${worlds.length === 1 ? "world" : "worlds"}, live` : "No world yet: POST /world creates one.";
  } catch (error) {
    state.className = "late";
    state.textContent = `Out of touch: ${error.message}. Trying again.`;
  }
  setTimeout(read, EVERY);
}
read();
