// Sends edits, each call one transaction, and takes the last one back.

import { complain, toast } from "./dialog.js";

export class Edits {
	constructor(studio) {
		this.studio = studio;
	}

	/// Writes edits in one transaction; says `text` and is true once committed.
	///
	/// A refusal is shown here, or thrown if the caller shows it.
	async write(edits, text, { throws } = {}) {
		try {
			this.done(await this.studio.api.post("edits", { edits }), text);
			return true;
		} catch (error) {
			if (throws) throw error;
			complain(error);
			return false;
		}
	}

	done(answer, text) {
		this.studio.frame.showUndo(answer.canUndo);
		toast(text, { action: answer.canUndo && { name: "Undo", run: () => this.undo() } });
		this.studio.page?.committed?.();
	}

	/// Takes back the last transaction; forced, also where somebody has changed since.
	async undo(isForced = false) {
		if (this.studio.isReadOnly) return;
		try {
			const answer = await this.studio.api.post("undo", { isForced });
			this.studio.frame.showUndo(answer.canUndo);
			toast(answer.canUndo ? "Undone. There are earlier edits." : "Undone.");
			this.studio.page?.committed?.();
		} catch (error) {
			if (isForced || !/force the undo/.test(error.message)) complain(error);
			else {
				toast(error.message, { isError: true,
					action: { name: "Undo anyway", run: () => this.undo(true) } });
			}
		}
	}
}
