// Hears of commits and of the status by server-sent events. After a loss it asks again by itself, with
// pauses that double from one second to thirty.

const longestPause = 30_000;

export class Live extends EventTarget {
  constructor() {
    super();
    this.state = "waiting";
    this.pause = 1000;
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.state === "lost") this.retry();
    });
    addEventListener("online", () => this.state === "lost" && this.retry());
  }

  open(api) {
    this.api = api;
    this.retry();
  }

  retry() {
    clearTimeout(this.timer);
    this.source?.close();
    const source = new EventSource(this.api.address("events"));
    this.source = source;
    source.addEventListener("open", () => this.opened());
    source.addEventListener("error", () => source === this.source && this.lost());
    for (const kind of ["commit", "status"]) {
      source.addEventListener(kind, (event) => this.tell(kind, readable(event.data)));
    }
  }

  opened() {
    const wasLost = this.state === "lost";
    this.pause = 1000;
    this.set("live");
    // What was committed meanwhile was not heard.
    if (wasLost) {
      this.tell("commit", {});
      this.tell("status", {});
    }
  }

  lost() {
    this.source?.close();
    this.again = Date.now() + this.pause;
    this.timer = setTimeout(() => this.retry(), this.pause);
    this.pause = Math.min(this.pause * 2, longestPause);
    this.set("lost");
  }

  set(state) {
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }

  tell(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }
}

function readable(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/// Calls `action` at once, and again at most every `gap` milliseconds while it is asked to.
export function throttled(gap, action) {
  let timer;
  let last = -gap;
  return () => {
    if (timer) return;
    const wait = Math.max(0, last + gap - performance.now());
    timer = setTimeout(() => {
      timer = undefined;
      last = performance.now();
      action();
    }, wait);
  };
}
