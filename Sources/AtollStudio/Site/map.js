// A map of the coordinates that a class has, drawn from the data alone.

import { h, fill } from "./dom.js";
import { number } from "./format.js";
import { throttled } from "./live.js";
import { go } from "./router.js";

const pageSize = 1000;
const pagesAtMost = 30;

export class MapPanel {
	/// `pair` names the columns; `choose` gets a predicate of the area that somebody dragged over.
	constructor(studio, className, pair, choose) {
		Object.assign(this, { studio, className, choose, pair, points: [] });
		this.canvas = h("canvas.map-canvas", { role: "img", label: `Map of ${className}`, on: {
			pointerdown: (event) => this.press(event), pointermove: (event) => this.hover(event),
			pointerleave: () => { this.tip.hidden = true; },
		} });
		this.caption = h("p.map-caption", { "aria-live": "polite" });
		this.tip = h("div.map-tip", { hidden: true });
		this.element = h("section.map", { label: "Map" },
			h("div.map-frame", this.canvas, this.tip), this.caption);
		this.observer = new ResizeObserver(() => this.draw());
		this.observer.observe(this.canvas);
		this.refresh = throttled(3000, () => this.turn && this.show(this.where));
	}

	close() {
		this.observer.disconnect();
		this.turn = undefined;
	}

	/// Reads the coordinates of what a predicate selects: all of it, or pages spread evenly over it.
	async show(where) {
		this.where = where;
		const turn = this.turn = {};
		const question = { class: this.className, where };
		try {
			const { count } = await this.studio.api.get("count", question);
			const pages = Math.max(1, Math.ceil(count / pageSize));
			const read = Math.min(pages, pagesAtMost);
			const points = [];
			for (let index = 0; index < read; index += 1) {
				const from = Math.floor((index * pages) / read) * pageSize;
				const answer = await this.studio.api.get("objects", { ...question, from, count: pageSize });
				if (turn !== this.turn) return;
				this.collect(answer, points);
				if (index % 5 === 4 || index === read - 1) this.adopt(points, count);
			}
		} catch (error) {
			if (turn === this.turn) this.caption.textContent = error.message;
		}
	}

	collect({ columns, rows }, points) {
		const [latitude, longitude] = [this.pair.latitude, this.pair.longitude]
			.map((path) => columns.indexOf(path));
		for (const row of rows) {
			const [x, y] = [parseFloat(row[longitude].text), parseFloat(row[latitude].text)];
			if (!(Math.abs(y) <= 90 && Math.abs(x) <= 360)) continue;
			const name = row.slice(1).find((one) => one.type === "String" && one.text.length > 4)?.text;
			points.push({ x, y, key: row[0].text, name });
		}
	}

	adopt(points, count) {
		this.points = [...points];
		this.caption.textContent = points.length === 0 ? "Nothing here has coordinates."
			: `${number(points.length)} of ${number(count)} drawn. Drag to filter by an area.`;
		this.draw();
	}

	draw() {
		const { canvas, points } = this;
		const scale = devicePixelRatio || 1;
		const [width, height] = [canvas.clientWidth, canvas.clientHeight];
		if (!width || !height) return;
		[canvas.width, canvas.height] = [width * scale, height * scale];
		const context = canvas.getContext("2d");
		context.scale(scale, scale);
		this.fit(width, height);
		const style = getComputedStyle(canvas);
		const color = (name) => style.getPropertyValue(name).trim();
		this.grid(context, color);
		context.fillStyle = color("--accent");
		context.globalAlpha = points.length > 800 ? 0.6 : 0.85;
		const size = points.length > 8000 ? 0.7 : points.length > 800 ? 1.1 : 4;
		for (const point of points) {
			const [x, y] = this.project(point);
			if (size < 2) context.fillRect(x - size, y - size, size * 2, size * 2);
			else {
				context.beginPath();
				context.arc(x, y, size, 0, 7);
				context.fill();
			}
		}
		context.globalAlpha = 1;
		if (!this.area) return;
		const { from, to } = this.area;
		context.strokeStyle = color("--text");
		context.strokeRect(from.x, from.y, to.x - from.x, to.y - from.y);
	}

	/// One scale for both directions, at the latitude in the middle.
	fit(width, height) {
		let [west, east, south, north] = [180, -180, 90, -90];
		for (const { x, y } of this.points) {
			[west, east] = [Math.min(west, x), Math.max(east, x)];
			[south, north] = [Math.min(south, y), Math.max(north, y)];
		}
		if (west > east) [west, east, south, north] = [-180, 180, -60, 75];
		const middle = (south + north) / 2;
		const squeeze = Math.max(Math.cos((middle * Math.PI) / 180), 0.2);
		const scale = Math.min(width / ((east - west + 0.1) * squeeze * 1.08),
			height / ((north - south + 0.1) * 1.08));
		this.view = { scale, squeeze, x: (west + east) / 2, y: middle, width, height };
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

	grid(context, color) {
		const { width, height, scale } = this.view;
		const step = [30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02].find((one) =>
			Math.min(width, height) / scale / one >= 3) ?? 0.01;
		const digits = step < 1 ? 2 : 0;
		const [from, to] = [this.place(0, height), this.place(width, 0)];
		const [left, bottom] = this.project({ x: Math.max(from.x, -180), y: Math.max(from.y, -90) });
		const [right, top] = this.project({ x: Math.min(to.x, 180), y: Math.min(to.y, 90) });
		context.fillStyle = color("--page");
		context.fillRect(left, top, right - left, bottom - top);
		context.fillStyle = color("--muted");
		context.font = "10px system-ui, sans-serif";
		for (const y of degrees(Math.max(from.y, -89), Math.min(to.y, 89), step)) {
			const at = Math.round(this.project({ x: 0, y })[1]);
			line(context, color, left, at, right - left, 1);
			context.fillText(named(y, "N", "S", digits), left + 4, at - 3);
		}
		let last = left + 10;
		for (const x of degrees(Math.max(from.x, -179), Math.min(to.x, 179), step)) {
			const at = Math.round(this.project({ x, y: 0 })[0]);
			line(context, color, at, top, 1, bottom - top);
			if (at < last + 38 || at > right - 36) continue;
			context.fillText(named(x, "E", "W", digits), at + 3, bottom - 5);
			last = at;
		}
	}

	at(event) {
		const box = this.canvas.getBoundingClientRect();
		return { x: event.clientX - box.left, y: event.clientY - box.top };
	}

	nearest(at) {
		let found;
		let best = 81;
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
		fill(this.tip, h("strong", point.name ?? point.key), ` ${point.key}`, h("br"),
			`${named(point.y, "N", "S", 3)} ${named(point.x, "E", "W", 3)}`);
		this.tip.style.setProperty("left", `${Math.min(at.x + 12, this.view.width - 180)}px`);
		this.tip.style.setProperty("top", `${at.y + 14}px`);
	}

	press(event) {
		const from = this.at(event);
		this.area = { from, to: from };
		this.tip.hidden = true;
		this.canvas.setPointerCapture(event.pointerId);
		this.canvas.onpointerup = (up) => this.release(from, this.at(up));
	}

	/// A click opens the object there; a drag filters by the area.
	release(from, to) {
		this.canvas.onpointerup = this.area = undefined;
		this.draw();
		if (Math.abs(to.x - from.x) < 5 || Math.abs(to.y - from.y) < 5) {
			const point = this.nearest(to);
			if (point) go(this.studio.href("object", [this.className, point.key]));
			return;
		}
		const a = this.place(Math.min(from.x, to.x), Math.max(from.y, to.y));
		const b = this.place(Math.max(from.x, to.x), Math.min(from.y, to.y));
		const range = (path, axis) =>
			`${path} BETWEEN {${a[axis].toFixed(4)}, ${b[axis].toFixed(4)}}`;
		this.choose(`${range(this.pair.latitude, "y")} AND ${range(this.pair.longitude, "x")}`);
	}
}

function* degrees(from, to, step) {
	for (let value = Math.ceil(from / step) * step; value <= to; value += step) yield value;
}

function line(context, color, x, y, width, height) {
	const before = context.fillStyle;
	context.fillStyle = color("--line");
	context.fillRect(x, y, width, height);
	context.fillStyle = before;
}

function named(value, positive, negative, digits) {
	const text = Math.abs(value).toFixed(digits);
	return `${text}°${Number(text) === 0 ? "" : value > 0 ? positive : negative}`;
}
