// The rows of a listing, by pages as they are looked at; few pages are kept.

const pageSize = 150;
const pagesKept = 40;

export class Rows {
	/// `listing` has class, where, sort and descending; `changed` is called when rows have come.
	constructor(api, listing, changed) {
		this.api = api;
		this.listing = listing;
		this.changed = changed;
		this.pages = new Map();
		this.loading = new Map();
		this.columns = [];
		this.total = undefined;
		this.generation = 0;
		this.error = undefined;
	}

	/// The row at a place; nil while it is not here, and then it is asked for.
	row(place) {
		const number = Math.floor(place / pageSize);
		const page = this.pages.get(number);
		if (!page || page.generation !== this.generation) this.want(number);
		if (!page) return undefined;
		this.pages.delete(number);
		this.pages.set(number, page);
		return page.rows[place % pageSize];
	}

	/// Asks for all again; rows that are here stay until the new ones come.
	refresh() {
		this.generation += 1;
		this.error = undefined;
		return this.count();
	}

	async count() {
		const generation = this.generation;
		const { class: name, where } = this.listing;
		try {
			const answer = await this.api.get("count", { class: name, where });
			if (generation !== this.generation) return;
			this.total = answer.count;
			this.milliseconds = answer.milliseconds;
			this.error = undefined;
		} catch (error) {
			this.error = error;
		}
		this.changed();
	}

	want(number) {
		if (this.loading.get(number) === this.generation || this.error) return;
		this.loading.set(number, this.generation);
		this.wanted ??= new Set();
		this.wanted.add(number);
		// While the scroll bar is dragged, only pages that stay in sight are asked for.
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.load(), this.pages.size === 0 ? 0 : 40);
	}

	load() {
		const wanted = [...this.wanted];
		this.wanted.clear();
		for (const number of wanted) {
			if (this.inSight && !this.inSight(number * pageSize, (number + 1) * pageSize)) {
				this.loading.delete(number);
			} else {
				this.fetch(number);
			}
		}
	}

	async fetch(number) {
		const generation = this.generation;
		try {
			const answer = await this.api.get("objects", {
				...this.listing, from: number * pageSize, count: pageSize,
			});
			// A newer answer to the same question may be here already.
			if ((this.pages.get(number)?.generation ?? -1) > generation) return;
			this.columns = answer.columns;
			this.keep(number, { rows: answer.rows, generation });
			if (answer.isLast && this.total === undefined) {
				this.total = answer.start + answer.rows.length;
			}
		} catch (error) {
			this.error = error;
		}
		if (this.loading.get(number) === generation) this.loading.delete(number);
		this.changed();
	}

	keep(number, page) {
		const before = this.pages.get(number);
		if (before) {
			page.before = byKey(before.rows);
			// A row as it was stays the same object, and is not drawn again.
			page.rows = page.rows.map((row) => {
				const old = page.before.get(row[0].text);
				return old && isSame(old, row) ? old : row;
			});
		}
		this.pages.delete(number);
		this.pages.set(number, page);
		while (this.pages.size > pagesKept) this.pages.delete(this.pages.keys().next().value);
	}

	*known() {
		for (const page of this.pages.values()) yield* page.rows;
	}

	/// Tells which cells of a row are others than they were before the last refresh.
	differences(place) {
		const page = this.pages.get(Math.floor(place / pageSize));
		const row = page?.rows[place % pageSize];
		if (!page?.before || !row) return undefined;
		const before = page.before.get(row[0].text);
		if (!before) return page.before.size >= pageSize ? undefined : "row";
		if (before === row) return undefined;
		const changed = [];
		row.forEach((cell, column) => {
			const old = before[column];
			if (!old || old.text !== cell.text || old.kind !== cell.kind) changed.push(column);
		});
		return changed;
	}

	settle() {
		for (const page of this.pages.values()) page.before = undefined;
	}
}

function isSame(a, b) {
	return a.length === b.length &&
		a.every((cell, place) => cell.text === b[place].text && cell.kind === b[place].kind);
}

function byKey(rows) {
	return new Map(rows.map((row) => [row[0].text, row]));
}
