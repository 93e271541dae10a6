// The elements that a person with a screen reader finds: visible ones by their role and accessible name.
//
// Arguments: role, name (nil for any), whether the name is a pattern, and where to look.

const selectors = {
  alert: "[role=alert]",
  button: "button, [role=button], summary",
  cell: "td, [role=gridcell], [role=rowheader]",
  checkbox: "input[type=checkbox]",
  columnheader: "th[scope=col], [role=columnheader]",
  combobox: "select, [role=combobox]",
  complementary: "aside",
  dialog: "dialog, [role=dialog]",
  grid: "[role=grid]",
  heading: "h1, h2, h3",
  image: "[role=img], img",
  link: "a[href]",
  listbox: "[role=listbox]",
  listitem: "li",
  main: "main",
  navigation: "nav",
  option: "[role=option]",
  region: "section[aria-label], [role=region]",
  row: "tr, [role=row]",
  searchbox: "input[type=search]",
  status: "[role=status]",
  table: "table, [role=table]",
  textbox: "textarea, input:not([type]):not([role]), input[type=text], input[type^=date]",
};

function plain(text) {
  return (text ?? "").replace(/\s+/g, " ").trim();
}

function nameOf(element) {
  const labels = element.getAttribute("aria-labelledby")?.split(" ")
    .map((id) => document.getElementById(id)?.textContent).join(" ");
  const isField = ["INPUT", "SELECT", "TEXTAREA"].includes(element.tagName);
  return plain(labels) || plain(element.getAttribute("aria-label")) ||
    (isField ? plain([...element.labels ?? []].map((one) => one.textContent).join(" "))
      : plain(element.innerText ?? element.textContent)) || plain(element.getAttribute("alt")) ||
    plain(element.getAttribute("title")) || plain(element.getAttribute("placeholder"));
}

function isVisible(element) {
  return element.checkVisibility({ visibilityProperty: true }) &&
    element.getClientRects().length > 0 && !element.closest("[aria-hidden=true]");
}

const [role, name, isPattern, root] = arguments;
const pattern = isPattern && new RegExp(name, "s");
return [...(root ?? document).querySelectorAll(selectors[role])].filter((element) =>
  isVisible(element) && (name === null || (pattern ? pattern.test(nameOf(element))
    : nameOf(element) === name)));
