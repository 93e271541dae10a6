// The frame around every page.

import { h, fill, button, icon } from "./dom.js";
import { number } from "./format.js";
import { places, showKeys } from "./keys.js";
import { go, href } from "./router.js";

export class Frame {
	constructor(studio) {
		this.studio = studio;
		this.nav = h("nav.places", { label: "Pages" });
		this.classes = h("nav.classes", { label: "Classes" });
		this.liveText = h("span");
		this.live = button([h("span.dot"), this.liveText],
			() => studio.live.state === "lost" && studio.live.retry(), "live");
		this.undo = button([icon("undo"), "Undo"], () => studio.edits.undo(), "quiet",
			{ hidden: true, title: "Undo the last edit (Ctrl Z)" });
		this.trouble = h("span", { role: "alert" });
		this.seconds = h("span");
		this.banner = h("div.banner", { hidden: true }, this.trouble, this.seconds,
			button("Ask now", () => studio.live.retry()));
		this.main = h("main", { id: "main", tabindex: -1 });
		this.element = h("div.frame", h("aside.side",
			h("header.brand", h("img", { src: "logo.svg", alt: "", width: 26, height: 26 }),
				this.switcher()), this.nav, this.classes,
			h("footer.side-foot", this.live, h("div.side-tools", this.undo,
				studio.isReadOnly && h("span.tag", "read-only"),
				button("?", showKeys, "quiet square", { label: "Show the keys", title: "Keys (?)" })))),
		h("div.content", this.banner, this.main));
	}

	switcher() {
		const { stores } = this.studio.session;
		if (stores.length === 1) {
			return h("strong.store-name", { title: stores[0].path }, stores[0].name);
		}
		const labels = stores.map((one) => one.replicaName ?? one.name);
		const isUnique = new Set(labels).size === labels.length;
		this.select = h("select.store-select", { label: "Store", on: { change: () => {
			const page = this.studio.pageName === "object" ? "objects" : this.studio.pageName;
			go(href(this.select.value, page));
		} } }, stores.map((one, at) => h("option", { value: one.number, title: one.path },
			isUnique ? labels[at] : `${labels[at]} (${one.name})`)));
		return this.select;
	}

	showStore() {
		if (this.select) this.select.value = this.studio.store;
		this.showClasses();
		this.showHealth();
		this.showLive();
		this.showUndo(false);
	}

	showClasses() {
		const { roots } = this.studio.schema;
		// The library's own classes come last.
		const isOwn = ({ name }) => Number(name.startsWith("atoll."));
		const sorted = [...roots].sort((a, b) => isOwn(a) - isOwn(b));
		fill(this.classes, h("h2.side-title", "Classes"), sorted.map(({ name, objects }) =>
			h("a.class-link", { href: this.studio.href("objects", [name]), title: name,
				"data-name": name }, h("span.class-name", name), h("span.tally", number(objects)))),
		roots.length === 0 && h("p.faint.small", "No class is declared yet."));
		this.mark();
	}

	showHealth() {
		const { health } = this.studio.status;
		fill(this.nav, places.map(([page, name]) => h("a.place",
			{ href: this.studio.href(page), "data-name": page }, icon(page), h("span", name),
			page === "health" && health !== "ok" && h(`span.badge.${health}`, health))));
		this.mark();
	}

	showLive() {
		const { live } = this.studio;
		clearInterval(this.ticking);
		this.live.dataset.state = live.state;
		this.liveText.textContent =
			{ live: "Live", waiting: "Connecting" }[live.state] ?? "Not connected";
		this.trouble.textContent = {
			lost: "The studio does not answer. What you see may be old.",
			ended: "The studio was started again. Open the address that it printed.",
		}[live.state] ?? "";
		this.seconds.textContent = "";
		this.banner.hidden = !this.trouble.textContent;
		if (live.state !== "lost") return;
		const tell = () => {
			const rest = Math.max(0, Math.ceil((live.again - Date.now()) / 1000));
			this.seconds.textContent = `It is asked again in ${rest} s.`;
		};
		tell();
		this.ticking = setInterval(tell, 1000);
	}

	showUndo(canUndo) {
		this.undo.hidden = this.studio.isReadOnly || !canUndo;
	}

	mark() {
		const isObject = this.studio.pageName === "object";
		const page = isObject ? "objects" : this.studio.pageName;
		const className = page === "objects" ? this.studio.page?.className : undefined;
		for (const link of this.element.querySelectorAll("[data-name]")) {
			const shown = link.className === "place" ? page : className;
			if (link.dataset.name === shown) link.setAttribute("aria-current", "page");
			else link.removeAttribute("aria-current");
		}
	}

	showPage(page) {
		const { session, store } = this.studio;
		document.title = `${page.title} – ${session.stores[store]?.name ?? "Atoll studio"}`;
		fill(this.main, page.element);
		this.mark();
		if (!page.shown) this.main.focus({ preventScroll: true });
	}

	showError(error, retry) {
		fill(this.main, h("div.refused", h("h1", "This page cannot be shown"), h("p", error.message),
			button("Try again", retry, "primary")));
	}
}
