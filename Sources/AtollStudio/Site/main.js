// Starts the studio: the session, the frame around the pages, and which page is shown.

import { session, StoreAPI } from "./api.js";
import { h, fill } from "./dom.js";
import { Authors } from "./format.js";
import { current, go, href } from "./router.js";
import { Schema } from "./schema.js";
import { Live, throttled } from "./live.js";
import { Frame } from "./frame.js";
import { installKeys } from "./keys.js";
import { Edits } from "./edits.js";
import { LagHistory } from "./lag.js";
import { closePopover } from "./dialog.js";

const pages = {
  objects: () => import("./page-objects.js"),
  object: () => import("./page-object.js"),
  schema: () => import("./page-schema.js"),
  conflicts: () => import("./page-conflicts.js"),
  log: () => import("./page-log.js"),
  replication: () => import("./page-replication.js"),
  query: () => import("./page-query.js"),
  health: () => import("./page-health.js"),
};

/// What all pages share: the session, the open store, its schema and its status.
class Studio {
  constructor(opened) {
    this.session = opened;
    this.isReadOnly = opened.isReadOnly;
    this.frame = new Frame(this);
    this.turn = 0;
  }

  get isClassKnown() {
    return (name) => Boolean(this.schema.class(name));
  }

  href(page, parts, values) {
    return href(this.store, page, parts, values);
  }

  async openStore(number) {
    this.live?.source?.close();
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
    for (const author of Object.keys(status.applied ?? {}).sort()) this.authors.color(author);
  }

  listen() {
    const live = new Live();
    this.live = live;
    const isCurrent = () => live === this.live;
    live.addEventListener("state", () => isCurrent() && this.frame.showLive(live));
    const committed = throttled(120, () => isCurrent() && this.page?.committed?.());
    const counted = throttled(2000, () => isCurrent() && this.recount());
    live.addEventListener("commit", () => { committed(); counted(); });
    const changed = throttled(500, () => isCurrent() && this.restate());
    live.addEventListener("status", changed);
    live.open(this.api);
    this.frame.showStore();
  }

  async recount() {
    try {
      this.schema = new Schema(await this.api.get("schema"));
      this.frame.showClasses();
      await this.restate();
    } catch {
      // The indicator tells if nobody answers.
    }
  }

  async restate() {
    try {
      this.learn(await this.api.get("status"));
      this.frame.showHealth();
      this.page?.restated?.();
    } catch {
      // As above.
    }
  }

  async route() {
    const turn = ++this.turn;
    const route = current();
    closePopover();
    try {
      if (route.store !== this.store) await this.openStore(route.store);
      if (turn !== this.turn) return;
      const load = pages[route.page];
      if (!load) return go(href(this.store, "objects"));
      if (this.page?.update?.(route) && this.pageName === route.page) {
        this.frame.showPlace(route);
        return;
      }
      const module = await load();
      if (turn !== this.turn) return;
      this.page?.close?.();
      this.page = undefined;
      const page = await module.open(this, route);
      if (turn !== this.turn) return page.close?.();
      this.page = page;
      this.pageName = route.page;
      this.frame.showPage(page, route);
      page.shown?.();
    } catch (error) {
      if (turn === this.turn) this.frame.showError(error, () => this.route());
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
    fill(shell, h("main", { class: "refused", id: "main" }, h("h1", {}, "The studio is not open"),
      h("p", {}, error.message),
      error.status === 401 || error.status === 403
        ? h("p", {}, "Open the address that `atoll studio` printed. It holds the token.")
        : h("button", { type: "button", class: "primary", on: { click: start } }, "Try again")));
  }
}

start();
