// A map of the coordinates that a class has. It is drawn from the data alone; nothing is fetched from outside.

import { h, fill } from "./dom.js";
import { number } from "./format.js";
import { throttled } from "./live.js";
import { go } from "./router.js";

const pageSize = 1000;
const pagesAtMost = 30;

export class MapPanel {
  /// `choose` is called with a predicate when somebody has dragged over an area.
  constructor(studio, className, pairs, choose) {
    Object.assign(this, { studio, className, pairs, choose, points: [] });
    this.pair = pairs[0];
    this.canvas = h("canvas", { class: "map-canvas", role: "img", "aria-label":
      `Map of ${className} by ${this.pair.latitude} and ${this.pair.longitude}` });
    this.caption = h("p", { class: "map-caption", "aria-live": "polite" });
    this.tip = h("div", { class: "map-tip", hidden: true });
    const select = pairs.length > 1 && h("select", {
      "aria-label": "Coordinates",
      on: { change: () => { this.pair = pairs[Number(select.value)]; this.show(this.where); } },
    }, pairs.map((one, index) => h("option", { value: index }, one.latitude)));
    this.element = h("section", { class: "map", "aria-label": "Map" }, select,
      h("div", { class: "map-frame" }, this.canvas, this.tip), this.caption);
    this.canvas.addEventListener("pointerdown", (event) => this.press(event));
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.canvas);
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.recolor = () => this.draw();
    this.scheme.addEventListener("change", this.recolor);
    this.refresh = throttled(3000, () => this.show(this.where));
  }

  close() {
    this.observer.disconnect();
    this.scheme.removeEventListener("change", this.recolor);
    this.turn = undefined;
  }

  /// Reads the coordinates of what a predicate selects: all of it, or pages spread evenly over it.
  async show(where) {
    this.where = where;
    const turn = {};
    this.turn = turn;
    const question = { class: this.className, where };
    const isFresh = () => turn === this.turn;
    try {
      const { count } = await this.studio.api.get("count", question);
      const pages = Math.max(1, Math.ceil(count / pageSize));
      const read = Math.min(pages, pagesAtMost);
      const points = [];
      for (let index = 0; index < read && isFresh(); index += 1) {
        const from = Math.floor((index * pages) / read) * pageSize;
        const answer = await this.studio.api.get("objects", { ...question, from, count: pageSize });
        if (!isFresh()) return;
        this.collect(answer, points);
        if (index % 5 === 4 && points.length > this.points.length) this.adopt(points, count);
      }
      if (isFresh()) this.adopt(points, count);
    } catch (error) {
      if (isFresh()) this.caption.textContent = error.message;
    }
  }

  collect(answer, points) {
    const latitude = answer.columns.indexOf(this.pair.latitude);
    const longitude = answer.columns.indexOf(this.pair.longitude);
    for (const row of answer.rows) {
      const point = { y: parseFloat(row[latitude]?.text), x: parseFloat(row[longitude]?.text) };
      if (!(Math.abs(point.y) <= 90 && Math.abs(point.x) <= 360)) continue;
      point.key = row[0].text;
      point.name = row.slice(1).find((one) => one.type === "String" && one.text.length > 4)?.text;
      points.push(point);
    }
  }

  adopt(points, count) {
    this.points = [...points];
    fill(this.caption, points.length === 0 ? "Nothing here has coordinates."
      : `${number(points.length)} of ${number(count)} drawn. Drag to filter by an area.`);
    this.draw();
  }

  bounds() {
    let [west, east, south, north] = [180, -180, 90, -90];
    for (const { x, y } of this.points) {
      west = Math.min(west, x);
      east = Math.max(east, x);
      south = Math.min(south, y);
      north = Math.max(north, y);
    }
    if (west > east) return { west: -180, east: 180, south: -60, north: 75 };
    const [padX, padY] = [Math.max((east - west) * 0.05, 0.05), Math.max((north - south) * 0.05, 0.05)];
    return { west: west - padX, east: east + padX, south: south - padY, north: north + padY };
  }

  draw() {
    const { canvas } = this;
    const scale = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width || !height) return;
    canvas.width = width * scale;
    canvas.height = height * scale;
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    this.fit(width, height);
    const style = getComputedStyle(canvas);
    const color = (name) => style.getPropertyValue(name).trim();
    this.grid(context, width, height, color);
    context.fillStyle = color("--accent");
    const size = this.points.length > 8000 ? 1.2 : this.points.length > 800 ? 1.9 : 4;
    context.globalAlpha = this.points.length > 800 ? 0.6 : 0.85;
    for (const point of this.points) {
      const [x, y] = this.project(point);
      if (size > 3) {
        context.beginPath();
        context.arc(x, y, size, 0, 7);
        context.fill();
      } else context.fillRect(x - size / 2, y - size / 2, size, size);
    }
    context.globalAlpha = 1;
    if (this.area) this.drawArea(context, color);
  }

  /// One scale for both directions, at the latitude in the middle.
  fit(width, height) {
    const area = this.bounds();
    const middle = (area.south + area.north) / 2;
    const squeeze = Math.max(Math.cos((middle * Math.PI) / 180), 0.2);
    const scale = Math.min(width / ((area.east - area.west) * squeeze),
      height / (area.north - area.south));
    this.view = {
      scale, squeeze, x: (area.west + area.east) / 2, y: middle, width, height,
    };
  }

  project({ x, y }) {
    const { view } = this;
    return [view.width / 2 + (x - view.x) * view.scale * view.squeeze,
      view.height / 2 - (y - view.y) * view.scale];
  }

  place(x, y) {
    const { view } = this;
    return { x: view.x + (x - view.width / 2) / (view.scale * view.squeeze),
      y: view.y - (y - view.height / 2) / view.scale };
  }

  grid(context, width, height, color) {
    const span = height / this.view.scale;
    const step = [30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01]
      .find((one) => span / one >= 3) ?? 0.01;
    const [from, to] = [this.place(0, height), this.place(width, 0)];
    context.strokeStyle = color("--line");
    context.fillStyle = color("--muted");
    context.font = "10px system-ui, sans-serif";
    context.lineWidth = 1;
    const digits = step < 1 ? 2 : 0;
    for (let y = Math.ceil(from.y / step) * step; y <= to.y; y += step) {
      if (Math.abs(y) > 90) continue;
      const at = Math.round(this.project({ x: 0, y })[1]) + 0.5;
      line(context, 0, at, width, at);
      context.fillText(degrees(y, "N", "S", digits), 4, at - 3);
    }
    for (let x = Math.ceil(from.x / step) * step; x <= to.x; x += step) {
      const at = Math.round(this.project({ x, y: 0 })[0]) + 0.5;
      line(context, at, 0, at, height);
      if (at > 40) context.fillText(degrees(x, "E", "W", digits), at + 3, height - 5);
    }
  }

  drawArea(context, color) {
    const { from, to } = this.area;
    context.strokeStyle = color("--text");
    context.setLineDash([4, 3]);
    context.strokeRect(from.x, from.y, to.x - from.x, to.y - from.y);
    context.setLineDash([]);
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  nearest(at, within = 9) {
    let found;
    let best = within * within;
    for (const point of this.points) {
      const [x, y] = this.project(point);
      const distance = (x - at.x) ** 2 + (y - at.y) ** 2;
      if (distance < best) [found, best] = [point, distance];
    }
    return found;
  }

  hover(event) {
    const at = this.at(event);
    if (this.area) {
      this.area.to = at;
      this.draw();
      return;
    }
    const point = this.view && this.nearest(at);
    this.tip.hidden = !point;
    if (!point) return;
    fill(this.tip, h("strong", {}, point.name ?? point.key), ` ${point.key}`, h("br"),
      `${degrees(point.y, "N", "S", 3)} ${degrees(point.x, "E", "W", 3)}`);
    this.tip.style.setProperty("left", `${Math.min(at.x + 12, this.view.width - 180)}px`);
    this.tip.style.setProperty("top", `${at.y + 14}px`);
  }

  press(event) {
    const from = this.at(event);
    this.canvas.setPointerCapture(event.pointerId);
    this.area = { from, to: from };
    this.tip.hidden = true;
    this.canvas.addEventListener("pointerup", (up) => this.release(this.at(up)), { once: true });
  }

  release(to) {
    const { from } = this.area;
    this.area = undefined;
    this.draw();
    if (Math.abs(to.x - from.x) < 5 || Math.abs(to.y - from.y) < 5) {
      const point = this.nearest(to);
      if (point) go(this.studio.href("object", [this.className, point.key]));
      return;
    }
    const a = this.place(Math.min(from.x, to.x), Math.max(from.y, to.y));
    const b = this.place(Math.max(from.x, to.x), Math.min(from.y, to.y));
    const { latitude, longitude } = this.pair;
    this.choose(`${latitude} BETWEEN {${a.y.toFixed(4)}, ${b.y.toFixed(4)}} AND ` +
      `${longitude} BETWEEN {${a.x.toFixed(4)}, ${b.x.toFixed(4)}}`);
  }
}

function line(context, x, y, toX, toY) {
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(toX, toY);
  context.stroke();
}

function degrees(value, positive, negative, digits) {
  const text = Math.abs(value).toFixed(digits);
  return `${text}°${Number(text) === 0 ? "" : value > 0 ? positive : negative}`;
}
