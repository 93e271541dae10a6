// The classes of the store with their properties, and a drawing of them.

import { h } from "./dom.js";
import { drawSchema } from "./drawing.js";
import { count, number } from "./format.js";
import { pageHead } from "./frame.js";
import { typeText } from "./schema.js";

export async function open(studio, route) {
  const { schema } = studio;
  const chosen = route.parts[0];
  const cards = schema.classes.map((one) => card(studio, one, one.name === chosen));
  const element = h("div", { class: "scroll" },
    pageHead("Schema", count(schema.classes.length, "class", "classes")),
    schema.clashes.length > 0 && clashes(studio),
    schema.classes.length === 0
      ? h("p", { class: "nothing" }, "No class is declared yet. An application declares classes " +
          "when it opens the store.")
      : [h("section", { class: "panel drawing-place", "aria-label": "Drawing", tabindex: 0 },
        drawSchema(schema, (name) => studio.href("schema", [name])),
        h("p", { class: "legend-line" }, "A full line is a link. A dashed line is an embedded object.")),
      h("div", { class: "cards" }, cards)]);
  return {
    title: "Schema", element,
    shown: () => cards.find((one) => one.dataset.class === chosen)
      ?.scrollIntoView({ block: "start" }),
  };
}

function card(studio, one, isChosen) {
  const address = (name) => studio.schema.class(name)?.isEmbedded
    ? studio.href("schema", [name]) : studio.href("objects", [name]);
  return h("section", { class: `panel class-card ${isChosen ? "chosen" : ""}`,
    "data-class": one.name, "aria-label": one.name },
  h("header", { class: "panel-head" },
    h("h2", {}, one.isEmbedded ? one.name : h("a", { href: address(one.name) }, one.name)),
    one.isEmbedded ? h("span", { class: "tag" }, "embedded")
      : h("span", { class: "tally" }, count(one.objects, "object"))),
  h("table", { class: "schema-table" },
    h("thead", { class: "unseen" }, h("tr", {}, h("th", { scope: "col" }, "Property"),
      h("th", { scope: "col" }, "Type"))),
    h("tbody", {}, one.key && line(one.key, "key", address),
      !one.key && !one.isEmbedded && h("tr", {}, h("th", { scope: "row", class: "faint" },
        "hidden key"), h("td", {}, h("span", { class: "type" }, "identity"))),
      one.properties.map((property) => line(property, undefined, address)))),
  one.backlinks.length > 0 && h("p", { class: "backlink-line" }, "Linked from ",
    one.backlinks.map((link, place) => [place > 0 && ", ",
      h("a", { href: address(link.class) }, `${link.class}.${link.property}`)])));
}

function line(property, note, address) {
  const type = typeText(property);
  return h("tr", {}, h("th", { scope: "row" }, property.name,
    note && h("span", { class: "tag key-tag" }, note)),
  h("td", {}, h("span", { class: "type" }, property.target
    ? [h("a", { href: address(property.target) }, type),
      property.type === "embedded object" && " embedded"] : type)));
}

/// Names that authors declared with different types.
function clashes(studio) {
  return h("section", { class: "panel warn", "aria-label": "Clashes" }, h("h2", {}, "Clashes"),
    h("p", {}, "Authors declared different types under one name. Each keeps its own values."),
    h("ul", { class: "plain" }, studio.schema.clashes.map((clash) => h("li", {},
      h("strong", {}, clash.property ? `${clash.class}.${clash.property}` : clash.class), ": ",
      Object.entries(clash.types ?? {}).map(([type, authors], place) => [place > 0 && "; ",
        h("span", { class: "type" }, type), ` by ${authors.length > 3
          ? `${number(authors.length)} authors`
          : authors.map((one) => studio.authors.name(one)).join(", ")}`])))));
}
