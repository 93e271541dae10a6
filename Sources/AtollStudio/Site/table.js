// A grid over any number of rows, of which only those in sight are elements.
//
// Browsers limit the height of an element, so above `tallest` pixels one pixel of the scroll bar stands for
// several of the rows. Short scrolls still move by the pixel: `top` is kept in the pixels of the rows.

import { h, fill } from "./dom.js";

const tallest = 8_000_000;
const rowHeight = 32;
const rowsBeside = 6;

export class Table {
  /// `source` answers: total, columns(), row(place), cell(row, column), isSelected(row), open(place, event).
  constructor(source, label) {
    this.source = source;
    this.focus = { row: 0, column: 0 };
    this.top = 0;
    this.rows = new Map();
    this.widths = new Map();
    this.head = h("div", { class: "grid-head", role: "row", "aria-rowindex": 1 });
    this.body = h("div", { class: "grid-body", role: "rowgroup" });
    this.layer = h("div", { class: "grid-layer", role: "presentation" }, this.body);
    this.spacer = h("div", { class: "grid-spacer", role: "presentation" });
    this.element = h("div", {
      class: "grid", role: "grid", "aria-label": label, "aria-multiselectable": true,
      "aria-readonly": true,
    }, h("div", { role: "rowgroup", class: "grid-top" }, this.head), this.layer, this.spacer);
    this.element.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.body.addEventListener("click", (event) => this.click(event));
    this.body.addEventListener("dblclick", (event) => this.doubleClick(event));
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.element);
  }

  close() {
    this.observer.disconnect();
  }

  get viewHeight() {
    return Math.max(this.element.clientHeight - rowHeight, rowHeight);
  }

  get fullHeight() {
    return (this.source.total ?? 0) * rowHeight;
  }

  get end() {
    return Math.max(this.fullHeight - this.viewHeight, 0);
  }

  get scrollEnd() {
    return Math.max(Math.min(this.fullHeight, tallest) - this.viewHeight, 0);
  }

  scrolled() {
    const now = this.element.scrollTop;
    const by = now - (this.lastScroll ?? 0);
    this.lastScroll = now;
    if (by === 0) return;
    const isShort = Math.abs(by) < this.viewHeight * 2;
    if (this.fullHeight <= tallest) this.top = now;
    else if (now <= 0) this.top = 0;
    else if (now >= this.scrollEnd - 1) this.top = this.end;
    else if (isShort) this.top = Math.min(Math.max(this.top + by, 0), this.end);
    else this.top = (now / this.scrollEnd) * this.end;
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.align(), 150);
    this.schedule();
  }

  /// Puts the scroll bar where `top` says.
  align() {
    const wanted = this.end > 0 ? (this.top / this.end) * this.scrollEnd : 0;
    if (Math.abs(wanted - this.element.scrollTop) < 1) return;
    this.element.scrollTop = wanted;
    this.lastScroll = this.element.scrollTop;
  }

  moveTo(top) {
    this.top = Math.min(Math.max(top, 0), this.end);
    this.align();
    this.draw();
  }

  schedule() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.draw();
    });
  }

  get range() {
    const first = Math.max(Math.floor(this.top / rowHeight) - rowsBeside, 0);
    const last = Math.ceil((this.top + this.viewHeight) / rowHeight) + rowsBeside;
    return [first, Math.min(last, this.source.total ?? 0)];
  }

  isInSight(from, to) {
    const [first, last] = this.range;
    return from < last && to > first;
  }

  /// The columns are others.
  reset() {
    this.rows.clear();
    fill(this.body);
    this.columns = undefined;
    this.top = 0;
    this.focus = { row: 0, column: this.focus.column };
    this.element.scrollTop = 0;
    this.lastScroll = 0;
  }

  /// Shows all rows in sight anew, or only those that were not shown.
  draw(isAnew = false) {
    const columns = this.source.columns();
    if (!columns.length) return;
    if (this.columns !== columns) this.layOut(columns);
    const total = this.source.total ?? 0;
    this.element.setAttribute("aria-rowcount", this.source.total === undefined ? -1 : total + 1);
    const height = Math.min(this.fullHeight, tallest);
    this.spacer.style.setProperty("height", `${height}px`);
    this.top = Math.min(this.top, this.end);
    const [first, last] = this.range;
    for (const [place, row] of this.rows) {
      if (place >= first && place < last) continue;
      row.element.remove();
      this.rows.delete(place);
    }
    for (let place = first; place < last; place += 1) this.drawRow(place, isAnew);
  }

  drawRow(place, isAnew) {
    let row = this.rows.get(place);
    const data = this.source.row(place);
    if (!row) {
      row = { element: h("div", { class: "grid-row", role: "row", "aria-rowindex": place + 2 }) };
      row.element.place = place;
      this.rows.set(place, row);
      this.body.append(row.element);
    }
    row.element.style.setProperty(
      "transform", `translateY(${Math.round(place * rowHeight - this.top)}px)`);
    row.element.classList.toggle("odd", place % 2 === 1);
    if (row.data === data && !isAnew) return;
    const hadFocus = row.element.contains(document.activeElement);
    row.data = data;
    fill(row.element, this.columns.map((column, index) => this.cell(place, data, column, index)));
    row.element.classList.toggle("pending", !data);
    this.mark(row, data);
    if (hadFocus) this.focusCell();
  }

  cell(place, data, column, index) {
    const content = data ? this.source.cell(data, column, index, place) : undefined;
    const isFocus = place === this.focus.row && index === this.focus.column;
    return h("div", {
      class: `grid-cell ${column.class ?? ""}`, role: column.isHeading ? "rowheader" : "gridcell",
      "aria-colindex": index + 1, tabindex: isFocus ? 0 : -1,
    }, content);
  }

  mark(row, data) {
    const isSelected = Boolean(data && this.source.isSelected(data));
    row.element.classList.toggle("selected", isSelected);
    row.element.setAttribute("aria-selected", isSelected);
  }

  markAll() {
    for (const row of this.rows.values()) this.mark(row, row.data);
  }

  /// Lights up cells of a row for a second.
  light(place, cells) {
    const element = this.rows.get(place)?.element;
    if (!element) return;
    const lit = cells === "row" ? [element] : cells.map((index) => element.children[index]);
    for (const one of lit) one?.classList.add("lit");
    setTimeout(() => lit.forEach((one) => one?.classList.remove("lit")), 1600);
  }

  layOut(columns) {
    this.columns = columns;
    this.element.setAttribute("aria-colcount", columns.length);
    this.rows.clear();
    fill(this.body);
    fill(this.head, columns.map((column, index) => this.heading(column, index)));
    this.measure();
  }

  measure() {
    const widths = this.columns.map((column) => this.widths.get(column.path) ?? column.width);
    const total = widths.reduce((sum, width) => sum + width, 0);
    this.element.style.setProperty("--columns", widths.map((width) => `${width}px`).join(" "));
    this.element.style.setProperty("--width", `${total}px`);
  }

  heading(column, index) {
    const direction = column.direction ?? "none";
    const cell = h("div", {
      class: `grid-heading ${column.class ?? ""}`, role: "columnheader",
      "aria-colindex": index + 1, "aria-sort": column.sort ? direction : undefined,
    });
    if (column.heading) {
      cell.append(column.heading());
      return cell;
    }
    cell.append(h("button", {
      class: "sorter", type: "button", title: column.title, tabindex: index === 0 ? 0 : -1,
      disabled: !column.sort, on: { click: () => column.sort?.() },
    }, h("span", { class: "sorter-name" }, column.name),
    direction !== "none" &&
      h("span", { class: "sorter-arrow", "aria-hidden": "true" },
        direction === "ascending" ? "↑" : "↓")));
    cell.append(h("span", {
      class: "sizer", "aria-hidden": "true",
      on: { pointerdown: (event) => this.resize(event, column) },
    }));
    return cell;
  }

  resize(event, column) {
    event.preventDefault();
    const handle = event.target;
    const from = event.clientX;
    const width = this.widths.get(column.path) ?? column.width;
    handle.setPointerCapture(event.pointerId);
    handle.onpointermove = (move) => {
      this.widths.set(column.path, Math.min(Math.max(width + move.clientX - from, 48), 900));
      this.measure();
    };
    handle.onpointerup = () => {
      handle.onpointermove = null;
    };
  }

  place(event) {
    const cell = event.target.closest(".grid-cell");
    const place = cell?.parentElement.place;
    if (place === undefined) return undefined;
    return { row: place, column: [...cell.parentElement.children].indexOf(cell) };
  }

  click(event) {
    const place = this.place(event);
    if (!place) return;
    this.moveFocus(place, !event.target.closest("a, button, input"));
    this.source.clicked?.(place.row, event);
  }

  doubleClick(event) {
    const place = this.place(event);
    if (place && !event.target.closest("a, button, input")) this.source.open(place.row);
  }

  moveFocus(place, takesFocus = true) {
    const old = this.rows.get(this.focus.row)?.element.children[this.focus.column];
    old?.setAttribute("tabindex", -1);
    const total = this.source.total ?? 0;
    this.focus = {
      row: Math.min(Math.max(place.row, 0), Math.max(total - 1, 0)),
      column: Math.min(Math.max(place.column, 0), (this.columns?.length ?? 1) - 1),
    };
    this.reveal();
    if (takesFocus) this.focusCell();
  }

  /// Scrolls until the focus is in sight.
  reveal() {
    const top = this.focus.row * rowHeight;
    if (top < this.top) this.moveTo(top);
    else if (top + rowHeight > this.top + this.viewHeight) {
      this.moveTo(top + rowHeight - this.viewHeight);
    }
  }

  focusCell() {
    const cell = this.rows.get(this.focus.row)?.element.children[this.focus.column];
    if (!cell) return;
    cell.setAttribute("tabindex", 0);
    cell.focus({ preventScroll: true });
    this.revealColumn(cell);
  }

  revealColumn(cell) {
    const fixed = this.columns.filter((one) => one.isFixed)
      .reduce((sum, one) => sum + (this.widths.get(one.path) ?? one.width), 0);
    const grid = this.element;
    if (this.columns[this.focus.column].isFixed) return;
    const left = cell.offsetLeft;
    if (left < grid.scrollLeft + fixed) grid.scrollLeft = left - fixed;
    else if (left + cell.offsetWidth > grid.scrollLeft + grid.clientWidth) {
      grid.scrollLeft = left + cell.offsetWidth - grid.clientWidth;
    }
  }

  key(event) {
    if (event.target.closest("input, textarea, .grid-head")) return;
    const { row, column } = this.focus;
    const page = Math.max(Math.floor(this.viewHeight / rowHeight) - 1, 1);
    const isFar = event.ctrlKey || event.metaKey;
    const last = (this.source.total ?? 1) - 1;
    const moves = {
      ArrowDown: { row: isFar ? last : row + 1, column },
      ArrowUp: { row: isFar ? 0 : row - 1, column },
      ArrowRight: { row, column: column + 1 },
      ArrowLeft: { row, column: column - 1 },
      PageDown: { row: row + page, column },
      PageUp: { row: row - page, column },
      Home: isFar ? { row: 0, column: 0 } : { row, column: 0 },
      End: isFar ? { row: last, column } : { row, column: this.columns.length - 1 },
    };
    if (moves[event.key] && !event.altKey) {
      event.preventDefault();
      this.moveFocus(moves[event.key]);
      if (event.shiftKey) this.source.clicked?.(this.focus.row, event);
    } else if (event.key === "Enter" && !event.target.closest("button, a")) {
      event.preventDefault();
      if (!this.source.enterCell?.(this.cellElement())) this.source.open(row);
    } else if (event.key === " " && !event.target.closest("button, a")) {
      event.preventDefault();
      this.source.toggle?.(row, event);
    }
  }

  cellElement() {
    return this.rows.get(this.focus.row)?.element.children[this.focus.column];
  }

  /// Puts the keyboard's focus in the table.
  enter() {
    this.reveal();
    this.focusCell();
  }
}
