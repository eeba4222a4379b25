// Text as tokens see it: bytes, places, signs for what cannot be seen.

const encoder = new TextEncoder();
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const utf8 = (text) => encoder.encode(text);

export const fromHex = (hex) => {
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
};

export const toHex = (bytes) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ');

/** [bytes, units of UTF-16] of the character at a unit. */
function sizes(text, unit) {
  const code = text.charCodeAt(unit);
  if (code < 0x80) return [1, 1];
  if (code < 0x800) return [2, 1];
  if (code >= 0xd800 && code < 0xdc00) {
    const next = text.charCodeAt(unit + 1);
    if (next >= 0xdc00 && next < 0xe000) return [4, 2];
  }
  return [3, 1]; // half a surrogate pair too: it is sent as U+FFFD
}

/**
 * Where tokens stand in a text, in units of UTF-16, from where they end in bytes. A token that
 * begins or ends within a character is `broken`, and covers all of that character.
 */
export function placed(text, ends) {
  const n = ends.length;
  const starts = new Uint32Array(n);
  const stops = new Uint32Array(n);
  const broken = new Uint8Array(n);
  let unit = 0;
  let byte = 0;
  for (let i = 0, border = 0; i < n; border = ends[i], i++) {
    starts[i] = unit;
    broken[i] = byte < border ? 1 : 0;
    const end = ends[i];
    while (byte < end) {
      const [nBytes, nUnits] = sizes(text, unit);
      if (byte + nBytes > end) break;
      byte += nBytes;
      unit += nUnits;
    }
    stops[i] = unit;
    if (byte < end) {
      broken[i] = 1;
      stops[i] += sizes(text, unit)[1];
    }
  }
  return { starts, stops, broken };
}

/** The same from places in characters, for tokenizers that change the text first. */
export function placedByCharacter(text, places) {
  const units = new Uint32Array([...text].length + 1);
  let unit = 0;
  let character = 0;
  for (const sign of text) {
    units[character++] = unit;
    unit += sign.length;
  }
  units[character] = unit;
  const at = (n) => units[Math.min(n, character)];
  const starts = Uint32Array.from(places, ([start]) => at(start));
  const stops = Uint32Array.from(places, ([, stop]) => at(stop));
  const broken = new Uint8Array(places.length);
  for (let i = 1; i < places.length; i++) {
    if (starts[i] < stops[i - 1]) broken[i] = broken[i - 1] = 1;
  }
  return { starts, stops, broken };
}

let last = { old: null, text: null };

/** {start, removed, added}: how `old` became `text`, as one change. */
export function change(old, text) {
  // Several views ask about the same change.
  if (last.text !== text || last.old !== old) last = { old, text, found: difference(old, text) };
  return last.found;
}

function difference(old, text) {
  const most = Math.min(old.length, text.length);
  const start = common(most, (from, to) => old.slice(from, to) === text.slice(from, to));
  const back = (all, from, to) => all.slice(all.length - to, all.length - from);
  const rest = common(most - start, (from, to) => back(old, from, to) === back(text, from, to));
  return { start, removed: old.length - start - rest, added: text.length - start - rest };
}

/** How many of `most` letters are alike; slices are compared much faster than letters. */
function common(most, alike) {
  let low = 0;
  let step = 1 << 16;
  while (low < most) {
    const end = Math.min(low + step, most);
    if (alike(low, end)) low = end;
    else if (step > 1) step >>= 4;
    else break;
  }
  return low;
}

/** Where a piece ends: behind a line; in a very long one behind a space, or where letters permit. */
export function cut(text, begin, size) {
  const least = begin + size;
  if (least >= text.length) return text.length;
  const line = text.indexOf('\n', least - 1);
  if (line >= 0 && line < least + size) return line + 1;
  const space = text.indexOf(' ', least - 1);
  if (space >= 0 && space < least + 256) return space + 1;
  return text.charCodeAt(least) >= 0xdc00 && text.charCodeAt(least) < 0xe000 ? least + 1 : least;
}

// ------------------------------------------------------------------ signs for what is not seen

const SIGNS = new Map([
  [' ', '·'], ['\t', '→'], ['\n', '↵'], ['\r', '␍'], ['\u00a0', '⍽'], ['\u3000', '□'],
  ['\u200d', 'ZWJ'], ['\u200c', 'ZWNJ'], ['\u200b', 'ZWSP'], ['\ufeff', 'BOM'], ['\u00ad', 'SHY'],
  ['\ufe0f', 'VS16'], ['\ufe0e', 'VS15'], ['\u200e', 'LRM'], ['\u200f', 'RLM'], ['\u061c', 'ALM'],
  ['\u202a', 'LRE'], ['\u202b', 'RLE'], ['\u202c', 'PDF'], ['\u202d', 'LRO'], ['\u202e', 'RLO'],
  ['\u2066', 'LRI'], ['\u2067', 'RLI'], ['\u2068', 'FSI'], ['\u2069', 'PDI'], ['\u2060', 'WJ'],
]);
const MARK = /^\p{M}/u;
const UNSEEN = /[\p{C}\p{Z}\ufe0e\ufe0f]/u;

/** [{text, kind}] of bytes: `text`, `space` (a sign for what is not seen), `byte` (no character). */
export function shown(bytes) {
  const parts = [];
  const add = (text, kind) => {
    const last = parts.at(-1);
    if (last?.kind === kind && kind === 'text') last.text += text;
    else parts.push({ text, kind });
  };
  for (let at = 0; at < bytes.length;) {
    const size = characterSize(bytes, at);
    if (!size) {
      add(bytes[at].toString(16).toUpperCase().padStart(2, '0'), 'byte');
      at += 1;
      continue;
    }
    const sign = strict.decode(bytes.subarray(at, at + size));
    if (UNSEEN.test(sign)) add(signOf(sign), 'space');
    else add(MARK.test(sign) && !parts.length ? `\u25cc${sign}` : sign, 'text');
    at += size;
  }
  return parts;
}

function signOf(sign) {
  const code = sign.codePointAt(0);
  if (SIGNS.has(sign)) return SIGNS.get(sign);
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Bytes of the character that begins at a place; 0: none does. */
function characterSize(bytes, at) {
  const lead = bytes[at];
  const size = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (size < 2) return size;
  try {
    strict.decode(bytes.subarray(at, at + size));
    return size;
  } catch {
    return 0;
  }
}

/** The same as one line of text, for labels. */
export const spoken = (bytes) =>
  shown(bytes).map(({ text, kind }) => (kind === 'byte' ? `<${text}>` : text)).join('');

/** The word around a stretch of text, with the space before it; no longer than 200 units. */
export function wordAround(text, start, stop) {
  const least = Math.max(0, start - 100);
  const most = Math.min(text.length, stop + 100);
  let from = start;
  let to = Math.max(stop, start + 1);
  if (!/^\s/u.test(text.slice(start, start + 1))) {
    while (from > least && !/\s/u.test(text[from - 1])) from--;
  }
  if (from > least && text[from - 1] === ' ') from--;
  while (to < most && !/\s/u.test(text[to])) to++;
  return text.slice(from, to);
}
