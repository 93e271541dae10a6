// Starts the studio: session, frame, and which page is shown.

import { session, StoreAPI } from "./api.js";
import { closePopover } from "./dialog.js";
import { h, fill, button } from "./dom.js";
import { Edits } from "./edits.js";
import { Authors } from "./format.js";
import { Frame } from "./frame.js";
import { installKeys, places } from "./keys.js";
import { LagHistory } from "./lag.js";
import { Live, News, throttled } from "./live.js";
import { current, go, href } from "./router.js";
import { Schema } from "./schema.js";

const pages = ["object", ...places.map(([page]) => page)];

/// What all pages share: the session, the open store, its schema and its status.
class Studio {
	constructor(opened) {
		Object.assign(this, { session: opened, isReadOnly: opened.isReadOnly, turn: 0 });
		this.frame = new Frame(this);
	}

	href(page, parts, values) {
		return href(this.store, page, parts, values);
	}

	async openStore(number) {
		this.live?.close();
		this.store = number;
		this.api = new StoreAPI(number);
		this.authors = new Authors();
		this.edits = new Edits(this);
		this.lag = new LagHistory(this);
		const [schema, status] = await Promise.all([this.api.get("schema"), this.api.get("status")]);
		this.schema = new Schema(schema);
		this.learn(status);
		this.listen();
	}

	learn(status) {
		this.status = status;
		this.authors.learn(status.names);
		this.authors.color(status.replica);
		for (const author of Object.keys(status.applied).sort()) this.authors.color(author);
	}

	listen() {
		const live = this.live = new Live();
		let news = new News(this);
		const committed = throttled(100, () => {
			const told = news;
			news = new News(this);
			this.page?.committed?.(told);
		});
		const recount = throttled(2000, () => this.recount());
		live.addEventListener("state", () => {
			this.frame.showLive();
			if (live.state === "live" && this.hasFailed) this.route();
		});
		live.addEventListener("commit", ({ detail }) => {
			news.add(detail);
			committed();
			recount();
		});
		live.addEventListener("status", throttled(500, () => this.restate()));
		live.open(this.api);
		this.frame.showStore();
	}

	/// Reads the numbers of objects again.
	async recount() {
		const schema = await this.api.get("schema").catch(() => undefined);
		if (!schema) return;
		this.schema = new Schema(schema);
		this.frame.showClasses();
		await this.restate();
	}

	async restate() {
		const status = await this.api.get("status").catch(() => undefined);
		if (!status) return;
		this.learn(status);
		this.frame.showHealth();
		this.page?.restated?.();
	}

	async route() {
		const turn = ++this.turn;
		const route = current();
		this.hasFailed = false;
		closePopover();
		try {
			if (route.store !== this.store) await this.openStore(route.store);
			else if (route.page === this.pageName && this.page?.update?.(route)) return;
			if (turn !== this.turn) return;
			if (!pages.includes(route.page)) {
				go(this.href("objects"));
				return;
			}
			const module = await import(`./page-${route.page}.js`);
			const page = await module.open(this, route);
			if (turn !== this.turn) {
				page.close?.();
				return;
			}
			this.page?.close?.();
			[this.page, this.pageName] = [page, route.page];
			this.frame.showPage(page);
			page.shown?.();
		} catch (error) {
			if (turn !== this.turn) return;
			this.hasFailed = true;
			this.frame.showError(error, () => this.route());
		}
	}
}

async function start() {
	const shell = document.getElementById("shell");
	try {
		const studio = new Studio(await session());
		fill(shell, studio.frame.element);
		installKeys(studio);
		addEventListener("hashchange", () => studio.route());
		await studio.route();
	} catch (error) {
		fill(shell, h("main.refused", { id: "main" }, h("h1", "The studio is not open"),
			h("p", error.message), button("Try again", start, "primary")));
	}
}

start();
