// Sizes, versions in use, conditions with their remedies; verify, compact and backup.

import { h, fill } from "./dom.js";
import { bytes, count, duration, number } from "./format.js";
import { conditions, pageHead } from "./frame.js";
import { throttled } from "./live.js";

export async function open(studio) {
  const page = new HealthPage(studio);
  await page.load();
  return page;
}

class HealthPage {
  constructor(studio) {
    Object.assign(this, { studio, title: "Health" });
    this.verdict = h("span", {});
    this.conditions = h("div");
    this.sizes = h("section", { class: "panel", "aria-label": "Sizes" });
    this.figures = h("dl", { class: "figures" });
    this.tasks = h("section", { class: "tasks", "aria-label": "Tasks" });
    this.about = h("section", { class: "panel", "aria-label": "Store" });
    this.element = h("div", { class: "scroll" }, pageHead("Health", this.verdict), this.conditions,
      this.figures, this.sizes, this.tasks, this.about);
    this.showTasks();
    this.committed = throttled(2000, () => this.load().catch(() => undefined));
    this.restated = this.committed;
  }

  async load() {
    const health = await this.studio.api.get("health");
    fill(this.verdict, h("span", { class: `badge ${health.health}` }, health.health));
    fill(this.conditions, health.conditions?.length ? conditions(health.conditions)
      : h("p", { class: "panel all-well" }, "All is well. There is nothing to look at."));
    this.showSizes(health);
    this.showAbout();
  }

  showSizes(health) {
    const versions = health.versionsInUse;
    const inUse = Array.isArray(versions) ? versions.length : versions;
    fill(this.figures, figure("Store file", bytes(health.file)),
      figure("Write-ahead log", bytes(health.writeAheadLog)),
      figure("Log", bytes(health.log.bytes), count(health.log.changesets, "changeset")),
      figure("Conflicts", number(health.conflicts), "in the ledger"),
      inUse !== undefined && figure("Versions in use", number(inUse), "by readers, now"));
    const free = Math.max(0, health.file - (health.used ?? health.file));
    const objects = Math.max(0, health.file - free - health.log.bytes);
    const parts = [["objects", "Objects and indexes", objects], ["log", "Log", health.log.bytes],
      ["free", "Free, given back by compact", free],
      ["wal", "Write-ahead log", health.writeAheadLog]];
    const total = parts.reduce((sum, [, , size]) => sum + size, 0) || 1;
    fill(this.sizes, h("h2", {}, "Where the bytes are"), h("div", { class: "size-bar",
      role: "img", "aria-label": parts.map(([, name, size]) => `${name} ${bytes(size)}`).join(", ") },
    parts.map(([kind, , size]) => h("span", { class: `size ${kind}`,
      vars: { "flex-grow": String(size / total) } }))),
    h("ul", { class: "legend" }, parts.map(([kind, name, size]) => h("li", {},
      h("span", { class: `swatch size ${kind}` }), `${name}: ${bytes(size)}`))));
  }

  showAbout() {
    const { status, session, store } = this.studio;
    const found = session.stores.find((one) => one.number === store);
    const facts = [["Path", found?.path], ["Store id", status.store], ["Replica", status.replica],
      ["Name", status.name ?? "none"], ["Served by", status.servedBy
        ? `${status.servedBy.agent}, process ${status.servedBy.processID}` : "nobody"],
      ["Studio", session.version]];
    fill(this.about, h("h2", {}, "This store"), h("dl", { class: "facts" }, facts.map(([name, text]) =>
      h("div", {}, h("dt", {}, name), h("dd", { class: "mono" }, text ?? "")))));
  }

  // Tasks.

  showTasks() {
    const { isReadOnly } = this.studio;
    const path = h("input", { type: "text", "aria-label": "Path of the backup", spellcheck: "false",
      placeholder: "/path/of/the/backup.atoll" });
    fill(this.tasks,
      this.task("verify", "Verify", "Checks the file, the log, and that the objects follow from it.",
        (answer) => answer.findings?.length
          ? h("ul", {}, answer.findings.map((text) => h("li", { class: "field-error" }, text)))
          : `Sound: ${count(answer.objects ?? 0, "object")}, ` +
            `${count(answer.changesets ?? 0, "changeset")}.`),
      !isReadOnly && this.task("compact", "Compact",
        "Gives back the space that the store no longer uses. Others can work meanwhile.", said),
      !isReadOnly && this.task("backup", "Back up", "Copies the store into a new file.", said, path,
        () => {
          if (!path.value.trim()) throw new Error("Write the path of a file that does not exist yet.");
          return { path: path.value.trim() };
        }));
  }

  task(name, title, sentence, show, field, body = () => ({})) {
    const result = h("div", { class: "task-result", role: "status" });
    const button = h("button", { type: "button" }, title);
    button.addEventListener("click", async () => {
      button.disabled = true;
      const start = performance.now();
      const tick = () => fill(result, h("span", { class: "busy" },
        `Working, ${duration(performance.now() - start)}`));
      const timer = setInterval(tick, 500);
      try {
        const given = body();
        tick();
        const answer = await this.studio.api.post(name, given);
        fill(result, h("span", { class: "done" }, show(answer)), " ",
          h("span", { class: "faint" }, duration(performance.now() - start)));
        this.load().catch(() => undefined);
      } catch (error) {
        fill(result, h("span", { class: "field-error" }, error.message));
      }
      clearInterval(timer);
      button.disabled = false;
    });
    return h("div", { class: "panel task" }, h("h2", {}, title), h("p", {}, sentence), field,
      button, result);
  }
}

function figure(name, value, note) {
  return h("div", {}, h("dt", {}, name), h("dd", {}, value), note && h("dd", { class: "sub" }, note));
}

/// An answer whose fields are not known beforehand, in words.
function said(answer) {
  const { before, after, path } = answer;
  if (typeof before === "number" && typeof after === "number") {
    return `Done: ${bytes(before)} became ${bytes(after)}.`;
  }
  return path ? `Done: ${path}` : "Done.";
}
