// Hears of commits and of the status by server-sent events. After a loss it asks again by itself,
// with pauses that double from one second to thirty.

import { session } from "./api.js";

const longestPause = 30_000;

export class Live extends EventTarget {
	state = "waiting";
	pause = 1000;

	open(api) {
		this.api = api;
		this.wake = () => this.state === "lost" && !document.hidden && this.retry();
		document.addEventListener("visibilitychange", this.wake);
		this.retry();
	}

	close() {
		document.removeEventListener("visibilitychange", this.wake);
		clearTimeout(this.timer);
		this.source.close();
	}

	retry() {
		clearTimeout(this.timer);
		this.source?.close();
		const source = this.source = new EventSource(this.api.address("events"));
		source.addEventListener("open", () => this.opened());
		source.addEventListener("error", () => source === this.source && this.lost());
		for (const kind of ["commit", "status"]) {
			source.addEventListener(kind, (event) => this.tell(kind, JSON.parse(event.data || "{}")));
		}
	}

	opened() {
		const wasLost = this.state === "lost";
		this.pause = 1000;
		this.set("live");
		// Commits of the meantime were missed.
		if (wasLost) this.tell("commit", {});
	}

	lost() {
		this.source.close();
		this.again = Date.now() + this.pause;
		this.timer = setTimeout(() => this.retry(), this.pause);
		this.pause = Math.min(this.pause * 2, longestPause);
		this.set("lost");
		// A studio that was started again has another token.
		session().catch((error) => error.status === 401 && this.end());
	}

	end() {
		clearTimeout(this.timer);
		this.set("ended");
	}

	set(state) {
		this.state = state;
		this.dispatchEvent(new Event("state"));
	}

	tell(kind, detail) {
		this.dispatchEvent(new CustomEvent(kind, { detail }));
	}
}

/// What some commits changed, and who wrote them.
export class News {
	classes = new Set();
	authors = new Map();
	isWhole = false;

	constructor(studio) {
		this.studio = studio;
	}

	add({ changes, authors = [], isUnknown }) {
		this.isWhole ||= isUnknown || !changes;
		for (const change of changes ?? []) this.classes.add(change.class);
		for (const { author, name } of authors) this.authors.set(author, name);
	}

	concerns(className) {
		return this.isWhole || this.classes.has(className);
	}

	get others() {
		const own = this.studio.status.replica.split(".")[0];
		return [...this.authors].filter(([author]) => !author.startsWith(own))
			.map(([author, name]) => this.studio.authors.name(author, name));
	}
}

/// Calls `action` at once, and again at most every `gap` milliseconds while it is asked to.
export function throttled(gap, action) {
	let timer;
	let last = -gap;
	return () => {
		timer ??= setTimeout(() => {
			timer = undefined;
			last = performance.now();
			action();
		}, Math.max(0, last + gap - performance.now()));
	};
}
