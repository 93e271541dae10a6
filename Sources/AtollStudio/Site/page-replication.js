// The replicas of the store, their links, what each has, and who may connect.

import { h, fill, button } from "./dom.js";
import { complain, confirm, toast } from "./dialog.js";
import { ago, count, duration, moment, number, shortID } from "./format.js";
import { author, conditions, deferredPanel, pageHead, table } from "./parts.js";
import { drawRing } from "./ring.js";

const period = 2000;

export async function open(studio) {
	const page = new ReplicationPage(studio);
	await page.load();
	return page;
}

class ReplicationPage {
	constructor(studio) {
		Object.assign(this, { studio, title: "Replication", canEdit: !studio.isReadOnly });
		this.tally = h("span", { role: "status" });
		this.tools = h("span.page-tools");
		this.body = h("div");
		this.element = h("div.scroll", pageHead("Replication", this.tally, this.tools), this.body);
		this.timer = setInterval(() => !document.hidden && this.reload(), period);
		this.committed = this.restated = () => this.reload();
	}

	close() {
		clearInterval(this.timer);
	}

	async reload() {
		if (this.isAsking) return;
		this.isAsking = true;
		try {
			await this.load();
		} catch {
			// The indicator tells.
		}
		this.isAsking = false;
	}

	async load() {
		const { authors, lag } = this.studio;
		this.answer = await this.studio.api.get("replication");
		authors.learn(this.answer.names);
		for (const one of this.answer.members) if (one.name) authors.learn({ [one.replica]: one.name });
		lag.record(this.answer.members);
		// A button that has the keyboard's focus keeps it.
		const focused = document.activeElement;
		const label = this.element.contains(focused) && focused.getAttribute("aria-label");
		this.show();
		if (label) {
			[...this.element.querySelectorAll("button")]
				.find((one) => one.getAttribute("aria-label") === label)?.focus();
		}
	}

	show() {
		const { studio } = this;
		const { members, holdings } = this.answer;
		const peers = studio.status.servedBy?.peers ?? [];
		const connected = members.filter((one) => one.isConnected).length;
		const hasOthers = members.some((one) => !one.isThis && !one.isRetired);
		fill(this.tally, `${count(members.length, "replica")}, ${number(connected)} connected`);
		this.showTools();
		fill(this.body, studio.status.conditions && conditions(studio.status.conditions),
			deferredPanel(studio), h("div.two",
				panel("Links", drawRing(studio, members, peers), !studio.status.servedBy &&
					h("p.legend-line", "No daemon serves this store, so there are no links.")),
				panel("Lag", hasOthers ? [h("p.legend-line", "Changesets here that a replica is not " +
					"known to have applied, since this page was opened."), studio.lag.draw()]
					: h("p.faint", "There is no other replica."))),
			tablePanel("Replicas", this.memberTable(members)),
			tablePanel("What each has of each author", this.matrix(holdings)),
			peers.length > 0 && tablePanel("Links in detail", this.linkTable(peers)), this.roster());
	}

	showTools() {
		const { servedBy, daemon } = this.studio.status;
		fill(this.tools, servedBy?.isPaused && h("span.tag.warn", "paused"),
			daemon && h("span", { class: `tag ${daemon === "serving" ? "good" : "warn"}` },
				daemon === "serving" ? `${servedBy.agent} serves, process ${servedBy.processID}`
					: `daemon ${daemon}`),
			servedBy && (servedBy.isPaused
				? this.act("Resume", "resume", {}, "the exchange",
					"The daemon connects to its peers again.")
				: this.act("Pause", "pause", {}, "the exchange",
					"Nothing is exchanged until you resume. Local work goes on.")));
	}

	memberTable(members) {
		return table(["Replica", "State", ">Behind", ">Ahead", "Role", "Last heard",
			...this.canEdit ? [""] : []], members.map((one) => {
			const name = this.studio.authors.name(one.replica, one.name);
			const state = one.isThis ? ["this replica", "good"] : one.isRetired ? ["retired", ""]
				: one.isConnected ? ["connected", "good"] : ["not connected", "warn"];
			return [[author(this.studio, one.replica, one.name),
				h("span.sub.mono", ` ${shortID(one.replica)}`)],
			h("span", { class: `tag ${state[1]}` }, state[0]), number(one.behind), number(one.ahead),
			[one.role, one.admittedAs && h("span.sub", `, ${one.admittedAs}`)],
			one.isThis ? "" : one.heard
				? h("time", { title: moment(one.heard, true) }, ago(one.heard)) : "never",
			...this.canEdit ? [!one.isThis && this.memberActions(one, name)] : []];
		}));
	}

	memberActions(one, name) {
		const body = { replica: one.replica };
		const admittedAs = this.answer.isOwner && one.admittedAs;
		return one.admittedAs !== "removed" && [one.isRetired
			? this.act("Readmit", "readmit", body, name, "All replicas wait for it again.")
			: this.act("Retire", "retire", body, name, "For one that is gone for good: nobody waits for " +
				"it. If it comes back, it needs a snapshot.", true), " ",
		["nothing", "requested"].includes(admittedAs) && this.act("Admit", "admit", body, name, "All take what it writes."),
		admittedAs === "writer" && this.act("Remove", "remove-replica", body, name,
			"What it wrote stays; what it writes later never counts.", true)];
	}

	matrix(holdings) {
		const { authors } = this.studio;
		const known = [...new Set(holdings.flatMap((one) => Object.keys(one.applied)))].sort();
		const most = Object.fromEntries(known.map((one) =>
			[one, Math.max(...holdings.map(({ applied }) => applied[one] ?? 0))]));
		return h("div.sideways", { tabindex: 0, role: "region", label: "Holdings" }, h("table.matrix",
			h("thead", h("tr", h("th", { scope: "col" }, "Replica"), known.map((one) =>
				h("th", { scope: "col" }, author(this.studio, one), h("span.sub", number(most[one])))))),
			h("tbody", holdings.map((one) => h("tr",
				h("th", { scope: "row" }, authors.name(one.replica, one.name)),
				known.map((name) => matrixCell(one.applied[name] ?? 0, most[name])))))));
	}

	linkTable(peers) {
		const heads = ["Peer", "State", ">Behind", ">Applies", ">Clock", "Remarks"];
		return table(heads, peers.map((peer) => [
			[peer.name ?? (peer.replica ? author(this.studio, peer.replica) : "not known yet"),
				h("div.sub.mono", peer.address)],
			h("span", { class: `tag ${peer.isConnected ? "good" : "warn"}` },
				peer.isConnected ? "connected" : "not connected"),
			peer.behind === undefined ? "unknown" : number(peer.behind),
			peer.applyingPerSecond === undefined ? "–" : `${number(peer.applyingPerSecond)} a second`,
			clock(peer.clockAhead), remarks(peer)]));
	}

	roster() {
		const { nodes, pending } = this.answer.roster;
		const node = (one, text, action) => h("li", h("div", h("strong", one.name || "no name"), text,
			h("div.sub.mono.identity", one.identity)), action);
		return tablePanel("Roster", nodes.length + pending.length === 0 &&
			h("p.faint", "No node is in the roster of this replica."), h("ul.plain.roster",
			pending.map((one) => node(one, ` waits to be let in; from ${one.address}, ${ago(one.time)}`,
				this.act("Accept", "accept", { identity: one.identity }, one.name || "this node",
					"It may connect, read and write. Compare its identity with what the other side shows: " +
					one.identity))),
			nodes.map((one) => node(one, ` ${one.role}${one.addresses.length > 0
				? ` at ${one.addresses.join(", ")}` : ""}`,
			this.act("Revoke", "remove", { identity: one.identity }, one.name,
				"It may connect no more. What it already has stays with it.", true)))));
	}

	/// A button that asks before it acts; nothing if the session may only read.
	act(name, action, body, subject, sentence, isDangerous = false) {
		if (!this.canEdit) return undefined;
		const label = `${name} ${subject}`;
		return button(name, async () => {
			if (!await confirm(`${label}?`, [sentence], name, isDangerous)) return;
			try {
				await this.studio.api.post(`peers/${action}`, body);
				toast(`${label}: done.`);
				await this.studio.restate();
				await this.load();
			} catch (error) {
				complain(error);
			}
		}, `small-button ${isDangerous ? "danger-text" : ""}`, { label });
	}
}

function panel(title, ...content) {
	return h("section.panel", { label: title }, h("h2", title), content);
}

function tablePanel(title, ...content) {
	return h("section.panel.table-panel", { label: title }, h("h2", title), content);
}

function matrixCell(applied, most) {
	const behind = most - applied;
	const share = behind / (most || 1);
	const level = behind === 0 ? 0 : share < 0.1 ? 1 : 3;
	return h("td", { class: `level-${level}`, title: `${number(applied)} of ${number(most)}` },
		behind === 0 ? "all" : `−${number(behind)}`);
}

function clock(ahead) {
	if (ahead === undefined) return "unknown";
	return Math.abs(ahead) < 2 ? "in step" : `${duration(ahead)} ${ahead > 0 ? "ahead" : "behind"}`;
}

function remarks(peer) {
	const found = [
		peer.divergence && `Diverged: ${peer.divergence}`, peer.diskFull, peer.declined, peer.leftOut,
		!peer.isConnected && peer.lastError,
	].filter(Boolean);
	return found.length ? found.map((text) => h("div", text)) : "–";
}
