// Checks of what is painted. Each answers sentences about what is wrong.

const canvas = document.createElement("canvas");
canvas.width = canvas.height = 1;
const context = canvas.getContext("2d", { willReadFrequently: true });

/// Any CSS colour as red, green, blue and alpha.
function channels(color) {
  context.clearRect(0, 0, 1, 1);
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
}

function over([r, g, b, a], below) {
  return [r, g, b].map((one, place) => one * a + below[place] * (1 - a));
}

function luminance(color) {
  const [r, g, b] = color.map((one) => one / 255)
    .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/// What is painted behind an element, from the page upwards.
function background(element) {
  const layers = [];
  for (let one = element; one; one = one.parentElement) {
    const style = getComputedStyle(one);
    layers.push(style.backgroundColor);
    const paint = one instanceof SVGElement && one.previousElementSibling;
    // Text of a drawing stands on the shape that was drawn before it.
    if (paint && ["rect", "circle", "path"].includes(paint.tagName)) {
      const inside = contains(paint.getBoundingClientRect(), element.getBoundingClientRect());
      const fill = getComputedStyle(paint).fill;
      if (inside && fill !== "none") layers.push(fill);
    }
  }
  const canvasColor = matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18]
    : [255, 255, 255];
  return layers.reverse().reduce((below, color) => over(channels(color), below), canvasColor);
}

function contains(outer, inner) {
  const x = (inner.left + inner.right) / 2;
  const y = (inner.top + inner.bottom) / 2;
  return x >= outer.left && x <= outer.right && y >= outer.top && y <= outer.bottom;
}

function opacity(element) {
  let all = 1;
  for (let one = element; one; one = one.parentElement) all *= getComputedStyle(one).opacity;
  return all;
}

function ownText(element) {
  return [...element.childNodes].filter((one) => one.nodeType === 3)
    .map((one) => one.textContent).join("").trim();
}

/// Text with less contrast than 4.5, or 3 if it is large.
function contrast() {
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const text = ownText(element);
    const box = element.getBoundingClientRect();
    const isShown = text && box.width > 1 && box.height > 1 && element.checkVisibility() &&
      !element.closest("[aria-hidden=true], :disabled, .skip");
    if (!isShown) continue;
    const style = getComputedStyle(element);
    const below = background(element);
    const ink = channels(element instanceof SVGElement ? style.fill : style.color);
    ink[3] *= opacity(element);
    const [a, b] = [luminance(over(ink, below)), luminance(below)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) {
      const tag = element.tagName.toLowerCase();
      found.push(`${tag} “${text.slice(0, 30)}” has ${ratio.toFixed(2)}`);
    }
  }
  return [...new Set(found)];
}

function looksOf(element) {
  const looks = [];
  for (let one = element; one && looks.length < 4; one = one.parentElement) {
    const { outlineStyle, outlineWidth, boxShadow, borderColor, backgroundColor } =
      getComputedStyle(one);
    const outline = outlineStyle === "none" ? "" : `${outlineStyle} ${outlineWidth}`;
    looks.push([outline, boxShadow, borderColor, one === element ? backgroundColor : ""].join());
  }
  return looks.join("; ");
}

/// Tells of what had the focus at the last call whether it looked other than it does now, without
/// it: its name and that; nothing if it was the page or has the focus still.
function focus() {
  const [before, element] = [window.hadFocus, document.activeElement];
  window.hadFocus = { element, looks: looksOf(element) };
  const isPage = !before || before.element.matches("main, body, html");
  if (isPage || before.element === element) return null;
  const had = before.element;
  const label = had.getAttribute("aria-label") ?? had.textContent.trim().slice(0, 30);
  const name = `${had.tagName.toLowerCase()} “${label}”`;
  return [name, !had.isConnected || before.looks !== looksOf(had)];
}

/// What is wider than the window: the page, or what scrolls its heading.
function width() {
  const [most] = arguments;
  const found = [];
  if (innerWidth > most) found.push(`it asks for ${innerWidth} pixels`);
  const panes = [document.scrollingElement];
  for (let one = document.querySelector("h1"); one; one = one.parentElement) panes.push(one);
  for (const pane of panes) {
    const overflow = getComputedStyle(pane).overflowX;
    const isPane = pane === panes[0] || !["visible", "clip"].includes(overflow);
    if (!isPane || pane.scrollWidth <= pane.clientWidth) continue;
    const right = pane.getBoundingClientRect().left + pane.clientWidth;
    const wide = [...pane.querySelectorAll("*")].filter((one) =>
      one.checkVisibility() && one.getBoundingClientRect().right > right + 1);
    found.push(`${pane.tagName.toLowerCase()}.${pane.className} has ${pane.scrollWidth} of ` +
      `${pane.clientWidth} pixels, by ${wide.slice(0, 3).map((one) =>
        `${one.tagName.toLowerCase()}.${one.getAttribute("class")}`).join(", ")}`);
    break;
  }
  return found;
}

const [check, ...rest] = arguments;
return { contrast, focus, width }[check](...rest);
