// Asks the server. A refusal becomes a `Refusal` with the server's sentence.

export class Refusal extends Error {
	constructor(message, status, place) {
		super(message);
		this.status = status;
		this.offset = place?.offset;
		this.length = place?.length;
	}
}

/// Whole numbers beyond 53 bits become `BigInt`, where the browser tells their digits.
function exactly(name, value, context) {
	const isExact = typeof value !== "number" || Number.isSafeInteger(value);
	return isExact || !/^-?\d+$/.test(context?.source ?? "") ? value : BigInt(context.source);
}

export function written(name, value) {
	return typeof value === "bigint" ? JSON.rawJSON?.(value.toString()) ?? String(value) : value;
}

async function request(path, options = {}) {
	let response;
	try {
		response = await fetch(`/api/v1${path}`, { credentials: "same-origin", ...options });
	} catch {
		throw new Refusal("The studio does not answer. It may have been stopped.", 0);
	}
	let body;
	try {
		const text = await response.text();
		body = options.isExact ? JSON.parse(text, exactly) : JSON.parse(text);
	} catch {
		throw new Refusal(`The answer could not be read. Its code is ${response.status}.`, 502);
	}
	if (!response.ok) {
		const error = body?.error ?? {};
		throw new Refusal(error.message ?? `Refused with ${response.status}.`, response.status, error);
	}
	return body;
}

function query(parameters) {
	const text = new URLSearchParams();
	for (const [name, value] of Object.entries(parameters ?? {})) {
		if (value !== undefined && value !== null && value !== "") text.set(name, value);
	}
	const encoded = text.toString();
	return encoded ? `?${encoded}` : "";
}

export function session() {
	return request("/session");
}

export class StoreAPI {
	constructor(number) {
		this.number = number;
		this.root = `/stores/${number}`;
	}

	get(what, parameters) {
		return request(`${this.root}/${what}${query(parameters)}`);
	}

	post(what, body = {}) {
		return request(`${this.root}/${what}`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify(body, written),
		});
	}

	/// The same with whole numbers of 64 bits.
	getExactly(what, parameters) {
		return request(`${this.root}/${what}${query(parameters)}`, { isExact: true });
	}

	address(what, parameters) {
		return `/api/v1${this.root}/${what}${query(parameters)}`;
	}
}
