// A grid over any number of rows, of which only those in sight are elements.
//
// Browsers limit the height of an element, so above `tallest` one pixel of the scroll bar stands
// for several of the rows. Short scrolls still move by the pixel: `top` is in pixels of the rows.

import { h, fill, button } from "./dom.js";

const tallest = 8_000_000;
const rowHeight = 32;
const rowsBeside = 6;
const litFor = 1600;

export class Table {
	/// `source` answers total, columns(), row(place), cell(row, column, place), isSelected(row),
	/// toggle(place, isRange), clicked(place, event) and open(place).
	constructor(source, label) {
		Object.assign(this, { source, top: 0, lastScroll: 0, focus: { row: 0, column: 0 } });
		this.rows = new Map();
		this.widths = new Map();
		this.head = h("div.grid-head", { role: "row", "aria-rowindex": 1 });
		this.body = h("div.grid-body", { role: "rowgroup", on: {
			click: (event) => this.click(event), dblclick: (event) => this.doubleClick(event),
		} });
		this.spacer = h("div", { role: "presentation" });
		this.element = h("div.grid", {
			role: "grid", label, "aria-multiselectable": true, "aria-readonly": true,
			on: { scroll: () => this.scrolled(), keydown: (event) => this.key(event) },
		}, h("div.grid-top", { role: "rowgroup" }, this.head),
		h("div.grid-layer", { role: "presentation" }, this.body), this.spacer);
		this.observer = new ResizeObserver(() => this.draw());
		this.observer.observe(this.element);
	}

	close() {
		this.observer.disconnect();
	}

	// Its place.

	get viewHeight() {
		return Math.max(this.element.clientHeight - rowHeight, rowHeight);
	}

	get fullHeight() {
		return (this.source.total ?? 0) * rowHeight;
	}

	/// The greatest `top`, and the greatest place of the scroll bar.
	get end() {
		return Math.max(this.fullHeight - this.viewHeight, 0);
	}

	get scrollEnd() {
		return Math.max(Math.min(this.fullHeight, tallest) - this.viewHeight, 0);
	}

	scrolled() {
		const now = this.element.scrollTop;
		const by = now - this.lastScroll;
		this.lastScroll = now;
		if (by === 0) return;
		if (this.fullHeight <= tallest) this.top = now;
		else if (now <= 0) this.top = 0;
		else if (now >= this.scrollEnd - 1) this.top = this.end;
		else if (Math.abs(by) < this.viewHeight * 2) this.top = within(this.top + by, 0, this.end);
		else this.top = (now / this.scrollEnd) * this.end;
		clearTimeout(this.settling);
		this.settling = setTimeout(() => this.align(), 150);
		this.frame ??= requestAnimationFrame(() => {
			this.frame = undefined;
			this.draw();
		});
	}

	/// Puts the scroll bar where `top` says.
	align() {
		const wanted = this.end > 0 ? (this.top / this.end) * this.scrollEnd : 0;
		if (Math.abs(wanted - this.element.scrollTop) < 1) return;
		this.element.scrollTop = wanted;
		this.lastScroll = this.element.scrollTop;
	}

	/// The first row that is drawn, and the first after them that is not.
	get range() {
		const first = Math.max(Math.floor(this.top / rowHeight) - rowsBeside, 0);
		const last = Math.ceil((this.top + this.viewHeight) / rowHeight) + rowsBeside;
		return [first, Math.min(last, this.source.total ?? 0)];
	}

	isInSight(from, to) {
		const [first, last] = this.range;
		return from < last && to > first;
	}

	// Drawing.

	reset() {
		this.columns = undefined;
		this.top = this.lastScroll = this.element.scrollTop = 0;
		this.focus.row = 0;
	}

	draw() {
		const columns = this.source.columns();
		if (!columns.length) return;
		if (this.columns !== columns) this.layOut(columns);
		const { total } = this.source;
		this.element.setAttribute("aria-rowcount", total === undefined ? -1 : total + 1);
		this.spacer.style.setProperty("height", `${Math.min(this.fullHeight, tallest)}px`);
		this.top = Math.min(this.top, this.end);
		const [first, last] = this.range;
		for (const [place, row] of this.rows) {
			if (place >= first && place < last) continue;
			row.element.remove();
			this.rows.delete(place);
		}
		for (let place = first; place < last; place += 1) this.drawRow(place);
	}

	drawRow(place) {
		const data = this.source.row(place);
		let row = this.rows.get(place);
		if (!row) {
			row = { element: h("div.grid-row", { role: "row", "aria-rowindex": place + 2 }) };
			row.element.place = place;
			row.element.classList.toggle("odd", place % 2 === 1);
			this.rows.set(place, row);
			this.body.append(row.element);
		}
		const y = Math.round(place * rowHeight - this.top);
		row.element.style.setProperty("transform", `translateY(${y}px)`);
		if (row.data === data && row.element.firstChild) return;
		const hadFocus = row.element.contains(document.activeElement);
		row.data = data;
		fill(row.element, this.columns.map((column, index) => h("div", {
			class: `grid-cell ${column.class}`, role: column.isKey ? "rowheader" : "gridcell",
			"aria-colindex": index + 1,
			tabindex: place === this.focus.row && index === this.focus.column ? 0 : -1,
		}, data && this.source.cell(data, column, place))));
		row.element.classList.toggle("pending", !data);
		this.mark(row);
		if (hadFocus) this.focusCell();
	}

	mark({ element, data }) {
		const isSelected = Boolean(data && this.source.isSelected(data));
		element.classList.toggle("selected", isSelected);
		element.setAttribute("aria-selected", isSelected);
	}

	markAll() {
		for (const row of this.rows.values()) this.mark(row);
	}

	/// Lights up cells of a row, or "row".
	light(place, cells) {
		const element = this.rows.get(place)?.element;
		if (!element) return;
		const lit = cells === "row" ? [element] : cells.map((index) => element.children[index]);
		for (const one of lit) one?.classList.add("lit");
		setTimeout(() => lit.forEach((one) => one?.classList.remove("lit")), litFor);
	}

	layOut(columns) {
		this.columns = columns;
		this.element.setAttribute("aria-colcount", columns.length);
		this.rows.clear();
		fill(this.body);
		fill(this.head, columns.map((column, index) => this.heading(column, index)));
		this.measure();
	}

	width(column) {
		return this.widths.get(column.path) ?? column.width;
	}

	measure() {
		const widths = this.columns.map((column) => this.width(column));
		const total = widths.reduce((sum, width) => sum + width, 0);
		this.element.style.setProperty("--columns", widths.map((width) => `${width}px`).join(" "));
		this.element.style.setProperty("--width", `${total}px`);
	}

	heading(column, index) {
		const arrow = { ascending: "↑", descending: "↓" }[column.direction];
		return h("div", {
			class: `grid-heading ${column.class}`, role: "columnheader", "aria-colindex": index + 1,
			"aria-sort": column.sort && column.direction,
		}, column.heading ?? [
			button([h("span.sorter-name", column.name), arrow && h("span.sorter-arrow", arrow)],
				() => column.sort?.(), "sorter", { title: column.title, disabled: !column.sort }),
			h("span.sizer", { "aria-hidden": "true",
				on: { pointerdown: (event) => this.resize(event, column) } })]);
	}

	resize(event, column) {
		event.preventDefault();
		const { target, clientX } = event;
		const width = this.width(column);
		target.setPointerCapture(event.pointerId);
		target.onpointermove = (move) => {
			this.widths.set(column.path, within(width + move.clientX - clientX, 48, 900));
			this.measure();
		};
		target.onpointerup = () => { target.onpointermove = null; };
	}

	// The keyboard and the pointer.

	click(event) {
		const cell = event.target.closest(".grid-cell");
		if (!cell) return;
		const row = cell.parentElement.place;
		const column = [...cell.parentElement.children].indexOf(cell);
		this.moveFocus(row, column, !isControl(event.target));
		this.source.clicked(row, event);
	}

	doubleClick(event) {
		const place = event.target.closest(".grid-row")?.place;
		if (place !== undefined && !isControl(event.target)) this.source.open(place);
	}

	get focused() {
		return this.rows.get(this.focus.row)?.element.children[this.focus.column];
	}

	moveFocus(row, column, takesFocus = true) {
		this.focused?.setAttribute("tabindex", -1);
		this.focus = { row: within(row, 0, (this.source.total ?? 1) - 1),
			column: within(column, 0, this.columns.length - 1) };
		if (takesFocus) this.enter();
	}

	enter() {
		const top = this.focus.row * rowHeight;
		const wanted = within(this.top, top + rowHeight - this.viewHeight, top);
		if (wanted !== this.top) {
			this.top = within(wanted, 0, this.end);
			this.align();
			this.draw();
		}
		this.focusCell();
	}

	focusCell() {
		const cell = this.focused;
		if (!cell) return;
		cell.setAttribute("tabindex", 0);
		cell.focus({ preventScroll: true });
		if (this.columns[this.focus.column].isFixed) return;
		const fixed = this.columns.filter((one) => one.isFixed)
			.reduce((sum, one) => sum + this.width(one), 0);
		const grid = this.element;
		grid.scrollLeft = within(grid.scrollLeft, cell.offsetLeft + cell.offsetWidth - grid.clientWidth,
			cell.offsetLeft - fixed);
	}

	key(event) {
		if (event.target.closest(".grid-head")) return;
		const { row, column } = this.focus;
		const page = Math.max(Math.floor(this.viewHeight / rowHeight) - 1, 1);
		const isFar = event.ctrlKey || event.metaKey;
		const [end, right] = [this.source.total - 1, this.columns.length - 1];
		const move = {
			ArrowDown: [isFar ? end : row + 1, column], ArrowUp: [isFar ? 0 : row - 1, column],
			ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1],
			PageDown: [row + page, column], PageUp: [row - page, column],
			Home: [isFar ? 0 : row, isFar ? column : 0], End: [isFar ? end : row, isFar ? column : right],
		}[event.key];
		const isOwn = !isControl(event.target);
		if (move && !event.altKey) {
			this.moveFocus(...move);
			if (event.shiftKey) this.source.clicked(this.focus.row, event);
		} else if (event.key === "Enter" && isOwn) {
			// A collection opens in place; any other cell opens the object.
			const opener = this.focused?.querySelector(".opener");
			if (opener) opener.click();
			else this.source.open(row);
		} else if (event.key === " " && isOwn) this.source.toggle(row, event.shiftKey);
		else return;
		event.preventDefault();
	}
}

function isControl(element) {
	return Boolean(element.closest("a, button, input"));
}

/// A value between two bounds; the upper one counts if they cross.
function within(value, least, most) {
	return Math.min(Math.max(value, least), most);
}
