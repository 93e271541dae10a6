// The frame around every page: stores, pages, classes, the live indicator, and undo.

import { h, fill, icon } from "./dom.js";
import { href, go } from "./router.js";
import { number } from "./format.js";
import { showKeys } from "./keys.js";

export const places = [
  ["objects", "Objects", "o"], ["schema", "Schema", "s"], ["conflicts", "Conflicts", "c"],
  ["log", "Log", "l"], ["replication", "Replication", "r"], ["query", "Query", "q"],
  ["health", "Health", "h"],
];

export class Frame {
  constructor(studio) {
    this.studio = studio;
    this.nav = h("nav", { class: "places", "aria-label": "Pages" });
    this.classes = h("nav", { class: "classes", "aria-label": "Classes" });
    this.liveText = h("span", {});
    this.liveElement = h("button", {
      class: "live", type: "button", title: "Changes are shown as they are committed",
      on: { click: () => studio.live?.state === "lost" && studio.live.retry() },
    }, h("span", { class: "dot", "aria-hidden": "true" }), this.liveText);
    this.undoButton = h("button", {
      class: "quiet", type: "button", hidden: true, title: "Undo the last edit (Ctrl Z)",
      on: { click: () => studio.edits.undo() },
    }, icon("undo"), "Undo");
    this.banner = h("div", { class: "banner", role: "alert", hidden: true });
    this.main = h("main", { id: "main", tabindex: -1 });
    this.element = h("div", { class: "frame" },
      h("aside", { class: "side" },
        h("header", { class: "brand" },
          h("img", { src: "logo.svg", alt: "", width: 26, height: 26 }),
          this.switcher()),
        this.nav, this.classes,
        h("footer", { class: "side-foot" }, this.liveElement,
          h("div", { class: "side-tools" }, this.undoButton,
            studio.isReadOnly && h("span", { class: "tag" }, "read-only"),
            h("button", {
              class: "quiet square", type: "button", "aria-label": "Show the keys", title: "Keys (?)",
              on: { click: showKeys },
            }, "?")))),
      h("div", { class: "content" }, this.banner, this.main));
  }

  switcher() {
    const stores = this.studio.session.stores;
    if (stores.length < 2) {
      this.storeName = h("strong", { class: "store-name" });
      return this.storeName;
    }
    this.select = h("select", {
      class: "store-select", "aria-label": "Store",
      on: {
        change: () => go(href(Number(this.select.value), this.studio.pageName === "object"
          ? "objects" : this.studio.pageName ?? "objects")),
      },
    }, stores.map((store) => h("option", { value: store.number, title: store.path },
      store.replicaName ? `${store.name} (${store.replicaName})` : store.name)));
    return this.select;
  }

  showStore() {
    const { store, session } = this.studio;
    const found = session.stores.find((one) => one.number === store);
    if (this.select) this.select.value = store;
    else {
      this.storeName.textContent = found?.name ?? "";
      this.storeName.title = found?.path ?? "";
    }
    this.conflicts = undefined;
    this.showClasses();
    this.showHealth();
    this.showLive(this.studio.live);
    this.showUndo(false);
  }

  showClasses() {
    const { schema } = this.studio;
    fill(this.classes, h("h2", { class: "side-title" }, "Classes"),
      schema.roots.map((one) => h("a", {
        class: "class-link", href: this.studio.href("objects", [one.name]), title: one.name,
        "data-class": one.name,
      }, h("span", { class: "class-name" }, one.name),
      h("span", { class: "tally" }, number(one.objects)))),
      schema.roots.length === 0 && h("p", { class: "faint small" }, "No class is declared yet."));
    this.markClass();
  }

  showHealth() {
    const { status } = this.studio;
    fill(this.nav, places.map(([page, name]) => {
      const dot = page === "health" && status.health !== "ok";
      return h("a", {
        class: "place", href: this.studio.href(page), "data-page": page,
      }, icon(page), h("span", {}, name),
      dot && h("span", { class: `badge ${status.health}` }, status.health));
    }));
    this.markPlace();
  }

  showLive(live) {
    clearInterval(this.ticking);
    this.liveElement.dataset.state = live.state;
    if (live.state === "live") {
      this.liveText.textContent = "Live";
      this.banner.hidden = true;
    } else if (live.state === "waiting") {
      this.liveText.textContent = "Connecting";
    } else {
      const tell = () => {
        const seconds = Math.max(0, Math.ceil((live.again - Date.now()) / 1000));
        this.liveText.textContent = "Not connected";
        fill(this.banner, h("span", {}, "The studio does not answer. What you see may be old. " +
          `It is asked again in ${seconds} s.`), h("button", {
          type: "button", on: { click: () => live.retry() },
        }, "Ask now"));
        this.banner.hidden = false;
      };
      tell();
      this.ticking = setInterval(tell, 1000);
    }
  }

  showUndo(canUndo) {
    this.undoButton.hidden = this.studio.isReadOnly || !canUndo;
  }

  showPlace(route) {
    this.shown = route;
    this.markPlace();
    this.markClass();
  }

  markPlace() {
    const page = this.shown?.page === "object" ? "objects" : this.shown?.page;
    for (const link of this.nav.children) {
      if (link.dataset.page === page) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  markClass() {
    const isObjects = ["objects", "object"].includes(this.shown?.page);
    const name = isObjects ? this.studio.page?.className : undefined;
    for (const link of this.classes.querySelectorAll("a")) {
      if (link.dataset.class === name) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  showPage(page, route) {
    const store = this.studio.session.stores.find((one) => one.number === this.studio.store);
    document.title = `${page.title} – ${store?.name ?? "Atoll studio"}`;
    this.main.className = `page-${route.page}`;
    fill(this.main, page.element);
    this.showPlace(route);
    if (!page.shown) this.main.focus({ preventScroll: true });
  }

  showError(error, retry) {
    fill(this.main, h("div", { class: "refused" }, h("h1", {}, "This page cannot be shown"),
      h("p", {}, error.message),
      h("button", { type: "button", class: "primary", on: { click: retry } }, "Try again")));
  }
}

/// The head of a page: a heading, what stands beside it, and buttons.
export function pageHead(title, aside, ...tools) {
  return h("header", { class: "page-head" }, h("h1", {}, title),
    h("div", { class: "page-aside" }, aside), h("div", { class: "page-tools" }, tools));
}

/// Conditions with their remedies.
export function conditions(list) {
  return h("section", { class: "conditions", "aria-label": "Conditions" }, list.map((one) =>
    h("div", { class: `panel condition ${one.severity}` },
      h("h2", {}, h("span", { class: `badge ${one.severity}` }, one.severity), " ", one.name),
      h("p", {}, one.sentence), h("p", { class: "remedy" }, one.remedy))));
}
