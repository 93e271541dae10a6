// Sends edits, each call one transaction, and takes the last one back.

import { complain, toast } from "./dialog.js";
import { count } from "./format.js";

const mostAtOnce = 10_000;

export class Edits {
  constructor(studio) {
    this.studio = studio;
  }

  /// Writes edits in one transaction.
  ///
  /// Answers true once they are committed. A refusal is shown, or thrown if the caller `shows` it.
  async write(edits, text, options = {}) {
    try {
      if (edits.length > mostAtOnce) {
        throw new Error(`There are ${edits.length} edits. One transaction takes ${mostAtOnce}.`);
      }
      const answer = await this.studio.api.post("edits", { edits });
      this.done(answer, text ?? `${count(answer.edits, "edit")} written.`, options);
      return true;
    } catch (error) {
      if (options.throws) throw error;
      complain(error);
      return false;
    }
  }

  done(answer, text, options = {}) {
    this.studio.frame.showUndo(answer.canUndo);
    if (!options.isSilent) {
      toast(text, answer.canUndo && { action: { name: "Undo", run: () => this.undo() } });
    }
    this.studio.page?.committed?.();
  }

  async undo() {
    if (this.studio.isReadOnly) return;
    try {
      const answer = await this.studio.api.post("undo");
      this.studio.frame.showUndo(answer.canUndo);
      toast(`Undone. ${answer.canUndo ? "There are earlier edits." : ""}`);
      this.studio.page?.committed?.();
    } catch (error) {
      complain(error);
    }
  }
}
