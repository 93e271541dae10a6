// The replicas of the store, their links, what each has, and who may connect.

import { h, fill } from "./dom.js";
import { complain, confirm, toast } from "./dialog.js";
import { ago, count, duration, moment, number, shortID } from "./format.js";
import { conditions, pageHead } from "./frame.js";
import { drawRing } from "./ring.js";

const period = 2000;

export async function open(studio) {
  const page = new ReplicationPage(studio);
  await page.load();
  return page;
}

class ReplicationPage {
  constructor(studio) {
    Object.assign(this, { studio, title: "Replication" });
    this.tally = h("span", { role: "status" });
    this.tools = h("span", { class: "page-tools" });
    this.notes = h("div");
    this.ring = h("section", { class: "panel", "aria-label": "Links" });
    this.lag = h("section", { class: "panel", "aria-label": "Lag" });
    this.members = h("section", { class: "panel table-panel", "aria-label": "Replicas" });
    this.matrix = h("section", { class: "panel table-panel", "aria-label": "Holdings" });
    this.links = h("section", { class: "panel table-panel", "aria-label": "Links in detail" });
    this.roster = h("section", { class: "panel table-panel", "aria-label": "Roster" });
    this.element = h("div", { class: "scroll" }, pageHead("Replication", this.tally, this.tools),
      this.notes, h("div", { class: "two" }, this.ring, this.lag), this.members, this.matrix,
      this.links, this.roster);
    this.timer = setInterval(() => !document.hidden && this.reload(), period);
  }

  close() {
    clearInterval(this.timer);
  }

  committed() {
    this.reload();
  }

  restated() {
    this.reload();
  }

  async reload() {
    if (this.isAsking || this.isHeld) return;
    this.isAsking = true;
    try {
      await this.load();
    } catch {
      // The indicator tells if nobody answers.
    }
    this.isAsking = false;
  }

  async load() {
    this.answer = await this.studio.api.get("replication");
    this.studio.authors.learn(this.answer.names);
    this.studio.lag.record(this.answer.members);
    // A button that has the keyboard's focus keeps it.
    const label = document.activeElement?.getAttribute?.("aria-label");
    this.show();
    if (label && !this.element.contains(document.activeElement)) {
      [...this.element.querySelectorAll("button")]
        .find((one) => one.getAttribute("aria-label") === label)?.focus();
    }
  }

  get peers() {
    return this.studio.status.servedBy?.peers ?? [];
  }

  show() {
    const { members } = this.answer;
    const connected = members.filter((one) => one.isConnected).length;
    fill(this.tally, count(members.length, "replica"), `, ${number(connected)} connected`);
    this.showTools();
    fill(this.notes, this.studio.status.conditions && conditions(this.studio.status.conditions),
      this.deferred());
    fill(this.ring, h("h2", {}, "Links"), drawRing(this.studio, members, this.peers),
      !this.studio.status.servedBy && h("p", { class: "legend-line" },
        "No daemon serves this store, so there are no links."));
    fill(this.lag, h("h2", {}, "Lag"), members.some((one) => !one.isThis && !one.isRetired)
      ? [h("p", { class: "legend-line" }, "Changesets here that a replica is not known to have " +
          "applied, since this page was opened."), this.studio.lag.draw()]
      : h("p", { class: "faint" }, "There is no other replica."));
    fill(this.members, h("h2", {}, "Replicas"), this.memberTable());
    fill(this.matrix, h("h2", {}, "What each has of each author"), this.matrixTable());
    fill(this.links, this.peers.length > 0 && [h("h2", {}, "Links in detail"), this.linkTable()]);
    this.links.hidden = this.peers.length === 0;
    this.showRoster();
  }

  showTools() {
    const { servedBy, daemon } = this.studio.status;
    fill(this.tools, daemon && h("span", { class: `tag ${daemon === "serving" ? "good" : "warn"}` },
      daemon === "serving" ? `${servedBy.agent} serves, process ${servedBy.processID}`
        : `daemon ${daemon}`),
    servedBy && !this.studio.isReadOnly && (servedBy.isPaused
      ? this.button("Resume", () => this.act("resume", {}, ["Resume the exchange?",
        "The daemon connects to its peers again.", "Resume"]))
      : this.button("Pause", () => this.act("pause", {}, ["Pause the exchange?",
        "Nothing is exchanged with other nodes until you resume. Local work goes on.", "Pause"]))),
    servedBy?.isPaused && h("span", { class: "tag warn" }, "paused"));
  }

  button(text, action, label = text, isDangerous = false) {
    return h("button", { type: "button", class: `small-button ${isDangerous ? "danger-text" : ""}`,
      "aria-label": label, on: { click: action } }, text);
  }

  deferred() {
    const { deferred } = this.studio.status;
    return deferred && h("section", { class: "panel warn" }, h("h2", {}, "Deferred"),
      h("ul", { class: "plain" }, deferred.map((one) => h("li", {},
        `${this.studio.authors.name(one.author, one.name)}: ${count(one.changesets, "changeset")}, `,
        one.awaitsRest ? "waiting for the rest of their transaction"
          : `ahead of this clock by ${duration(one.firstAhead)} to ${duration(one.lastAhead)}`))));
  }

  memberTable() {
    const canEdit = !this.studio.isReadOnly;
    return h("table", { class: "list" }, h("thead", {}, h("tr", {},
      ["Replica", "State"].map((name) => h("th", { scope: "col" }, name)),
      ["Behind", "Ahead"].map((name) => h("th", { scope: "col", class: "right" }, name)),
      ["Role", "Last heard"].map((name) => h("th", { scope: "col" }, name)),
      canEdit && h("th", { scope: "col" }, h("span", { class: "unseen" }, "Actions")))),
    h("tbody", {}, this.answer.members.map((one) => this.member(one, canEdit))));
  }

  member(one, canEdit) {
    const name = this.studio.authors.name(one.replica, one.name);
    const state = one.isThis ? ["this replica", "good"] : one.isRetired ? ["retired", ""]
      : one.isConnected ? ["connected", "good"] : ["not connected", "warn"];
    return h("tr", {},
      h("td", { "data-label": "Replica", class: this.studio.authors.color(one.replica) },
        h("span", { class: "swatch", "aria-hidden": "true" }), h("strong", {}, name),
        h("span", { class: "sub inline mono", title: one.replica }, ` ${shortID(one.replica)}`)),
      h("td", { "data-label": "State" }, h("span", { class: `tag ${state[1]}` }, state[0])),
      h("td", { "data-label": "Behind", class: "right" }, number(one.behind)),
      h("td", { "data-label": "Ahead", class: "right" }, number(one.ahead)),
      h("td", { "data-label": "Role" }, one.role),
      h("td", { "data-label": "Last heard" }, one.isThis ? "" : one.heard
        ? h("time", { title: moment(one.heard, true) }, ago(one.heard)) : "never"),
      canEdit && h("td", { class: "row-tools" }, !one.isThis && (one.isRetired
        ? this.button("Readmit", () => this.act("readmit", { replica: one.replica },
          [`Readmit ${name}?`, "All replicas wait for it again.", "Readmit"]), `Readmit ${name}`)
        : this.button("Retire", () => this.act("retire", { replica: one.replica },
          [`Retire ${name}?`, "Do this when it is gone for good. No replica waits for it any more, " +
            "so the log can be truncated. If it comes back, it needs a new snapshot.", "Retire"], true),
        `Retire ${name}`, true))));
  }

  matrixTable() {
    const { holdings } = this.answer;
    const authors = [...new Set(holdings.flatMap((one) => Object.keys(one.applied)))].sort();
    const most = Object.fromEntries(authors.map((author) =>
      [author, Math.max(...holdings.map((one) => one.applied[author] ?? 0))]));
    return h("div", { class: "sideways", tabindex: 0, role: "region",
      "aria-label": "What each replica has of each author" }, h("table", { class: "matrix" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Replica"), authors.map((author) =>
        h("th", { scope: "col", title: author, class: this.studio.authors.color(author) },
          h("span", { class: "swatch", "aria-hidden": "true" }), this.studio.authors.name(author),
          h("span", { class: "sub" }, number(most[author])))))),
      h("tbody", {}, holdings.map((one) => h("tr", {},
        h("th", { scope: "row" }, this.studio.authors.name(one.replica, one.name)),
        authors.map((author) => matrixCell(one.applied[author] ?? 0, most[author])))))));
  }

  linkTable() {
    return h("table", { class: "list" }, h("thead", {}, h("tr", {},
      ["Peer", "State"].map((name) => h("th", { scope: "col" }, name)),
      ["Behind", "Applies", "Clock"].map((name) => h("th", { scope: "col", class: "right" }, name)),
      h("th", { scope: "col" }, "Remarks"))), h("tbody", {}, this.peers.map((peer) => h("tr", {},
      h("td", { "data-label": "Peer" }, peer.name ?? (peer.replica
        ? this.studio.authors.name(peer.replica) : "not known yet"),
      h("div", { class: "sub mono" }, peer.address)),
      h("td", { "data-label": "State" }, h("span",
        { class: `tag ${peer.isConnected ? "good" : "warn"}` },
        peer.isConnected ? "connected" : "not connected")),
      h("td", { "data-label": "Behind", class: "right" },
        peer.behind === undefined ? "unknown" : number(peer.behind)),
      h("td", { "data-label": "Applies", class: "right" }, peer.applyingPerSecond === undefined ? "–"
        : `${number(Math.round(peer.applyingPerSecond))} a second`),
      h("td", { "data-label": "Clock", class: "right" }, clock(peer.clockAhead)),
      h("td", { "data-label": "Remarks" }, remarks(peer))))));
  }

  showRoster() {
    const { nodes, pending } = this.answer.roster;
    const canEdit = !this.studio.isReadOnly;
    fill(this.roster, pending.length > 0 && [h("h2", {}, "Waiting to be let in"),
      h("ul", { class: "plain pending" }, pending.map((one) => h("li", {},
        h("div", {}, h("strong", {}, one.name || "no name"), ` from ${one.address}, ${ago(one.time)}`,
          h("div", { class: "sub mono identity" }, one.identity)),
        canEdit && this.button("Accept", () => this.act("accept", { identity: one.identity },
          [`Accept ${one.name || "this node"}?`, "It may connect, read all objects and write. " +
            `Compare its identity with what the other side shows: ${one.identity}`, "Accept"]),
        `Accept ${one.name}`))))],
    h("h2", {}, "Roster"), nodes.length === 0
      ? h("p", { class: "faint" }, "No node is in the roster of this replica.")
      : h("ul", { class: "plain pending" }, nodes.map((one) => h("li", {},
        h("div", {}, h("strong", {}, one.name), ` ${one.role}`,
          one.addresses.length > 0 && ` at ${one.addresses.join(", ")}`,
          h("div", { class: "sub mono identity" }, one.identity)),
        canEdit && this.button("Revoke", () => this.act("remove", { identity: one.identity },
          [`Revoke ${one.name}?`, "It is cut off and may connect no more. What it has already stays " +
            "with it.", "Revoke"], true), `Revoke ${one.name}`, true)))));
  }

  async act(action, body, [title, sentence, name], isDangerous = false) {
    if (!await confirm(title, [sentence], name, isDangerous)) return;
    try {
      await this.studio.api.post(`peers/${action}`, body);
      toast(`${name}: done.`);
      await this.studio.restate();
      await this.load();
    } catch (error) {
      complain(error);
    }
  }
}

function matrixCell(applied, most) {
  const behind = most - applied;
  const share = most === 0 ? 0 : behind / most;
  const level = behind === 0 ? 0 : share < 0.01 ? 1 : share < 0.1 ? 2 : share < 0.5 ? 3 : 4;
  return h("td", { class: `level-${level}`, title: `${number(applied)} of ${number(most)}` },
    behind === 0 ? "all" : `−${number(behind)}`);
}

function clock(ahead) {
  if (ahead === undefined) return "unknown";
  return Math.abs(ahead) < 2 ? "in step"
    : `${duration(ahead)} ${ahead > 0 ? "ahead" : "behind"}`;
}

function remarks(peer) {
  const found = [
    peer.divergence && `Diverged: ${peer.divergence}`, peer.diskFull, peer.declined, peer.leftOut,
    !peer.isConnected && peer.lastError,
  ].filter(Boolean);
  return found.length ? found.map((text) => h("div", {}, text)) : h("span", { class: "faint" }, "–");
}
