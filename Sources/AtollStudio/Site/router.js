// Addresses of the form `#/STORE/PAGE/PART…?NAME=VALUE`, which can be bookmarked and sent.

/// The address that the browser shows, taken apart.
export function current() {
	return parse(location.hash);
}

export function parse(hash) {
	const [path, search] = split(hash.replace(/^#\/?/, ""));
	const parts = path.split("/").filter((part) => part !== "").map(decode);
	const store = /^\d+$/.test(parts[0] ?? "") ? Number(parts.shift()) : 0;
	return {
		store,
		page: parts.shift() ?? "objects",
		parts,
		values: Object.fromEntries(new URLSearchParams(search)),
	};
}

function split(text) {
	const place = text.indexOf("?");
	return place < 0 ? [text, ""] : [text.slice(0, place), text.slice(place + 1)];
}

function decode(part) {
	try {
		return part === "%00" ? "" : decodeURIComponent(part);
	} catch {
		return part;
	}
}

/// An empty part, as of an empty key, is written `%00`.
function encode(part) {
	return part === "" ? "%00" : encodeURIComponent(part);
}

export function href(store, page, parts = [], values = {}) {
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(values)) {
		if (value !== undefined && value !== null && value !== "") search.set(name, value);
	}
	const encoded = search.toString();
	const path = [store, page, ...parts.map(encode)].join("/");
	return `#/${path}${encoded ? `?${encoded}` : ""}`;
}

export function go(address) {
	location.hash = address;
}

/// Shows another address in the place of this one, without opening a page.
export function replace(address) {
	history.replaceState(null, "", address);
}
