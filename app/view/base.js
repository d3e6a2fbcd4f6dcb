// Shared by all pages: elements, numbers as text, colors.

const maker = (space) => (name, attributes = {}, ...children) => {
  const made = document.createElementNS(`http://www.w3.org/${space}`, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "text") made.textContent = value;
    else if (key === "words") value.split(" ").forEach((word, i) => made.append(i ? " " : "", element("span", { text: word })));
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false && value != null) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
};

/** An element with attributes; those that begin with "on" are listeners, `text` is its text, `words` text with options that are not broken. */
export const element = maker("1999/xhtml");
/** The same of SVG. */
export const drawn = maker("2000/svg");

export const byId = (id) => document.getElementById(id);

/** A number for people: at most five digits, thin spaces between thousands. */
export function shown(number) {
  if (typeof number === "bigint") return String(number);
  if (number == null || Number.isNaN(number)) return "";
  if (Number.isInteger(number) && Math.abs(number) < 1e15) return String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  const size = Math.abs(number);
  if (size >= 1e6 || size < 1e-3) return number.toExponential(3);
  return String(Number(number.toPrecision(5)));
}

/** A unit as people write it. */
export const unitText = (unit) => unit?.replace(/^um/, "\u00b5m");

/** A measured number with three digits. */
export const three = (number) => (Math.abs(number) >= 100 ? shown(Math.round(number)) : number === 0 ? "0" : number.toPrecision(3));

/** Counts with their noun: "1 component", "2 components". */
export const counted = (count, noun) => `${shown(count)} ${noun}${count === 1 ? "" : "s"}`;

/** Largest 1, 2 or 5 times a power of ten that is at most `most`. */
export function roundBelow(most) {
  const power = 10 ** Math.floor(Math.log10(most));
  return (most >= 5 * power ? 5 : most >= 2 * power ? 2 : 1) * power;
}

/** A word of a shell that stands for this text. */
const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`);

/** A path as a word of a shell; one that begins with "-" would be taken for an option. */
export const quotedPath = (path) => quoted(/^-./.test(path) ? `./${path}` : path);

/** The color of a label as the program's previews have it, as [r, g, b]. */
export function labelColor(label) {
  let hash = label >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) >>> 0;
  hash = (hash ^ (hash >>> 16)) >>> 0;
  const hue = (hash >>> 16) * 6, place = hue & 0xffff;
  const value = 200 + Math.floor(((hash & 0xff) * 55) / 255);
  const spread = Math.floor((value * (55 + Math.floor((((hash >>> 8) & 0xff) * 40) / 255))) / 100);
  const low = value - spread, part = Math.floor((spread * place) / 65536), rising = low + part, falling = value - part;
  return [[value, rising, low], [falling, value, low], [low, value, rising], [low, falling, value], [rising, low, value],
    [value, low, falling]][hue >>> 16];
}

// Nine stops of viridis, even in lightness and safe for color-blind readers.
const kStops = [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]];

/** The color of a share from 0 to 1 on that scale. */
export function scaleColor(share) {
  const at = Math.min(Math.max(share, 0), 1) * (kStops.length - 1), below = Math.min(Math.floor(at), kStops.length - 2);
  return kStops[below].map((c, i) => Math.round(c + (kStops[below + 1][i] - c) * (at - below)));
}

/** A path that a spreadsheet does not take for a formula. */
export const harmlessName = (path) => (/^[=+@-]/.test(path) && path !== "-" ? `./${path}` : path);

/** Text as a field of a CSV table. */
export const field = (text) => (/[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

/** Offers text as a file. */
export function save(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** Puts text on the clipboard; pages of file:// may have only the old way. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.body.appendChild(element("textarea", { style: "position:fixed;opacity:0" }));
    area.value = text;
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
