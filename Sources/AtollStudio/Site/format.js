// Writes numbers, sizes, times and authors as people read them.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/// 28,298
export function number(value) {
	return whole.format(value);
}

/// `1 object`, `2 objects`
export function count(value, one, many = `${one}s`) {
	return `${number(value)} ${value === 1 ? one : many}`;
}

/// 7.9 MB; thousands of bytes, as file managers say.
export function bytes(value) {
	if (value === undefined || value === null) return "unknown";
	let rest = value;
	for (const unit of ["bytes", "KB", "MB", "GB"]) {
		if (rest < 1000) return `${unit === "bytes" || rest >= 100 ? Math.round(rest)
			: rest.toFixed(1)} ${unit}`;
		rest /= 1000;
	}
	return `${rest.toFixed(1)} TB`;
}

/// 3 ms, 1.4 s, 5 min, 3 h, 2 days
export function duration(milliseconds) {
	const value = Math.abs(milliseconds);
	if (value < 10) return `${value === 0 ? 0 : value.toFixed(value < 1 ? 2 : 1)} ms`;
	if (value < 1000) return `${Math.round(value)} ms`;
	if (value < 60_000) return `${(value / 1000).toFixed(1)} s`;
	if (value < 3_600_000) return `${Math.round(value / 60_000)} min`;
	if (value < 172_800_000) return `${Math.round(value / 3_600_000)} h`;
	return `${Math.round(value / 86_400_000)} days`;
}

/// How long ago; `now` within two seconds.
export function ago(milliseconds) {
	const age = Date.now() - milliseconds;
	if (Math.abs(age) < 2000) return "now";
	return age < 0 ? `in ${duration(age)}` : `${duration(age)} ago`;
}

/// The milliseconds of a hybrid time such as `1795631982380+0`.
export function milliseconds(hybrid) {
	return Number(String(hybrid).split("+")[0]);
}

const two = (value) => String(value).padStart(2, "0");

/// 2026-11-25 19:01:22.380, in this machine's time zone.
export function moment(value, isExact = false) {
	const date = new Date(value);
	if (Number.isNaN(date.getTime())) return "unknown";
	const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
	const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
	return `${day} ${time}${isExact ? `.${String(date.getMilliseconds()).padStart(3, "0")}` : ""}`;
}

/// The first digits of a replica's id, and of its incarnation if there is one.
export function shortID(author) {
	const [replica, incarnation] = String(author ?? "").split(".");
	return incarnation ? `${replica.slice(0, 8)}.${incarnation.slice(0, 4)}` : replica.slice(0, 8);
}

/// Names of replicas, and a colour for each, the same on every page.
export class Authors {
	constructor() {
		this.names = {};
		this.places = new Map();
	}

	learn(names) {
		Object.assign(this.names, names ?? {});
	}

	name(author, given) {
		return given ?? this.names[String(author).split(".")[0]] ?? shortID(author);
	}

	/// The class that sets `--author` to the author's colour.
	color(author) {
		const replica = String(author).split(".")[0];
		if (!this.places.has(replica)) this.places.set(replica, this.places.size);
		return `author-${this.places.get(replica) % 6}`;
	}
}

/// A string as the command line quotes it, without its quotes.
export function unquoted(text) {
	if (!/^".*"$/s.test(text)) return text;
	try {
		return JSON.parse(text);
	} catch {
		return text.slice(1, -1);
	}
}
